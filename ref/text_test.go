package ref_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/ref"
)

func ptr[T any](v T) *T { return &v }

// notText are values of all types that mean nothing without their Space.
func notText() []any {
	s := ref.In(arena.NewArena())
	r, _ := ref.New[int](s)
	slice, _ := ref.NewSlice[int](s, 3)
	var list ref.List[int]
	list.Append(s, 1, 2)
	set := func(m interface{ Set(ref.Space, int, int) }) any { m.Set(s, 1, 2); return m }
	setText := func(m interface{ Set(ref.Space, string, int) }) any { m.Set(s, "a", 2); return m }
	return []any{
		&s, &r, &slice, &list, ptr(ref.NewString(s, "abc")), ref.SlabOf[int](s),
		set(new(ref.Map[int, int])), setText(new(ref.TextMap[int])), set(new(ref.Tree[int, int])), setText(new(ref.TextTree[int])),
	}
}

// TestNotText proves that nobody who encodes or decodes a reference or the like by the packages of
// the standard library is left with nothing without an error.
func TestNotText(t *testing.T) {
	names := map[string]bool{}
	for _, p := range notText() {
		typ := reflect.TypeOf(p).Elem()
		name, _, _ := strings.Cut(typ.Name(), "[")
		names[name] = true
		v := reflect.ValueOf(p).Elem().Interface()
		field := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "N", Type: reflect.TypeFor[int]()}, {Name: "F", Type: typ}}))
		field.Elem().Field(1).Set(reflect.ValueOf(v))
		for _, v := range []any{p, v, field.Interface(), field.Elem().Interface(), []any{p}, map[string]any{"a": v}} {
			if text, err := json.Marshal(v); err == nil || !strings.Contains(err.Error(), "ref: a reference, a Space or a Slab") {
				t.Errorf("JSON of a %T: %s, %v", v, text, err)
			}
			if _, ok := v.(map[string]any); !ok {
				if text, err := xml.Marshal(v); err == nil {
					t.Errorf("XML of a %T: %s", v, text)
				}
			}
			if err := gob.NewEncoder(new(bytes.Buffer)).Encode(v); err == nil {
				t.Errorf("gob of a %T", v)
			}
		}
		for _, text := range []string{"{}", `"abc"`, "7", "[]"} {
			if err := json.Unmarshal([]byte(text), reflect.New(typ).Interface()); err == nil {
				t.Errorf("a %v from JSON, %s: %v", typ, text, err)
			}
		}
		if err := xml.Unmarshal([]byte("<a>abc</a>"), reflect.New(typ).Interface()); err == nil {
			t.Errorf("a %v from XML", typ)
		}
	}

	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() && !names[s.Name.Name] {
				if _, ok := s.Type.(*ast.StructType); ok {
					t.Errorf("%s is not tried", s.Name.Name)
				}
			}
			return true
		})
	}
}
