package arenagin

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/gin-gonic/gin"
)

type order struct {
	ID    int      `json:"id" binding:"max=100"`
	Notes []string `json:"notes"`
	Price float64  `json:"price"`
}

// TestJSON has a server on this machine, whose handler reads and writes orders.
func TestJSON(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.POST("/", func(c *gin.Context) {
		var o order
		if err := Bind(c, &o); err != nil {
			return
		}
		a := arena.FromContext(c.Request.Context())
		if a == nil || a.Stats().InUse == 0 {
			t.Error("nothing is in the arena of the request")
		}
		o.Notes = arena.Append(a, o.Notes, arena.String(a, "seen"))
		if o.ID == 13 {
			o.Price = math.NaN()
		}
		JSON(c, http.StatusCreated, &o)
	})
	server := httptest.NewServer(arenahttp.Middleware(router, arenahttp.Options{}))
	defer server.Close()

	for _, test := range []struct {
		contentType, body string
		status            int
		want              string
	}{
		{"application/json", `{"id":7,"notes":["a","<b>"],"price":1.5}`, 201, `{"id":7,"notes":["a","\u003cb\u003e","seen"],"price":1.5}`},
		{"application/json", `{"id":`, 400, ""},
		{"application/json", `{"id":"x"}`, 422, ""},
		{"application/json", `{"id":101}`, 400, ""},
		{"application/json", `{"notes":["` + strings.Repeat("x", 1<<20) + `"]}`, 413, ""},
		{"text/plain", `{}`, 415, ""},
		{"application/json", `{"id":13,"notes":["a"]}`, 500, ""},
	} {
		resp, err := http.Post(server.URL, test.contentType, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != test.status || string(got) != test.want {
			t.Errorf("%.50s: status %d, want %d: %s %v", test.body, resp.StatusCode, test.status, got, err)
		}
	}
}
