package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// A function that stays unchanged, next to its second form, calls other functions that stay. So a
// program without an arena runs the code that it ran before, and what the compiler inlines there
// does not change. A function with a carrier also gets a second form, which uses the arena of the
// carrier. Calls that are not rewritten, through interfaces and function values, reach the original
// function, which checks whether the carrier has an arena.

// apart reports whether the function stays unchanged, next to its second form.
func (f *function) apart() bool { return f.twice && f.scope == nil && f.reached && f.needs }

// keepFormer has all functions stay, or only functions with builders of a group that moves, and
// those that are inlined where what they make is on the stack.
func (p *program) keepFormer(all bool) {
	builders := p.haveBuilders()
	for _, f := range p.order {
		f.twice = (all || builders[f] || f.stacked) && !f.takes() && f.literal == nil
	}
}

// findEntered finds the functions whose former form has to look for an arena: roots, and those with
// a carrier that are called where the call is not rewritten, or nobody is known to call. One that
// cannot call its second form is there once, as without keepFormer.
func (p *program) findEntered() {
	called := map[*function]bool{}
	for _, f := range p.order {
		for _, c := range f.calls {
			switch {
			case c.dispatch != nil:
				c.to.entered = true
			case f.reached && !c.dropped:
				called[c.to] = true
			}
		}
		for _, c := range f.other {
			c.to.entered = true
		}
	}
	for _, v := range p.taken {
		v.f.entered = true
	}
	p.findOutside()
	for _, f := range p.order {
		f.entered = f.root || f.carrier != nil && (f.entered || !called[f])
		if f.entered && f.decl.Type.TypeParams != nil || f.entered && f.again(f.variantName(), f.param()) == "" {
			f.twice = false
		}
	}
}

// findOutside finds the functions that are called in generated files, and in the initial values of
// variables: these are not rewritten.
func (p *program) findOutside() {
	for pkg, syntax := range p.syntax() {
		for _, d := range syntax.Decls {
			if g, ok := d.(*ast.GenDecl); !p.files[syntax].fixed && (!ok || g.Tok != token.VAR) {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if obj, ok := pkg.TypesInfo.Uses[id].(*types.Func); ok && p.funcs[obj.Origin()] != nil {
						p.funcs[obj.Origin()].entered = true
					}
				}
				return true
			})
		}
	}
}

// keep puts the former function in front of the second form.
func (f *function) keep(hook bool) {
	d := f.decl
	body := d.Body.Lbrace + 1
	head, carried, none := "", "nil", f.param()+" == nil"
	if f.carrier != nil {
		carried = f.through.Name + "." + f.carrier.getter() + "()"
	}
	if f.entry {
		none += " && " + carried + " == nil" // the original would use that
	}
	switch {
	case f.entered && f.carrier != nil && !f.entry:
		head = "\nif " + carried + " != nil {\n" + f.again(f.variantName(), "") + "\n}\n"
	case f.entered && hook:
		end := f.unused("end")
		head = "\nif " + f.param() + ", " + end + " := " + hookName + "(" + carried + ", " + strconv.Itoa(int(d.Pos())) + "); " + f.param() + " != nil {\ndefer " + end + "()\n" + f.again(f.variantName(), f.param()) + "\n}\n"
	case f.entry:
		head = "\nif " + f.param() + " := " + carried + "; " + f.param() + " != nil {\n" + f.again(f.variantName(), f.param()) + "\n}\n"
	}
	former := f.file.text(d.Type.Func, body) + head + f.file.text(body, d.End()) + "\n\n// " + f.variantName() + " is " + d.Name.Name + " with what it makes in "
	switch {
	case f.carrier != nil && !f.entry:
		former += "the arena of " + f.through.Name + ".\n"
	case f.root:
		f.file.replace(body, body, "\nif "+none+" {\n"+f.again(d.Name.Name, "")+"\n}\n")
		former += f.param() + ". Nil is the heap. The result is valid until the arena is reset.\n"
	default:
		former += f.param() + ". Nil is the heap.\n"
	}
	f.second(former)
}
