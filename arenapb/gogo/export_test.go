package gogo

import "reflect"

// Break has the field of a number, of messages of m's type, panic when it comes up. What mend
// returns is as before.
func Break(m Message, num uint64) (mend func()) {
	p := planOf(m)
	f := p.field(num)
	was := *f
	f.op, f.form, f.entry = opRare, formMap, nil
	return func() {
		*f = was
		plans.Store(reflect.TypeOf(m).Elem(), p)
	}
}
