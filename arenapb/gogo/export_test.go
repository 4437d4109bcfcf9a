package gogo

import "reflect"

// Break has the field of a number, of messages of m's type, panic when it comes up. The returned
// function repairs the plan.
func Break(m Message, num uint64) (mend func()) {
	p := planOf(m, true)
	f := p.field(num)
	was := *f
	f.op, f.form, f.entry = opRare, formMap, nil
	return func() {
		*f = was
		plans.Store(reflect.TypeOf(m).Elem(), p)
	}
}
