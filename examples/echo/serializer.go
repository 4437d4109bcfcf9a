// Package arenaecho makes the JSON of an echo server with arenajson, in the arenas of its requests.
// It is an example: copy it.
//
//	e := echo.New()
//	e.JSONSerializer = arenaecho.Serializer{}
//	http.ListenAndServe(addr, arenahttp.Middleware(e, arenahttp.Options{}))
//
// c.Bind decodes the body of a request into its arena, and c.JSON writes what may lie there. What a
// handler leaves with others when it returns must not lie there: see package arenahttp.
package arenaecho

import (
	"errors"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/labstack/echo/v4"
)

// A Serializer is an echo.JSONSerializer.
type Serializer struct {
	Read  arenajson.ReadOptions
	Write arenajson.MarshalOptions
}

var _ echo.JSONSerializer = Serializer{}

// Serialize writes v. echo has set the status, and sends it with the first byte: if v cannot be
// encoded, nothing is sent.
func (s Serializer) Serialize(c echo.Context, v any, indent string) error {
	o := s.Write
	if indent != "" {
		o.Indent = indent
	}
	b, err := o.Marshal(arena.FromContext(c.Request().Context()), v)
	if err == nil {
		_, err = c.Response().Write(b)
	}
	return err
}

// Deserialize reads the body of the request into v. Its error has the status that [arenajson.Read]
// says.
func (s Serializer) Deserialize(c echo.Context, v any) error {
	err := s.Read.Read(c.Request(), v)
	var e *arenajson.RequestError
	if errors.As(err, &e) {
		return echo.NewHTTPError(e.Status, e.Error()).SetInternal(err)
	}
	return err
}
