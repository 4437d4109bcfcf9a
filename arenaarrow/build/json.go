package build

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arena-go/arena"
)

// A JSONReader makes record batches of JSON: of an object for each row, one after the other, as in NDJSON, or of one array of objects. It is on
// the heap, and goes on after its arena was Reset.
//
// Values are what array.NewJSONReader of arrow-go makes of them. A number or a bool may be in quotes. Bytes are in base64, dates and times are in
// the forms of ISO 8601 or whole numbers, and a map is a list of objects with a key and a value. What an object lacks is null. Keys that are no column
// are skipped.
//
// What differs is that a list of fixed size with another number of values is an error, and that an object in an object or list has nulls for
// what it lacks also where its fields are not nullable.
type JSONReader struct {
	scanner
	builder *RecordBuilder
	object  *object
	inArray bool
	rows    int
	err     error
}

// NewJSONReader returns one for what in has, whose batches will be in the arena. The schema may be that of a [Rows]. It returns an error if there
// is a column of a type that JSON has no form for: unions, intervals, run-end encoded values.
func NewJSONReader(a *arena.Arena, in io.Reader, schema *arrow.Schema) (*JSONReader, error) {
	r := &JSONReader{scanner: scanner{in: in, line: 1}, builder: NewRecordBuilder(a, schema)}
	var err error
	if r.object, err = r.objectOf(schema.Fields(), r.builder.fields, ""); err != nil {
		return nil, err
	}
	return r, nil
}

// Schema returns that of the batches.
func (r *JSONReader) Schema() *arrow.Schema { return r.builder.Schema() }

// Read returns a batch of the next rows, so many at most. After the last row it returns io.EOF. All other errors are a [*ReadError]. Then there is
// no batch, and the rows before in it are gone, too; the error stays. Read panics if rows is not positive. After a panic within it, such as that of a
// limit of the arena, Read returns an error that says so, and stays: where the next row begins is not known.
func (r *JSONReader) Read(rows int) (arrow.RecordBatch, error) {
	return readRows(rows, r.builder, &r.err, r.row)
}

func (r *JSONReader) row() error {
	c := r.next()
	first := r.rows == 0
	if first && c == '[' {
		r.take()
		r.inArray = true
		c = r.next()
	}
	switch {
	case r.inArray && c == ']':
		r.take()
		if r.next() != 0 || r.pos < len(r.buf) {
			return r.unexpected("", "the end")
		}
		return r.end()
	case r.inArray && !first && c != ',':
		return r.unexpected("", "a comma or ]")
	case r.inArray && !first:
		r.take()
		c = r.next()
	}
	switch {
	case c == 0 && r.pos >= len(r.buf) && !r.inArray:
		return r.end()
	case c != '{':
		return r.unexpected("", "an object")
	}
	r.rows++
	return r.object.read()
}

// end returns io.EOF, or why in has not more.
func (s *scanner) end() error {
	if s.ended != io.EOF {
		return s.fail("", s.ended)
	}
	return io.EOF
}

// An object reads those of a struct, or those that are rows.
type object struct {
	s       *scanner
	name    string
	names   []string
	by      map[string]int
	values  []value
	fields  []Builder
	seen    []int // the number of the object that had the field last
	objects int
}

// A value reads one, and appends it.
type value func() error

func (r *JSONReader) objectOf(fields []arrow.Field, builders []Builder, name string) (*object, error) {
	o := &object{s: &r.scanner, name: name, by: map[string]int{}, fields: builders, seen: make([]int, len(fields))}
	for i, f := range fields {
		path := f.Name
		if name != "" {
			path = name + "." + f.Name
		}
		if _, ok := o.by[f.Name]; ok {
			return nil, fmt.Errorf("build: NewJSONReader: there are two columns %s", path)
		}
		o.by[f.Name] = i
		o.names = append(o.names, f.Name)
		v, err := r.valueOf(builders[i], path)
		if err != nil {
			return nil, err
		}
		o.values = append(o.values, v)
	}
	return o, nil
}

// read reads the object that comes next. Keys mostly come in the order of the columns.
func (o *object) read() error {
	o.objects++
	guess, found := 0, 0
	err := o.s.members(o.name, func(key []byte) error {
		i := guess
		if i >= len(o.names) || o.names[i] != string(key) {
			var ok bool
			if i, ok = o.by[string(key)]; !ok {
				if err := o.s.colon(o.name); err != nil {
					return err
				}
				return o.s.skip(0)
			}
		}
		if o.seen[i] == o.objects {
			return o.s.fail(o.name, fmt.Errorf("the key %q is there twice", key))
		}
		o.seen[i], guess = o.objects, i+1
		found++
		if err := o.s.colon(o.name); err != nil {
			return err
		}
		return o.values[i]()
	})
	if err == nil && found < len(o.seen) {
		for i, n := range o.seen {
			if n != o.objects {
				o.fields[i].AppendNull()
			}
		}
	}
	return err
}

// null reads null if that comes next, and appends one.
func (r *JSONReader) null(b Builder, name string) (bool, error) {
	if r.next() != 'n' {
		return false, nil
	}
	if string(r.word()) != "null" {
		r.pos = r.token
		return false, r.unexpected(name, "a value")
	}
	b.AppendNull()
	return true, nil
}

// valueOf returns what reads values for b.
func (r *JSONReader) valueOf(b Builder, name string) (value, error) {
	switch b := b.(type) {
	case *Nulls:
		return func() error {
			if ok, err := r.null(b, name); ok || err != nil {
				return err
			}
			return r.unexpected(name, "null")
		}, nil
	case *Struct:
		o, err := r.objectOf(storage(b.DataType()).(*arrow.StructType).Fields(), b.fields, name)
		return func() error {
			if ok, err := r.null(b, name); ok || err != nil {
				return err
			}
			if r.next() != '{' {
				return r.unexpected(name, "an object")
			}
			b.Append(true)
			return o.read()
		}, err
	case *List:
		return r.list(b, b, name)
	case *Map:
		return r.list(b, &b.List, name)
	}
	p := parserOf(b, true)
	if p == nil {
		return nil, fmt.Errorf("build: NewJSONReader: there is no form in JSON for the column %s, which is %v", name, b.DataType())
	}
	return r.scalar(b, p, name), nil
}

func (r *JSONReader) list(b Builder, l *List, name string) (value, error) {
	m, isMap := b.(*Map)
	element, err := r.valueOf(l.values, name+"[]")
	return func() error {
		if ok, err := r.null(b, name); ok || err != nil {
			return err
		}
		if r.next() != '[' {
			return r.unexpected(name, "a list")
		}
		l.Append(true)
		n := 0
		err := r.elements(name, func() error {
			n++
			err := element()
			if err == nil && isMap && m.entries.NullN()+m.KeyBuilder().NullN() > 0 {
				err = r.fail(name, errKey)
			}
			return err
		})
		if err == nil && l.kind == listFixed && n != l.size {
			return r.fail(name, fmt.Errorf("%d values, where lists have %d", n, l.size))
		}
		return err
	}, err
}

var (
	errKind = errors.New("a value of another kind")
	errKey  = errors.New("an entry without a key")
)

// scalar returns what reads values that have no parts.
func (r *JSONReader) scalar(b Builder, p parser, name string) value {
	bools, isBool := b.(*Bools)
	text, isText := b.(*Text)
	_, isCoded := b.(*TextDictionary)
	asItIs := isText && isString(storage(b.DataType()))
	return func() error {
		if c := r.next(); c == '"' {
			s, err := r.quoted(name)
			if err != nil {
				return err
			}
			if asItIs {
				text.AppendBytes(s)
				return nil
			}
			if err := p.parse(s); err != nil {
				return r.fail(name, err)
			}
			return nil
		}
		if ok, err := r.null(b, name); ok || err != nil {
			return err
		}
		w := r.word()
		var err error
		switch {
		case isBool && string(w) == "true":
			bools.Append(true)
		case isBool && string(w) == "false":
			bools.Append(false)
		case !isNumber(w):
			r.pos = r.token
			return r.unexpected(name, "a value")
		case isText, isCoded:
			err = errKind
		default:
			err = p.parse(w)
		}
		if err != nil {
			return r.fail(name, err)
		}
		return nil
	}
}

func isString(dtype arrow.DataType) bool {
	switch dtype.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}
