package scopes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"iter"
	"log"
	"math"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"
	"unique"
	"unsafe"
	"weak"
)

// What the standard library keeps, returns, or gives to others.

// Errors that have in them what a function was given.

func PathError(text string) error { // returned
	n, _ := Parse(text)
	_, err := os.ReadFile(n.Children[0].Name)
	return err
}

func PathOf(text string) string { // returned
	n, _ := Parse(text)
	return (&fs.PathError{Op: "open", Path: n.Children[0].Name, Err: fs.ErrNotExist}).Path
}

func FileName(text string) string { // returned
	n, _ := Parse(text)
	f, err := os.Open(n.Children[0].Name)
	if err != nil {
		return ""
	}
	return f.Name()
}

func LinkError(text string) error { // returned
	n, _ := Parse(text)
	return os.Symlink(n.Children[0].Name, n.Children[0].Name)
}

func NumError(text string) error { // proved
	n, _ := Parse(text)
	_, err := strconv.Atoi(n.Children[0].Name)
	return err
}

type measure struct {
	At *float64
	N  *Node
}

func Unsupported(text string) any { // unknown: not known
	n, _ := Parse(text)
	nan := math.NaN()
	m := &measure{At: &nan, N: n}
	_, err := json.Marshal(m)
	if e, ok := err.(*json.UnsupportedValueError); ok {
		return e.Value.Interface()
	}
	return nil
}

func JSONError(text string) error { // returned
	n, _ := Parse(text)
	_, err := json.Marshal(n)
	return err
}

func JSONText(text string) string { // proved
	n, _ := Parse(text)
	b, err := json.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

type badJSON struct{ n *Node }

func (b badJSON) MarshalJSON() ([]byte, error) { return nil, &badNode{b.n} }

func MarshalerError(text string) error { // returned
	n, _ := Parse(text)
	_, err := json.Marshal(badJSON{n})
	if e, ok := err.(*json.MarshalerError); ok {
		return e.Err
	}
	return nil
}

type badWriter struct{ n *Node }

func (w badWriter) Write([]byte) (int, error) { return 0, &badNode{w.n} }

func WriteError(text string) error { // returned
	n, _ := Parse(text)
	_, err := fmt.Fprint(badWriter{n}, "text")
	return err
}

func Unwrapped(text string) error { // returned
	n, _ := Parse(text)
	return errors.Unwrap(fmt.Errorf("wrapped: %w", &badNode{n}))
}

func UnwrappedAll(text string) error { // returned
	n, _ := Parse(text)
	err := fmt.Errorf("wrapped: %w, %w", errDepth, &badNode{n})
	return err.(interface{ Unwrap() []error }).Unwrap()[1]
}

func JoinedErrors(text string) error { // returned
	n, _ := Parse(text)
	return errors.Join(errDepth, &badNode{n})
}

func PrintedError(text string) string { // proved
	n, _ := Parse(text)
	return fmt.Errorf("wrapped: %w", &badNode{n}).Error() + "."
}

// Methods that a function calls.

type keepingWriter struct{ n *Node }

func (w *keepingWriter) Write(b []byte) (int, error) {
	last = w.n
	return len(b), nil
}

func Fprint(text string) { // unknown: older
	n, _ := Parse(text)
	fmt.Fprint(&keepingWriter{n}, "text")
}

func Logger(text string) { // unknown
	n, _ := Parse(text)
	log.New(&keepingWriter{n}, "", 0).Print("text")
}

func LogOperand(text string) { // unknown: older
	n, _ := Parse(text)
	log.Print(stringer{n})
}

type formatter struct{ n *Node }

func (f formatter) Format(fmt.State, rune) { last = f.n }

func Format(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprintf("%d", formatter{n})
}

type gopher struct{ n *Node }

func (g *gopher) GoString() string { last = g.n; return "" }

func GoString(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprintf("%#v", &gopher{n})
}

type keepingError struct{ n *Node }

func (e keepingError) Error() string { last = e.n; return "" }

func ErrorMethod(text string) error { // unknown: older
	n, _ := Parse(text)
	return fmt.Errorf("%v", keepingError{n})
}

func InPathError(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprint(&fs.PathError{Op: "open", Path: "x", Err: keepingError{n}})
}

func FuncString(text string) string { // unknown
	n, _ := Parse(text)
	return fmt.Sprint(expvar.Func(func() any { last = n; return nil }))
}

type key string

func (k key) String() string { names[string(k)] = true; return "" }

func MapKey(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprint(map[key]int{key(n.Children[0].Name): 1})
}

func MapValue(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprint(map[string]stringer{"a": {n}})
}

func MapInField(text string) string { // unknown: older
	n, _ := Parse(text)
	m := map[int]map[string]stringer{1: {"a": {n}}}
	return fmt.Sprint(&struct{ M map[int]map[string]stringer }{m})
}

type embeds struct{ fmt.Stringer }

func Embedded(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprint(embeds{stringer{n}})
}

type nodes []*Node

func (l nodes) String() string { last = l[0]; return "" }

func NamedSlice(text string) string { // unknown: older
	n, _ := Parse(text)
	return fmt.Sprint(nodes(n.Children))
}

func AppendFormat(text string) []byte { // unknown: older
	n, _ := Parse(text)
	return fmt.Append(nil, stringer{n})
}

func AppendReturns(text string) []byte { // returned
	n, _ := Parse(text)
	b := unsafe.Slice(unsafe.StringData(n.Children[0].Name), len(n.Children[0].Name))
	return fmt.Append(b)
}

type marshaler struct{ N *Node }

func (m marshaler) MarshalJSON() ([]byte, error) { last = m.N; return []byte("1"), nil }

func MarshalJSON(text string) { // unknown: older
	n, _ := Parse(text)
	json.Marshal(struct{ M marshaler }{marshaler{n}})
}

type texter struct{ n *Node }

func (t texter) MarshalText() ([]byte, error) { last = t.n; return nil, nil }

func MarshalText(text string) { // unknown: older
	n, _ := Parse(text)
	json.MarshalIndent(map[string]any{"a": texter{n}}, "", " ")
}

func MarshalKey(text string) { // unknown: older
	n, _ := Parse(text)
	json.Marshal(map[texter]int{{n}: 1})
}

type zero struct{ n *Node }

func (z zero) IsZero() bool { last = z.n; return true }

func IsZero(text string) { // unknown: older
	n, _ := Parse(text)
	json.Marshal(struct {
		Z zero `json:",omitzero"`
	}{zero{n}})
}

func Encoder(text string, w io.Writer) { // unknown
	n, _ := Parse(text)
	json.NewEncoder(w).Encode(marshaler{n})
}

func Template(text string, w io.Writer) { // unknown
	n, _ := Parse(text)
	template.Must(template.New("").Parse("{{.Text}}")).Execute(w, n)
}

func Reflected(text string) { // unknown: not known
	n, _ := Parse(text)
	reflect.ValueOf(&last).Elem().Set(reflect.ValueOf(n))
}

type runes struct{ n *Node }

func (r *runes) ReadRune() (rune, int, error) { last = r.n; return 0, 0, io.EOF }

func MatchReader(text string, re *regexp.Regexp) bool { // unknown
	n, _ := Parse(text)
	return re.MatchReader(&runes{n})
}

type stringWriter struct{ parts []string }

func (w *stringWriter) WriteString(s string) (int, error) {
	w.parts = append(w.parts, s)
	return len(s), nil
}
func (w *stringWriter) Write(b []byte) (int, error) { return len(b), nil }

func ReplacerWriter(text string, w *stringWriter) { // unknown: WriteString
	n, _ := Parse(text)
	strings.NewReplacer("a", "b").WriteString(w, n.Children[0].Name)
}

func Buffered(text string, w *bufio.Writer) { // unknown
	n, _ := Parse(text)
	w.WriteString(n.Children[0].Name) // of w.Reset(&stringWriter{}), if it is long
}

func WriteString(text string, w io.Writer) { // unknown: not known
	n, _ := Parse(text)
	io.WriteString(w, n.Children[0].Name)
}

// Functions that a function calls.

func Replaced(text string, re *regexp.Regexp) { // unknown: older
	n, _ := Parse(text)
	re.ReplaceAllStringFunc(n.Children[0].Name, func(s string) string {
		names[s] = true
		return s
	})
}

func FileSet(text string, set *token.FileSet) { // unknown: older
	n, _ := Parse(text)
	set.Write(func(any) error { last = n; return nil })
}

func Mapped(text string) { // unknown: older
	n, _ := Parse(text)
	_ = slices.IndexFunc(n.Children, func(c *Node) bool { last = c; return true })
}

func Fields(text string) { // unknown: older
	n, _ := Parse(text)
	strings.SplitSeq(n.Children[0].Name, ".")(func(s string) bool { names[s] = true; return true })
}

func OnceValue(text string) func() *Node { // returned
	n, _ := Parse(text)
	return sync.OnceValue(func() *Node { return n })
}

func OncePanic(text string) (name string) { // returned
	n, _ := Parse(text)
	defer func() { name = recover().(*Node).Children[0].Name }()
	sync.OnceFunc(func() { panic(n) })()
	return ""
}

func Pulled(text string) { // unknown
	n, _ := Parse(text)
	next, stop := iter.Pull(slices.Values(n.Children))
	defer stop()
	last, _ = next()
}

// Results that are operands, or parts of them.

func Found(text string, re *regexp.Regexp) string { // returned
	n, _ := Parse(text)
	return re.FindString(n.Children[0].Name)
}

func FoundAll(text string, re *regexp.Regexp) [][]string { // returned
	n, _ := Parse(text)
	return re.FindAllStringSubmatch(n.Children[0].Name, -1)
}

func FoundFirst(text string, re *regexp.Regexp) string { // returned
	n, _ := Parse(text)
	return re.FindAllStringSubmatch(n.Children[0].Name, -1)[0][1]
}

func NotReplaced(text string, r *strings.Replacer) string { // returned
	n, _ := Parse(text)
	return r.Replace(n.Children[0].Name)
}

func Bytewise(text string) []byte { // returned
	n, _ := Parse(text)
	b := unsafe.Slice(unsafe.StringData(n.Children[0].Name), len(n.Children[0].Name))
	return utf8.AppendRune(b, 'x')
}

func Digits(text string) []byte { // returned
	n, _ := Parse(text)
	b := unsafe.Slice(unsafe.StringData(n.Children[0].Name), len(n.Children[0].Name))
	return strconv.AppendInt(b, 1, 10)
}

func Trimmed(text string) string { // returned
	n, _ := Parse(text)
	s, _, _ := strings.Cut(strings.ToLower(n.Children[0].Name), ".")
	return s
}

func Scanned(text string) string { // proved
	n, _ := Parse(text)
	s := bufio.NewScanner(strings.NewReader(n.Children[0].Name))
	s.Scan()
	return s.Text()
}

func BufferBytes(text string) []byte { // returned
	n, _ := Parse(text)
	b := unsafe.Slice(unsafe.StringData(n.Children[0].Name), len(n.Children[0].Name))
	return bytes.NewBuffer(b).Bytes()
}

// Caches, pools, and what runs later.

var shared sync.Map

func SyncMap(text string) { // unknown
	n, _ := Parse(text)
	shared.Store(1, n)
}

func SyncMapKey(text string) { // unknown
	n, _ := Parse(text)
	shared.LoadOrStore(n.Children[0].Name, 1)
}

func LocalPool(text string) *Node { // unknown
	n, _ := Parse(text)
	var p sync.Pool
	p.Put(n)
	return p.Get().(*Node)
}

func Setenv(text string) { // unknown
	n, _ := Parse(text)
	os.Setenv(n.Children[0].Name, "x")
}

func Published(text string) { // unknown
	n, _ := Parse(text)
	expvar.Publish(n.Children[0].Name, new(expvar.Int))
}

func Finalizer(text string) { // unknown: not known
	n, _ := Parse(text)
	runtime.SetFinalizer(&holder{n}, func(h *holder) { total += len(h.n.Name) })
}

type holder struct{ n *Node }

func Cleanup(text string) { // unknown: not known
	n, _ := Parse(text)
	runtime.AddCleanup(new(int), func(n *Node) { total += len(n.Name) }, n)
}

func Weak(text string) weak.Pointer[Node] { // unknown
	n, _ := Parse(text)
	return weak.Make(n)
}

func Unique(text string) unique.Handle[*Node] { // unknown
	n, _ := Parse(text)
	return unique.Make(n)
}

func WaitGroup(text string) { // unknown
	n, _ := Parse(text)
	var wg sync.WaitGroup
	wg.Go(func() { last = n })
	wg.Wait()
}
