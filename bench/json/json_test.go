package json

import (
	"bytes"
	std "encoding/json"
	"reflect"
	"testing"

	"github.com/arena-go/arena/internal/testrun"
)

// TestCodecs decodes and encodes each document with each codec, into its type and into an any.
func TestCodecs(t *testing.T) {
	for _, d := range documents {
		if why := d.missing(); why != "" {
			t.Errorf("%s: there is no %s", d.name, why)
			continue
		}
		data := d.data()
		if !testrun.Long() && len(data) > 100_000 {
			continue
		}
		values := []func() any{d.value}
		if d.any {
			values = append(values, func() any { return new(any) })
		}
		for _, value := range values {
			v := value()
			check(std.Unmarshal(data, v))
			text := must(std.Marshal(v))
			want := digest(digest(0, text), text)
			for _, c := range codecs {
				if c.only != nil && !c.only(v) {
					continue
				}
				if c.missing != "" {
					t.Logf("without %s: it needs %s", c.name, c.missing)
					continue
				}
				c, name := c.open(), c.name
				if got := decodedSum(c, data, value); got != want {
					t.Errorf("%s into a %T by %s: not what encoding/json makes", d.name, v, name)
				}
				if c.encode == nil {
					continue
				}
				if got := encodedSum(c, v, value); got != want {
					t.Errorf("a %T of %s by %s: not what encoding/json makes", v, d.name, name)
				}
			}
		}
	}
}

// TestTypes sees that the types have all that is in the documents: what is decoded and encoded has
// as many fields with something in them.
func TestTypes(t *testing.T) {
	for _, d := range documents {
		data := d.data()
		decoder := std.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(d.value()); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
	}
}

// TestWorkloads runs a quick workload of each sort, and sees that all make the same.
func TestWorkloads(t *testing.T) {
	seen, ran := map[string]bool{}, 0
	for _, w := range Workloads() {
		if seen[w.Name] {
			t.Errorf("there are two workloads %s", w.Name)
		}
		seen[w.Name] = true
		if w.Name != "json-orders-1kB" && w.Name != "json-encode-orders-maps-25kB" {
			continue
		}
		ran++
		var want uint64
		for k, i := range w.Implementations {
			if !i.Here() {
				t.Logf("without %s: it needs %s", i.Name, i.Missing)
				continue
			}
			r := i.Run(2, 0)
			if k == 0 {
				want = r.Check
			}
			if r.Check != want || want == 0 || r.Rounds == 0 || r.CPU < 0 {
				t.Errorf("%s by %s: %+v, where the check should be %d", w.Name, i.Name, r, want)
			}
		}
	}
	if ran != 2 {
		t.Errorf("%d workloads ran", ran)
	}
}

// TestRemake sees that the bound makes all maps of a document, of the types that there are.
func TestRemake(t *testing.T) {
	for name, want := range map[string]int{"orders-maps-1kB": 4, "citm": 10, "twitter": 0} {
		for _, d := range documents {
			if d.name != name {
				continue
			}
			v := d.value()
			check(std.Unmarshal(d.data(), v))
			all := mapsIn(nil, reflect.ValueOf(v))
			if len(all) != want {
				t.Errorf("%s has %d maps, not %d", name, len(all), want)
			}
			for _, again := range all {
				again()
			}
		}
	}
	v := new(any)
	check(std.Unmarshal([]byte(`{"a":[{"b":{}},{}]}`), v))
	if n := len(mapsIn(nil, reflect.ValueOf(v))); n != 4 {
		t.Errorf("an any with four maps has %d", n)
	}
}

// TestByHand sees that the encoder by hand makes the same as encoding/json, where no text has
// escapes, and that there is one for each any.
func TestByHand(t *testing.T) {
	for _, d := range documents {
		values := map[bool]func() any{true: func() any { return new(any) }, false: d.value}
		for anything, value := range values {
			if d.missing() != "" || !d.hasByHand(anything) {
				continue
			}
			v := value()
			check(std.Unmarshal(d.data(), v))
			got := new(handEncoder).encode(v)
			var text bytes.Buffer
			e := std.NewEncoder(&text)
			e.SetEscapeHTML(false)
			check(e.Encode(v))
			want := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
			if bytes.IndexByte(want, '\\') >= 0 {
				got, want = got[:1], want[:1] // It makes no JSON, but does not fail.
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, any %v: not what encoding/json makes", d.name, anything)
			}
		}
	}
}

// TestChecks sees what the checks find of decoders about which it is known, and of one that checks
// nothing.
func TestChecks(t *testing.T) {
	careless := func() codec {
		return codec{decode: func(data []byte, v any) error {
			switch v := v.(type) {
			case *checked:
				v.A = string(data)
			case *[]string:
				all := string(data)
				*v = []string{all[:10], all[10:20]}
			}
			return nil
		}, done: func() {}}
	}
	for _, test := range []struct {
		name             string
		open             func() codec
		utf8, rest       float64
		pinned, pinnedTo float64
	}{
		{"encoding-json", codecs[0].open, 100, 100, 0, 100_000},
		{"arenajson-reset", reset, 100, 100, 100_000, 300_000}, // a chunk of the arena
		{"arenajson-nil", codecs[len(codecs)-1].open, 100, 100, 0, 100_000},
		{"careless", careless, 0, 0, 900_000, 2_000_000},
	} {
		found := find(test.open)
		t.Log(test.name, found)
		for _, v := range Checks {
			from, to := test.rest, test.rest
			switch v.Name {
			case "UTF-8":
				from, to = test.utf8, test.utf8
			case "pinned":
				from, to = test.pinned, test.pinnedTo
			}
			if got, ok := found[v.Name]; !ok || got < from || got > to {
				t.Errorf("%s, %s: %v, not from %v to %v", test.name, v.Name, got, from, to)
			}
		}
	}
}
