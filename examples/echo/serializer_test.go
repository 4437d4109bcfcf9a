package arenaecho

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/labstack/echo/v4"
)

type order struct {
	ID    int      `json:"id"`
	Notes []string `json:"notes"`
	Price float64  `json:"price"`
}

// TestSerializer has a server on this machine, whose handler reads and writes orders.
func TestSerializer(t *testing.T) {
	e := echo.New()
	e.JSONSerializer = Serializer{}
	e.POST("/", func(c echo.Context) error {
		var o order
		if err := c.Bind(&o); err != nil {
			return err
		}
		a := arena.FromContext(c.Request().Context())
		if a == nil || a.Stats().InUse == 0 {
			t.Error("nothing is in the arena of the request")
		}
		o.Notes = arena.Append(a, o.Notes, arena.String(a, "seen"))
		if o.ID == 13 {
			o.Price = math.NaN()
		}
		return c.JSON(http.StatusCreated, &o)
	})
	server := httptest.NewServer(arenahttp.Middleware(e, arenahttp.Options{}))
	defer server.Close()

	for _, test := range []struct {
		contentType, body string
		status            int
		want              string
	}{
		{"application/json", `{"id":7,"notes":["a","<b>"],"price":1.5}`, 201, `{"id":7,"notes":["a","\u003cb\u003e","seen"],"price":1.5}`},
		{"application/json", `{"id":`, 400, `{"message":"unexpected end of JSON input"}`},
		{"application/json", `{"id":"x"}`, 422, "cannot unmarshal string"},
		{"application/json", `{"notes":["` + strings.Repeat("x", 1<<20) + `"]}`, 413, "1048576 bytes"},
		{"text/plain", `{}`, 415, "Unsupported Media Type"},
		{"application/json", `{"id":13,"notes":["a"]}`, 500, "Internal Server Error"},
	} {
		resp, err := http.Post(server.URL, test.contentType, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != test.status || !strings.Contains(string(got), test.want) {
			t.Errorf("%.50s: status %d, want %d: %s %v", test.body, resp.StatusCode, test.status, got, err)
		}
	}
}
