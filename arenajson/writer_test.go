package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/arena-go/arena/arenajson"
)

// A writer writes documents for types, most of them right.
type writer struct {
	r     *rand.Rand
	wrong int // one value in wrong is of another type; 0 for none
	b     []byte

	name    [2]int   // where the last name of a member is, between its quotes
	exact   bool     // where a value is of another type, it has no members
	inexact [][2]int // where names of members are not exactly a field's, unless a method decodes them
	custom  int      // how many methods decode what is written
}

func (w *writer) space() {
	for w.r.IntN(12) == 0 {
		w.b = append(w.b, " \n\t\r"[w.r.IntN(4)])
		if w.r.IntN(4) == 0 {
			w.b = append(w.b, "                         "[:w.r.IntN(25)]...)
		}
	}
}

func (w *writer) string(s string) {
	w.b = append(w.b, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\' || c < ' ':
			w.b = fmt.Appendf(w.b, `\u%04x`, c)
		case c < 0x80 && w.r.IntN(40) == 0:
			w.b = fmt.Appendf(w.b, `\u%04X`, c)
		default:
			w.b = append(w.b, c)
		}
	}
	w.b = append(w.b, '"')
}

var texts = []string{"", "a", "x7", "hello", "é", "日本語", "\xff", "a\xc3", "\xed\xa0\x80", "longer text with \" and \\ in it", "tab\there", "1", "-5", "300", "1.5", "true", "null", "😀", "2020-01-02T03:04:05Z", "2020-01-02T03:04:05.678+01:00",
	"aGVsbG8=", "aGVsbG8", "AAAA", "not base64!", "10.0.0.1", "10.0.0.0/8", "::1", "exactly8", "sixteencharacter", "more than sixteen characters", "K", "ſ", "\u2028"}

func (w *writer) text() {
	if w.r.IntN(12) == 0 {
		w.b = append(w.b, []string{`"\ud83d\ude00"`, `"\ud800"`, `"\udc00\ud800x"`, `"\n\t\b\f\r\/\\\""`, `"\u00e9\u0000"`, `"\""`, `"a\u0041"`, `"\ud83d\n"`, `"\"quoted\""`, `"\"\\u0041\""`}[w.r.IntN(10)]...)
		return
	}
	w.string(texts[w.r.IntN(len(texts))])
}

var numbers = []string{"0", "-0", "1", "7", "-1", "42", "127", "128", "-128", "-129", "255", "256", "300", "32768", "65536", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
	"1.5", "-2.25", "1e3", "1E-2", "1e400", "1e39", "3.141592653589793", "0.1", "123456789.123456789", "1e-400", "12345678901234567890"}

// any writes any value.
func (w *writer) any(depth int) {
	w.space()
	switch k := w.r.IntN(9); {
	case k == 0:
		w.b = append(w.b, "null"...)
	case k == 1:
		w.b = append(w.b, "true"...)
	case k == 2:
		w.b = append(w.b, "false"...)
	case k < 5 || depth <= 0 && k < 7:
		w.b = append(w.b, numbers[w.r.IntN(len(numbers))]...)
	case k < 7 || depth <= 0:
		w.text()
	case k == 7:
		w.list(w.r.IntN(5), '[', ']', func(int) { w.any(depth - 1) })
	default:
		w.list(w.r.IntN(5), '{', '}', func(int) { w.member(texts[w.r.IntN(len(texts))], func() { w.any(depth - 1) }) })
	}
	w.space()
}

func (w *writer) list(n int, open, end byte, elem func(i int)) {
	w.b = append(w.b, open)
	w.space()
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		elem(i)
	}
	w.b = append(w.b, end)
}

func (w *writer) member(name string, value func()) {
	w.space()
	start := len(w.b) + 1
	w.string(name)
	w.name = [2]int{start, len(w.b) - 1}
	w.space()
	w.b = append(w.b, ':')
	value()
	w.space()
}

// value writes a value for t.
func (w *writer) value(t reflect.Type, depth int) {
	if m, ok := arenajson.GoMapOf(t); ok {
		t = m
	}
	if w.wrong > 0 && w.r.IntN(w.wrong) == 0 {
		if w.exact {
			w.text()
		} else {
			w.any(2)
		}
		return
	}
	if decodesItself(t) {
		w.custom++
		defer func() { w.custom-- }()
	}
	w.space()
	defer w.space()
	if w.r.IntN(25) == 0 {
		w.b = append(w.b, "null"...)
		return
	}
	switch t {
	case reflect.TypeFor[json.Number]():
		w.b = append(w.b, numbers[w.r.IntN(len(numbers))]...)
		return
	case reflect.TypeFor[time.Time]():
		w.string(fmt.Sprintf("20%02d-0%d-1%dT0%d:00:00Z", w.r.IntN(100), 1+w.r.IntN(9), w.r.IntN(10), w.r.IntN(10)))
		return
	case reflect.TypeFor[netip.Addr]():
		w.string("10.0.0." + strconv.Itoa(w.r.IntN(256)))
		return
	case reflect.TypeFor[netip.Prefix]():
		w.string("10.0.0.0/" + strconv.Itoa(w.r.IntN(33)))
		return
	case reflect.TypeFor[big.Int]():
		w.b = strconv.AppendInt(w.b, w.r.Int64(), 10)
		return
	case reflect.TypeFor[textLog]():
		w.text()
		return
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[callLog](), reflect.TypeFor[valueMethod]():
		w.any(2)
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		w.b = strconv.AppendBool(w.b, w.r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.b = strconv.AppendInt(w.b, int64(w.r.Uint64())>>(64-t.Bits()+w.r.IntN(t.Bits())), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.b = strconv.AppendUint(w.b, w.r.Uint64()>>(64-t.Bits()+w.r.IntN(t.Bits())), 10)
	case reflect.Float32, reflect.Float64:
		w.b = strconv.AppendFloat(w.b, w.r.NormFloat64()*1000, 'g', w.r.IntN(19)-1, 64)
		if s := string(w.b); strings.Contains(s[max(0, len(s)-6):], "e+") && w.r.IntN(2) == 0 {
			return
		}
	case reflect.String:
		w.text()
	case reflect.Pointer:
		w.value(t.Elem(), depth)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice && w.r.IntN(2) == 0 {
			w.string([]string{"", "aGVsbG8=", "AAAA", "aGVs\nbG8="}[w.r.IntN(4)])
			return
		}
		n := w.r.IntN(5)
		if w.r.IntN(20) == 0 {
			n = w.r.IntN(40)
		}
		if depth < 0 {
			n = 0
		}
		w.list(n, '[', ']', func(int) { w.value(t.Elem(), depth-1) })
	case reflect.Map:
		n := w.r.IntN(4)
		if w.r.IntN(20) == 0 {
			n = w.r.IntN(60)
		}
		if depth < 0 {
			n = 0
		}
		w.list(n, '{', '}', func(int) {
			name := texts[w.r.IntN(len(texts))]
			if t.Key().Kind() != reflect.String || w.r.IntN(2) == 0 {
				name = strconv.Itoa(w.r.IntN(100))
			}
			w.member(name, func() { w.value(t.Elem(), depth-1) })
		})
	case reflect.Struct:
		w.object(t, depth)
	default:
		w.any(2)
	}
}

// object writes an object for a struct: its members in this or another order, some twice, some with
// other names.
func (w *writer) object(t reflect.Type, depth int) {
	type member struct {
		name string
		typ  reflect.Type
	}
	var all []member
	count, embeds := map[string]int{}, false
	var collect func(t reflect.Type, depth int)
	collect = func(t reflect.Type, depth int) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous && depth < 3 {
				e := f.Type
				if e.Kind() == reflect.Pointer {
					e = e.Elem()
				}
				if e.Kind() == reflect.Struct {
					embeds = true
					collect(e, depth+1)
				}
			}
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			typ := f.Type
			if strings.Contains(opts, "string") && w.r.IntN(4) > 0 {
				typ = reflect.TypeFor[quotedValue]()
			}
			if f.Tag.Get("json") != "-" {
				count[name]++
			}
			all = append(all, member{name, typ})
		}
	}
	collect(t, 0)
	if w.r.IntN(3) == 0 {
		w.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	for w.r.IntN(4) == 0 && len(all) > 0 {
		all = append(all, all[w.r.IntN(len(all))])
	}
	n := len(all)
	if depth < 0 {
		n = 0
	}
	if w.r.IntN(6) == 0 {
		n = w.r.IntN(n + 1)
	}
	w.list(n, '{', '}', func(i int) {
		m := all[i]
		switch w.r.IntN(15) {
		case 0:
			m.name = strings.ToLower(m.name)
		case 1:
			m.name = strings.ToUpper(m.name)
		case 2:
			m = member{texts[w.r.IntN(len(texts))], reflect.TypeFor[any]()}
		case 3:
			m.name = strings.Replace(m.name, "K", "\u212a", 1)
		}
		if w.exact && m.name != all[i].name && count[m.name] > 0 {
			m = all[i] // the value would be one for the type of another field
		}
		w.member(m.name, func() {
			if n := count[m.name]; w.custom == 0 && n != 1 && !(embeds && n > 1) {
				w.inexact = append(w.inexact, w.name)
			}
			if m.typ == reflect.TypeFor[quotedValue]() {
				w.space()
				w.string([]string{"1", "-5", "true", "false", "1.5", "null", `"x"`, `"a\"b"`, "+5", "1e2", "", "007", " 1", "x", `"é\u00e9"`, "12345678901234567890"}[w.r.IntN(16)])
				return
			}
			w.value(m.typ, depth-1)
		})
	})
}

type quotedValue struct{}

// decodesItself tells whether t has a method that decodes it.
func decodesItself(t reflect.Type) bool {
	for _, name := range []string{"UnmarshalJSON", "UnmarshalText", "UnmarshalJSONFrom"} {
		if _, ok := reflect.PointerTo(t).MethodByName(name); ok {
			return true
		}
	}
	return false
}

// damages are bytes that may break a document.
const damages = "{}[],:\"\\0123456789-+.eEtruefalsn \x00\x1f\x7f\xff"

// document returns a document for t.
func document(r *rand.Rand, t reflect.Type) []byte {
	w := writer{r: r}
	switch r.IntN(4) {
	case 0:
		w.wrong = 6
	case 1:
		w.wrong = 40
	}
	w.value(t, 3)
	b := w.b
	if r.IntN(6) > 0 {
		return b
	}
	for range 1 + r.IntN(3) { // damage
		if len(b) == 0 {
			break
		}
		i := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b = b[:i]
		case 1:
			b[i] = damages[r.IntN(len(damages))]
		case 2:
			b = append(b[:i:i], b[i+1:]...)
		case 3:
			b = append(b[:i:i], append([]byte{damages[r.IntN(len(damages))]}, b[i:]...)...)
		case 4:
			b = append(b, b[i:]...)
		case 5:
			j := i + r.IntN(len(b)-i)
			b = append(b[:i:i], b[j:]...)
		}
	}
	return b
}
