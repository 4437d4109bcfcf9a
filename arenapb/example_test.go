package arenapb_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenahttp"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/arenapb/profilepb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

func Example() {
	input, err := proto.Marshal(&profilepb.Profile{StringTable: []string{"", "cpu", "nanoseconds"}, Period: 10_000_000})
	if err != nil {
		panic(err)
	}

	a := arena.NewArena()
	for range 3 {
		p := arenapb.New[profilepb.Profile](a)
		if err := arenapb.Unmarshal(a, input, p); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.StringTable[1], p.Period)
		a.Reset() // p is stale from here on
	}
	// Output:
	// cpu 10000000
	// cpu 10000000
	// cpu 10000000
}

func ExampleUnmarshalJSON() {
	inputs := []string{`{"stringTable": ["", "cpu", "nanoseconds"], "period": "10000000"}`, `{"periods": 1}`}

	a := arena.NewArena()
	for _, input := range inputs {
		p := arenapb.New[profilepb.Profile](a)
		if err := arenapb.UnmarshalJSON(a, []byte(input), p); err != nil {
			fmt.Println("there is an error, that of protojson.Unmarshal")
			return
		}
		fmt.Println(p.StringTable[1], p.Period)
		a.Reset() // p is stale from here on
	}
	// Output:
	// cpu 10000000
	// there is an error, that of protojson.Unmarshal
}

func ExampleUnmarshalJSONOptions_Unmarshal() {
	a := arena.NewArena()
	o := arenapb.UnmarshalJSONOptions{DiscardUnknown: true} // as receivers of OTLP/JSON must
	p := arenapb.New[profilepb.Profile](a)
	err := o.Unmarshal(a, []byte(`{"period": 7, "fieldOfTheNextVersion": {}}`), p)
	fmt.Println(p.Period, err)
	a.Reset()
	// Output: 7 <nil>
}

func ExampleJSONFallbacks() {
	for _, s := range arenapb.JSONFallbacks(new(anypb.Any)) {
		fmt.Println(s)
	}
	// Output: google.protobuf.Any: messages of this type are left to package protojson
}

func ExampleClone() {
	a := arena.NewArena()
	p := arenapb.New[profilepb.Profile](a)
	input, err := proto.Marshal(&profilepb.Profile{StringTable: []string{"", "main.main"}})
	if err == nil {
		err = arenapb.Unmarshal(a, input, p)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	kept, err := arenapb.Clone(p)
	a.Reset()
	fmt.Println(kept.StringTable[1], err)
	// Output: main.main <nil>
}

// A handler reads a message into the arena of its request, and answers with one that it encodes
// there.
func ExampleRead() {
	handler := func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		p := arenapb.New[profilepb.Profile](a)
		if err := arenapb.Read(r, p); err != nil {
			status := http.StatusInternalServerError
			var e *arenapb.RequestError
			if errors.As(err, &e) {
				status = e.Status
			}
			http.Error(w, err.Error(), status)
			return
		}
		p.StringTable = arena.Append(a, p.StringTable, "seen")
		b, err := arenapb.Marshal(a, p)
		if err != nil {
			http.Error(w, "cannot be encoded", http.StatusInternalServerError)
			return
		}
		w.Write(b) // which keeps nothing of b
	}
	server := arenahttp.Middleware(http.HandlerFunc(handler), arenahttp.Options{Limit: 64 << 20})

	for _, body := range []string{"\x32\x05hello", "\x32\x05hell"} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-protobuf")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		fmt.Printf("%d %q\n", w.Code, w.Body.String()[:6])
	}
	// Output:
	// 200 "2\x05hell"
	// 400 "proto:"
}

// Two messages, one after the other, each after its length.
func ExampleMarshalAppend() {
	a := arena.NewArena()
	defer a.Free()
	var b []byte
	for _, text := range []string{"one", "three"} {
		p := &profilepb.Profile{StringTable: []string{text}}
		b = arena.Append(a, b, byte(proto.Size(p)))
		var err error
		if b, err = arenapb.MarshalAppend(a, b, p); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%q\n", b)
	// Output: "\x052\x03one\a2\x05three"
}
