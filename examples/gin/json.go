// Package arenagin makes the JSON of a gin server with arenajson, in the arenas of its requests. It
// is an example: copy it.
//
//	router := gin.New()
//	router.POST("/orders", func(c *gin.Context) {
//		var o order
//		if err := arenagin.Bind(c, &o); err != nil {
//			return // it has answered
//		}
//		arenagin.JSON(c, http.StatusOK, &o)
//	})
//	http.ListenAndServe(addr, arenahttp.Middleware(router, arenahttp.Options{}))
//
// The JSON codec that gin lets programs replace is for all requests, and does not see them. So
// these are functions instead of c.BindJSON and c.JSON. What a handler leaves with others when it
// returns must not lie in the arena: see package arenahttp.
package arenagin

import (
	"errors"
	"net/http"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
)

// Binding is a binding.Binding, for c.ShouldBindWith and its like. It checks v with gin's
// validator, too.
type Binding struct{ Read arenajson.ReadOptions }

// Name returns "json".
func (b Binding) Name() string { return "json" }

// Bind reads the body of r into v.
func (b Binding) Bind(r *http.Request, v any) error {
	if err := b.Read.Read(r, v); err != nil {
		return err
	}
	if binding.Validator == nil {
		return nil
	}
	return binding.Validator.ValidateStruct(v)
}

// Bind reads the body of the request into v. After an error it has answered with the status that
// [arenajson.Read] says, or with 400 if the validator did not like v, and no other handler is
// called.
func Bind(c *gin.Context, v any) error {
	err := c.ShouldBindWith(v, Binding{})
	if err != nil {
		status := http.StatusBadRequest
		var e *arenajson.RequestError
		if errors.As(err, &e) {
			status = e.Status
		}
		c.AbortWithError(status, err).SetType(gin.ErrorTypeBind)
	}
	return err
}

// JSON answers with v. If v cannot be encoded the answer is status 500, and the error is one of
// c.Errors.
func JSON(c *gin.Context, status int, v any) {
	err := arenajson.MarshalOptions{}.Write(arena.FromContext(c.Request.Context()), c.Writer, status, v)
	switch {
	case err == nil:
	case c.Writer.Written():
		c.Error(err) // of the connection
	default:
		c.AbortWithError(http.StatusInternalServerError, err)
	}
}
