package arenapb

import (
	"reflect"
	"unicode/utf8"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Reasons returns why protobuf decodes messages of m's type, if it does, and else the
// reasons why it decodes some of their fields.
func Reasons(m proto.Message) (whole string, fields map[protoreflect.Name]string) {
	p := planOf(m)
	fields = map[protoreflect.Name]string{}
	fds := m.ProtoReflect().Descriptor().Fields()
	for i := range fds.Len() {
		if reason := p.field(uint64(fds.Get(i).Number())).reason; reason != "" {
			fields[fds.Get(i).Name()] = reason
		}
	}
	return p.reason, fields
}

// Scratch returns how much room an arena's decoder keeps for what it notes while it decodes.
func Scratch(a *arena.Arena) int {
	d, _ := arenakit.Local[decoder](a)
	return cap(d.counts) + cap(d.left)
}

// Break puts a mistake into the plan of m's type: the field of a number panics when it comes up,
// wherever it does. It reports false if protobuf decodes that field. The returned function repairs
// the plan.
func Break(m proto.Message, num protoreflect.FieldNumber) (mend func(), ok bool) {
	return change(m, num, func(f *field) { f.op, f.entry = opMap, nil })
}

// Refuse is Break with another mistake: a field of bytes is refused unless it is UTF-8.
func Refuse(m proto.Message, num protoreflect.FieldNumber) (mend func(), ok bool) {
	return change(m, num, func(f *field) { f.validate, f.kind = true, kindString })
}

func change(m proto.Message, num protoreflect.FieldNumber, f func(*field)) (mend func(), ok bool) {
	p := planOf(m)
	if p.reason != "" {
		return nil, false
	}
	at := p.field(uint64(num))
	if at.reason != "" || at == &other {
		return nil, false
	}
	was := *at
	f(at)
	if at.op != was.op {
		at.tag = 0
	}
	return func() {
		*at = was
		replan(func() { plans.Store(reflect.TypeOf(m), p) })
	}, true
}

// BreakJSON puts a mistake into the plan for JSON of m's type: the field of a number panics when it
// comes up, or is refused unless it is true. It reports false if protojson decodes that field. The
// returned function repairs the plan.
func BreakJSON(m proto.Message, num protoreflect.FieldNumber, panics bool) (mend func(), ok bool) {
	p := planOf(m)
	was := p.json()
	if was.reason != "" {
		return nil, false
	}
	broken := p.newJSON()
	f := broken.numbered(p, num)
	if f == nil || f.left || f.form == formMap || was.known == knownMask || was.known == knownValue { // which take their fields to be what they are
		return nil, false
	}
	f.val.read, f.number = readBool, true
	if panics {
		f.val.read, f.number, f.val.sub, f.field = readMessage, false, nil, &field{form: f.form, offset: f.offset, header: f.header}
	}
	p.inJSON.Store(broken)
	return func() { p.inJSON.Store(was) }, true
}

// MendJSON has messages of m's type decoded from JSON natively again, of which one has panicked.
func MendJSON(m proto.Message) func() {
	p := planOf(m)
	was := p.json()
	return func() { p.inJSON.Store(was) }
}

// BreakJSONEncoder puts a mistake into the plan for encoding messages of m's type, of which all
// fields are in oneofs: the fields that are set panic, or are refused. The returned function
// repairs the plan.
func BreakJSONEncoder(m proto.Message, refuse bool) (mend func()) {
	p := planOf(m)
	was := p.json()
	broken := p.newJSON()
	for i := range broken.members {
		f := &broken.members[i]
		if f.jsonType = (jsonType{read: readEnum}); refuse {
			f.wrapper = nil
		}
	}
	p.inJSON.Store(broken)
	return func() { p.inJSON.Store(was) }
}

// JSONScratch returns how much room an arena's decoder of JSON keeps for what it notes while it
// decodes, in bytes, and whether all of it that may have pointers is zero.
func JSONScratch(a *arena.Arena) (size int, clean bool) {
	d, _ := arenakit.Local[jsonDecoder](a)
	clean = d.text == nil && d.letters.block == nil && d.words == nil
	for _, p := range d.pointers[:cap(d.pointers)] {
		clean = clean && p == nil
	}
	for _, s := range d.strings[:cap(d.strings)] {
		clean = clean && s == ""
	}
	for _, s := range d.bytes[:cap(d.bytes)] {
		clean = clean && s == nil
	}
	for _, e := range d.elements[:cap(d.elements)] {
		clean = clean && e.bytes == nil && e.message == nil
	}
	return 8*cap(d.pointers) + 16*cap(d.strings) + 24*cap(d.bytes) + 8*cap(d.numbers) + 40*cap(d.elements) + cap(d.open) + cap(d.scratch), clean
}

// Mend makes messages of m's type decode natively again after one has panicked.
func Mend(m proto.Message) func() {
	p := planOf(m)
	return func() { replan(func() { plans.Store(reflect.TypeOf(m), p) }) }
}

// Scan reads what Unmarshal of a message of m's type reads, checks what that checks, and stores
// nothing: no decoder takes less time. It reports whether b has a message.
func Scan(m proto.Message, b []byte) bool {
	sum := uint64(0)
	return scan(planOf(m), b, &sum) && sum|1 != 0
}

func scan(m *plan, b []byte, sum *uint64) bool {
	for i := 0; i < len(b); {
		tag, at := varint(b, i)
		if i = at; i < 0 {
			return false
		}
		f, wire := m.field(tag>>3), uint8(tag&7)
		var v uint64
		var s []byte
		switch protowire.Type(wire) {
		case protowire.VarintType:
			v, i = varint(b, i)
		case protowire.BytesType:
			s, i = bytesOf(b, i)
		case protowire.Fixed64Type:
			i += 8
		case protowire.Fixed32Type:
			i += 4
		default:
			return false
		}
		if i < 0 || i > len(b) {
			return false
		}
		*sum += v
		switch {
		case s == nil:
		case f.sub != nil:
			if !scan(f.sub, s, sum) {
				return false
			}
		case f.validate && !utf8.Valid(s):
			return false
		case f.packable:
			for j := 0; j < len(s); {
				if v, j = varint(s, j); j < 0 {
					return false
				}
				*sum += v
			}
		}
	}
	return true
}

// Tries returns why the plan of m's type is refused if the field of a number is changed by f, which
// gets what says where the field is and whether it is there.
func Tries(m proto.Message, num protoreflect.FieldNumber, f func(offset *uintptr, marked *bool, bit *uint32)) string {
	p := planOf(m)
	at := p.field(uint64(num))
	was := *at
	f(&at.offset, &at.marked, &at.bit)
	at.op = at.chosen()
	defer func() { *at = was }()
	return p.verify()
}

// Refusing plans m's type anew, in a world where the plan of one type is refused, and returns as
// Reasons does.
func Refusing(m, refused proto.Message) (whole string, fields map[protoreflect.Name]string) {
	was := map[any]any{}
	replan(func() {
		plans.Range(func(t, p any) bool {
			was[t] = p
			return true
		})
		plans.Clear()
		pl := planner{refused: map[reflect.Type]string{reflect.TypeOf(refused): "it is refused"}}
		for t, p := range pl.all(reflect.TypeOf(m)) {
			plans.Store(t, p)
		}
	})
	defer replan(func() {
		plans.Clear()
		for t, p := range was {
			plans.Store(t, p)
		}
	})
	return Reasons(m)
}

// ExtensionReason returns why protobuf decodes values of an extension, if it does. A message that
// has it must be known.
func ExtensionReason(xt protoreflect.ExtensionType) string {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(xt.TypeDescriptor().ContainingMessage().FullName())
	if err != nil {
		return err.Error()
	}
	return extensionOf(planOf(mt.New().Interface()), xt).reason
}

// Valid is the replacement of utf8.Valid.
func Valid(s []byte) bool { return valid(s) }

// PlanIsOf reports whether the plan that is found for m is one of m's type. Types that are not
// decoded natively have plans without a type.
func PlanIsOf(m proto.Message) bool {
	p := planOf(m)
	return p.typ == nil || p.typ == reflect.TypeOf(m).Elem()
}
