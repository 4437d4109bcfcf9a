package heapdump

import (
	"debug/dwarf"
	"math"
	"strings"
)

// Attributes that only Go has.
const (
	attrKind          = dwarf.Attr(0x2900)
	attrElem          = dwarf.Attr(0x2902)
	attrClosureOffset = dwarf.Attr(0x2907)
)

// Kinds of types, as package reflect numbers them.
const (
	kindArray         = 17
	kindChan          = 18
	kindFunc          = 19
	kindInterface     = 20
	kindMap           = 21
	kindPointer       = 22
	kindSlice         = 23
	kindString        = 24
	kindStruct        = 25
	kindUnsafePointer = 26
)

// A typ is a type of the program.
type typ struct {
	name   string
	kind   int64
	size   int64
	elem   dwarf.Offset // what a pointer points to, and of what an array, slice or channel is
	to     dwarf.Offset // what a typedef, map or channel is made of
	fields []field
	empty  bool // an interface without methods
}

type field struct {
	name string
	off  int64
	typ  dwarf.Offset
}

// debugInfo finds types and variables by name.
type debugInfo struct {
	data    *dwarf.Data
	types   map[string]dwarf.Offset // by name
	short   map[string]dwarf.Offset // by the name without directories, 0 if several have it
	globals map[string]dwarf.Offset // the type
	funcs   map[string]function
	cache   map[dwarf.Offset]*typ
	word    int64
}

// A function is where a function and its unit are.
type function struct{ off, unit dwarf.Offset }

func newDebugInfo(d *dwarf.Data, word int64) (*debugInfo, error) {
	t := &debugInfo{data: d, word: word, types: map[string]dwarf.Offset{}, short: map[string]dwarf.Offset{},
		globals: map[string]dwarf.Offset{}, funcs: map[string]function{}, cache: map[dwarf.Offset]*typ{}}
	r := d.Reader()
	depth := 0
	var unit dwarf.Offset
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			for name, o := range t.types {
				s := short(name)
				if _, ok := t.short[s]; ok {
					o = 0
				}
				t.short[s] = o
			}
			return t, nil
		}
		if e.Tag == 0 {
			depth = max(depth-1, 0)
			continue
		}
		if e.Tag == dwarf.TagCompileUnit {
			depth, unit = 0, e.Offset
		}
		if depth == 1 {
			name, _ := e.Val(dwarf.AttrName).(string)
			switch e.Tag {
			case dwarf.TagVariable:
				if o, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
					t.globals[name] = o
				}
			case dwarf.TagSubprogram:
				if o, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && name == "" {
					if to := t.entry(o); to != nil {
						name, _ = to.Val(dwarf.AttrName).(string)
					}
				}
				if _, abstract := e.Val(dwarf.AttrInline).(int64); name != "" && !abstract {
					t.funcs[name] = function{e.Offset, unit}
				} else if _, ok := t.funcs[name]; !ok && name != "" {
					t.funcs[name] = function{e.Offset, unit}
				}
			case dwarf.TagTypedef, dwarf.TagBaseType, dwarf.TagPointerType, dwarf.TagStructType, dwarf.TagArrayType, dwarf.TagSubroutineType:
				if _, ok := t.types[name]; !ok || e.Tag == dwarf.TagTypedef {
					t.types[name] = e.Offset
				}
			}
		}
		if e.Children {
			depth++
		}
	}
}

func (t *debugInfo) entry(o dwarf.Offset) *dwarf.Entry {
	r := t.data.Reader()
	r.Seek(o)
	e, err := r.Next()
	if err != nil {
		return nil
	}
	return e
}

// at returns the type of an offset, through typedefs, with the name of the first; nil if there is
// none.
func (t *debugInfo) at(o dwarf.Offset) *typ {
	if o == 0 {
		return nil
	}
	if y, ok := t.cache[o]; ok {
		return y
	}
	var name string
	first := o
	for range 8 {
		r := t.data.Reader()
		r.Seek(o)
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		y := &typ{size: -1}
		y.name, _ = e.Val(dwarf.AttrName).(string)
		y.kind, _ = e.Val(attrKind).(int64)
		if name == "" {
			name = y.name
		}
		to, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
		if e.Tag == dwarf.TagTypedef && y.kind != kindMap && y.kind != kindChan {
			if y.kind == kindInterface {
				y.to, y.size, y.name = to, 2*t.word, name
				under := t.entry(to)
				n := ""
				if under != nil {
					n, _ = under.Val(dwarf.AttrName).(string)
				}
				y.empty = strings.HasSuffix(n, "eface")
				t.cache[first] = y
				return y
			}
			o = to
			continue
		}
		y.name = name
		if n, ok := e.Val(dwarf.AttrByteSize).(int64); ok {
			y.size = n
		}
		y.to = to
		y.elem, _ = e.Val(attrElem).(dwarf.Offset)
		switch e.Tag {
		case dwarf.TagPointerType:
			y.size = t.word
			if to != 0 {
				y.elem, y.kind = to, kindPointer
			} else {
				y.kind = kindUnsafePointer
			}
		case dwarf.TagArrayType:
			y.elem, y.kind = to, kindArray
		case dwarf.TagSubroutineType:
			y.size, y.kind = t.word, kindFunc
		case dwarf.TagTypedef: // map, chan
			y.size = t.word
		case dwarf.TagStructType:
			if y.kind == 0 {
				y.kind = kindStruct
			}
			for {
				c, err := r.Next()
				if err != nil || c == nil || c.Tag == 0 {
					break
				}
				if c.Tag == dwarf.TagMember {
					var f field
					f.name, _ = c.Val(dwarf.AttrName).(string)
					f.typ, _ = c.Val(dwarf.AttrType).(dwarf.Offset)
					f.off, _ = c.Val(dwarf.AttrDataMemberLoc).(int64)
					y.fields = append(y.fields, f)
				}
				if c.Children {
					r.SkipChildren()
				}
			}
		}
		t.cache[first] = y
		return y
	}
	t.cache[first] = nil
	return nil
}

// mapEntry is the type of an entry of a sync.Map, which the debug information may not have.
func (t *debugInfo) mapEntry() dwarf.Offset {
	const made = math.MaxUint32
	empty := t.types["interface {}"]
	if empty == 0 {
		return 0
	}
	w := t.word
	t.cache[made] = &typ{name: "internal/sync.entry[", kind: kindStruct, size: 6 * w, fields: []field{{"key", 2 * w, empty}, {"value", 4 * w, empty}}}
	return made
}

// direct reports whether an interface holds a value of the type itself rather than a pointer to it.
func (t *debugInfo) direct(y *typ) bool {
	for range 8 {
		switch {
		case y == nil:
			return false
		case y.kind == kindPointer || y.kind == kindMap || y.kind == kindChan || y.kind == kindFunc || y.kind == kindUnsafePointer:
			return true
		case y.kind == kindStruct && y.size == t.word && len(y.fields) == 1:
			y = t.at(y.fields[0].typ)
		case y.kind == kindArray && y.size == t.word:
			if y = t.at(y.elem); y != nil && y.size != t.word {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// captured returns what a closure of a function has at an offset: the variable, its type, and the
// offset in it.
func (t *debugInfo) captured(function string, off int64) (name string, of dwarf.Offset, rest int64) {
	best := int64(-1)
	t.variables(t.funcs[function].off, func(e *dwarf.Entry) {
		at, ok := e.Val(attrClosureOffset).(int64)
		if !ok || at > off || at <= best {
			return
		}
		n, _ := e.Val(dwarf.AttrName).(string)
		y, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
		best, name, of, rest = at, strings.TrimPrefix(n, "&"), y, off-at
	})
	return
}

// variables yields the variables of a function and of those that are inlined into it.
func (t *debugInfo) variables(function dwarf.Offset, yield func(e *dwarf.Entry)) {
	if function == 0 {
		return
	}
	r := t.data.Reader()
	r.Seek(function)
	e, err := r.Next()
	if err != nil || e == nil || !e.Children {
		return
	}
	for depth := 1; depth > 0; {
		c, err := r.Next()
		if err != nil || c == nil {
			return
		}
		switch c.Tag {
		case 0:
			depth--
			continue
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			if o, ok := c.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
				if to := t.entry(o); to != nil {
					merged := *c
					merged.Field = append(append([]dwarf.Field{}, c.Field...), to.Field...)
					c = &merged
				}
			}
			yield(c)
		}
		if c.Children {
			depth++
		}
	}
}
