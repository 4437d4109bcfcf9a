package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/internal/testrun"
)

// What the service reads and writes, for the oracle.
type (
	jsonOrder struct {
		Customer struct{ ID, Country, Tier string }
		Lines    []jsonLine
		Baskets  *int
	}
	jsonLine struct {
		Category string
		Words    []string
		Quantity int
		Limit    *int64
		Prefer   []string
	}
	jsonQuote struct {
		Customer string       `json:"customer"`
		Lines    []jsonFound  `json:"lines"`
		Baskets  []jsonBasket `json:"baskets"`
	}
	jsonFound struct {
		Candidates int    `json:"candidates"`
		Best       *int64 `json:"best"`
	}
	jsonBasket struct {
		Supplier string     `json:"supplier"`
		Country  string     `json:"country"`
		Goods    int64      `json:"goods"`
		Shipping int64      `json:"shipping"`
		Items    []jsonItem `json:"items"`
		Missing  []int      `json:"missing"`
		id       int
	}
	jsonItem struct {
		Line    int    `json:"line"`
		Article int    `json:"article"`
		Name    string `json:"name"`
		Unit    int64  `json:"unit"`
		Sum     int64  `json:"sum"`
		Days    int    `json:"days"`
	}
)

// oracle answers an order with encoding/json, and without index and arena of the service.
func oracle(t *testing.T, c *catalogue, body []byte) []byte {
	t.Helper()
	var o jsonOrder
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatal(err)
	}
	percent := map[string]int64{"silver": 5, "gold": 10}[o.Customer.Tier]
	q := jsonQuote{Customer: o.Customer.ID, Baskets: []jsonBasket{}}
	baskets := map[string]jsonBasket{}
	for number, l := range o.Lines {
		type found struct {
			jsonItem
			other    bool // not a brand that comes first
			supplier *supplier
		}
		var all []found
		for _, a := range c.articles {
			fits := a.category == l.Category
			for _, w := range l.Words {
				fits = fits && slices.Contains(a.words, w)
			}
			if !fits {
				continue
			}
			for _, offer := range a.offers {
				unit := offer.price - offer.price*percent/100
				if offer.stock >= l.Quantity && (l.Limit == nil || unit <= *l.Limit) {
					item := jsonItem{number, a.id, a.name, unit, unit * int64(l.Quantity), offer.days}
					all = append(all, found{item, !slices.Contains(l.Prefer, a.brand), offer.supplier})
				}
			}
		}
		sort.Slice(all, func(i, j int) bool {
			// Numbers of one length compare as text.
			key := func(f found) string {
				return fmt.Sprintf("%v %09d %09d %09d %09d", map[bool]int{true: 1}[f.other], f.Unit, f.Days, f.Article, f.supplier.id)
			}
			return key(all[i]) < key(all[j])
		})
		line := jsonFound{Candidates: len(all)}
		if len(all) > 0 {
			line.Best = &all[0].Unit
		}
		q.Lines = append(q.Lines, line)
		seen := map[string]bool{}
		for _, f := range all {
			s := f.supplier
			if seen[s.name] {
				continue
			}
			seen[s.name] = true
			b := baskets[s.name]
			b.Supplier, b.Country, b.id = s.name, s.country, s.id
			b.Items = append(b.Items, f.jsonItem)
			b.Goods += f.Sum
			b.Shipping = s.shipping
			if s.country != o.Customer.Country {
				b.Shipping *= 2
			}
			if b.Goods >= s.freeFrom {
				b.Shipping = 0
			}
			baskets[s.name] = b
		}
	}
	for _, b := range baskets {
		b.Missing = []int{}
		for i := range o.Lines {
			if !slices.ContainsFunc(b.Items, func(item jsonItem) bool { return item.Line == i }) {
				b.Missing = append(b.Missing, i)
			}
		}
		q.Baskets = append(q.Baskets, b)
	}
	sort.Slice(q.Baskets, func(i, j int) bool {
		x, y := q.Baskets[i], q.Baskets[j]
		if len(x.Items) != len(y.Items) {
			return len(x.Items) > len(y.Items)
		}
		if xs, ys := x.Goods+x.Shipping, y.Goods+y.Shipping; xs != ys {
			return xs < ys
		}
		return x.id < y.id
	})
	most := 5
	if o.Baskets != nil {
		most = *o.Baskets
	}
	q.Baskets = q.Baskets[:min(len(q.Baskets), most)]
	return encoded(t, q)
}

// encoded returns v as encoding/json writes it.
func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// post returns a request with an order.
func post(body io.Reader) *http.Request {
	r := httptest.NewRequest("POST", "/quote", body)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// oddOrder returns a random order with what randomOrder does not have.
func oddOrder(r *rand.Rand) []byte {
	var o map[string]any
	if err := json.Unmarshal(randomOrder(r, 1+r.IntN(12)), &o); err != nil {
		panic(err)
	}
	for _, l := range o["lines"].([]any) {
		line := l.(map[string]any)
		category := line["category"].(string)
		switch r.IntN(6) {
		case 0:
			line["words"] = line["words"].([]any)[:1]
		case 1:
			line["words"] = append(line["words"].([]any), line["words"].([]any)...)
		case 2:
			line["words"] = []any{"no such word"}
		case 3:
			line["category"] = category + "?"
		case 4:
			line["prefer"] = []string{}
			for range maxWords {
				line["prefer"] = append(line["prefer"].([]string), brandName(r.IntN(brands)))
			}
		}
	}
	if r.IntN(3) == 0 {
		o["baskets"] = 1 + r.IntN(maxBaskets)
	}
	if r.IntN(3) == 0 {
		o["customer"] = map[string]any{"id": "<é>\u2028\"\\\x01", "country": "DE"}
	}
	body, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return body
}

// ways returns the service in each way.
func ways(c *catalogue) map[string]http.Handler {
	h := newHandler(c)
	return map[string]http.Handler{onHeap: h, inArena: arenahttp.Middleware(h, arenahttp.Options{})}
}

// TestQuoteOracle compares the answers to random orders.
func TestQuoteOracle(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 2))
	c := newCatalogue(8000)
	for _, a := range c.articles {
		for i := range a.offers {
			// Many are equal.
			a.offers[i].price = 1000 + a.offers[i].price/2000
			a.offers[i].supplier = c.suppliers[a.offers[i].supplier.id/20]
		}
	}
	handlers := ways(c)
	items := 0
	for range 60 {
		body := oddOrder(r)
		want := oracle(t, c, body)
		items += bytes.Count(want, []byte(`"article"`))
		for way, h := range handlers {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, post(bytes.NewReader(body)))
			if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), want) {
				t.Fatalf("%s: status %d for %s\n%s\nwant\n%s", way, w.Code, body, w.Body, want)
			}
		}
	}
	if items < 100 {
		t.Errorf("the oracle has put %d items into baskets: too few to be a test", items)
	}
}

// TestItem compares all articles with encoding/json.
func TestItem(t *testing.T) {
	type offer struct {
		Supplier string `json:"supplier"`
		Price    int64  `json:"price"`
		Stock    int    `json:"stock"`
		Days     int    `json:"days"`
	}
	c := newCatalogue(100)
	for way, h := range ways(c) {
		for i, a := range c.articles {
			offers := []offer{}
			for _, o := range a.offers {
				offers = append(offers, offer{o.supplier.name, o.price, o.stock, o.days})
			}
			want := encoded(t, struct {
				ID       int     `json:"id"`
				Name     string  `json:"name"`
				Category string  `json:"category"`
				Offers   []offer `json:"offers"`
			}{i, a.name, a.category, offers})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", fmt.Sprint("/item/", i), nil))
			if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), want) {
				t.Errorf("%s: status %d, %s, want %s", way, w.Code, w.Body, want)
			}
		}
	}
}

// TestBadRequests looks for the status, and for an error that says what is wrong.
func TestBadRequests(t *testing.T) {
	line := `{"category":"c","words":["w"],"quantity":1}`
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/quote", ``, 400, `arenajson: the body is empty`},
		{"POST", "/quote", `{"lines":[` + line + `}`, 400, `invalid character '}' after array element`},
		{"POST", "/quote", `[]`, 422, `cannot unmarshal array into`},
		{"POST", "/quote", `{}`, 422, `lines: are 0, want 1 to 1000`},
		{"POST", "/quote", `{"lines":[]}`, 422, `lines: are 0, want 1 to 1000`},
		{"POST", "/quote", `{"lines":{}}`, 422, `cannot unmarshal object into`},
		{"POST", "/quote", `{"lines":[` + strings.Repeat(line+",", maxLines) + line + `]}`, 422, `lines: are 1001, want 1 to 1000`},
		{"POST", "/quote", `{"lines":[` + line + `,1]}`, 422, `cannot unmarshal number into`},
		{"POST", "/quote", `{"lines":[{"words":["w"],"quantity":1}]}`, 422, `line 0: category: is missing`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":[],"quantity":1}]}`, 422, `line 0: words: are 0, want 1 to 8`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":["w"]}]}`, 422, `line 0: quantity: is 0, want 1 to 1000000`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":["w"],"quantity":1000001}]}`, 422, `line 0: quantity: is 1000001, want 1 to 1000000`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":["w"],"quantity":1.0}]}`, 422, `cannot unmarshal number 1.0 into`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":["w",1],"quantity":1}]}`, 422, `cannot unmarshal number into`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":["1","2","3","4","5","6","7","8","9"],"quantity":1}]}`, 422, `line 0: words: are 9, want 1 to 8`},
		{"POST", "/quote", `{"lines":[` + line + `,{"category":"c","words":["w"],"quantity":1,"prefer":["1","2","3","4","5","6","7","8","9"]}]}`, 422, `line 1: prefer: are 9, want at most 8`},
		{"POST", "/quote", `{"lines":[{"category":"c","words":["w"],"quantity":1,"limit":-1}]}`, 422, `line 0: limit: is -1, want 0 or more`},
		{"POST", "/quote", `{"baskets":51,"lines":[` + line + `]}`, 422, `baskets: is 51, want 1 to 50`},
		{"POST", "/quote", `{"customer":{"tier":"tin"},"lines":[` + line + `]}`, 422, `tier: is \"tin\", want silver, gold or none`},
		{"POST", "/quote", strings.Repeat(" ", 1<<20+1), 413, `longer than 1048576 bytes`},
		{"POST", "/quote", `{"lines":[` + line + `]}`, 200, `{"customer":"","lines":[{"candidates":0,"best":null}],"baskets":[]}`},
		{"POST", "/quote", `{"customer":null,"baskets":null,"lines":[{"category":"c","words":["w"],"quantity":1,"limit":null}]}`, 200, `"baskets":[]`},
		{"GET", "/item/-1", ``, 404, `no such article`},
		{"GET", "/item/10", ``, 404, `no such article`},
		{"GET", "/item/x", ``, 404, `no such article`},
		{"GET", "/quote", ``, 405, `Method Not Allowed`},
	} {
		for way, h := range ways(newCatalogue(10)) {
			w := httptest.NewRecorder()
			request := post(strings.NewReader(test.body))
			request.Method, request.URL.Path = test.method, test.path
			h.ServeHTTP(w, request)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s: %s %.200s: status %d, %s, want %d, %s", way, test.path, test.body, w.Code, w.Body, test.status, test.want)
			}
			if w.Code != 405 && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s: %s is not JSON", way, w.Body)
			}
		}
	}
}

// TestConcurrentRequests asks different things at the same time, over the network, and
// compares all answers. Some orders come in chunks, and some requests are wrong.
func TestConcurrentRequests(t *testing.T) {
	c := newCatalogue(8000)
	type request struct {
		body []byte
		want []byte
	}
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 3))
	var requests []request
	for range 24 {
		body := oddOrder(r)
		requests = append(requests, request{body, oracle(t, c, body)})
	}
	var pool arena.Pool
	server := httptest.NewServer(arenahttp.Middleware(newHandler(c), arenahttp.Options{Pool: &pool}))
	defer server.Close()
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 30 {
				q := requests[(i*7+g*5)%len(requests)]
				var body io.Reader = bytes.NewReader(q.body)
				want, status := q.want, 200
				switch i % 5 {
				case 1:
					body = io.MultiReader(body) // of unknown length
				case 2:
					body, status = bytes.NewReader(q.body[:len(q.body)-1]), 400
					want = []byte(`{"error":"unexpected end of JSON input"}`)
				}
				response, err := server.Client().Post(server.URL+"/quote", "application/json", body)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != status || !bytes.Equal(got, want) {
					t.Errorf("status %d, %v, %s\nwant %d %s", response.StatusCode, err, got, status, want)
					return
				}
			}
		})
	}
	wait.Wait()
	server.Close() // waits for the handlers
	if s := pool.Stats(); s.Gets != 8*30 || s.Puts == 0 || s.Puts+s.Dropped != s.Gets || s.Allocated == 0 {
		t.Errorf("the pool has %+v", s)
	}
}

// mostAllocations is the most that a quote in an arena may allocate. Under the race detector arenas
// use no memory twice.
var mostAllocations = 200.0

// TestNothingOutsideTheArena counts what a quote asks the heap for, with what the recorder does.
func TestNothingOutsideTheArena(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // A collection empties pools.
	body := randomOrder(rand.New(rand.NewPCG(1, 1)), 100)
	allocations := map[string]float64{}
	for way, h := range ways(newCatalogue(20000)) {
		allocations[way] = testing.AllocsPerRun(20, func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, post(bytes.NewReader(body)))
			if w.Code != 200 {
				t.Fatal(w.Body)
			}
		})
	}
	if t.Log(allocations); allocations[onHeap] < 2000 || allocations[inArena] > mostAllocations {
		t.Errorf("%v allocations; want over 2000 on the heap, and next to none with an arena", allocations)
	}
}
