package hostile

import "sync"

// Functions in lists: options, hooks and jobs.

type option func(*table)

type config struct{ opts []option }

var (
	options []option
	configs []*config
	nothing = func(*table) {}
)

func apply(os ...option) {
	for _, o := range os {
		o(std)
	}
}

func applyOn(os ...option) { apply(os...) }

func applyNew(os ...option) {
	t := &table{}
	for _, o := range os {
		o(t)
	}
	std = t
}

func applyOne(o option) {
	t := &table{}
	o(t)
	std = t
}

func applyTo(t *table, os []option) *table {
	for i := range os {
		os[i](t)
	}
	return t
}

func applyRest(os ...option) {
	for len(os) > 0 {
		os[0](std)
		os = os[1:]
	}
}

func keepOptions(os ...option)   { options = append(options, os...) }
func copyOptions(os ...option)   { options = make([]option, len(os)); copy(options, os) }
func keepConfig(os ...option)    { configs = append(configs, &config{os}) }
func keepLast(os ...option)      { options[0] = os[len(os)-1] }
func pass(os ...option) []option { return os }
func later(os ...option) func() {
	return func() { apply(os...) }
}

func inGoroutines(os ...option) {
	var wg sync.WaitGroup
	for _, o := range os {
		wg.Add(1)
		go func() { defer wg.Done(); o(&table{}) }()
	}
	wg.Wait()
}

var queue = make(chan option, 9)

func sent(to chan option, os ...option) {
	for _, o := range os {
		to <- o
	}
}

func renamed(os ...option) {
	list := os
	for _, o := range list {
		f := o
		options = append(options, f)
	}
}

func inLiteral(os ...option) {
	func() {
		for _, o := range os {
			func() { o(std) }()
		}
	}()
}

func ranged(yield func(func(option) bool), os ...option) {
	for o := range yield {
		options = append(options, o)
	}
}

func (c *config) add(os ...option)  { c.opts = os }
func (c *config) with(os ...option) { c.opts = append(c.opts, os...) }

func deferred(os ...option) {
	for _, o := range os {
		defer o(std)
	}
}

func fromOptions(b []byte) {
	{
		n := &Node{Text: string(b) + "1"}
		apply(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "2"}
		applyOn(nothing, func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "3"}
		applyNew(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "4"}
		applyOne(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "5"}
		applyTo(std, []option{func(t *table) { t.last = n }})
	}
	{
		n := &Node{Text: string(b) + "6"}
		applyRest(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "7"}
		keepOptions(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "8"}
		copyOptions(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "9"}
		keepConfig(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "10"}
		keepLast(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "11"}
		options = pass(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "12"}
		hookf = later(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "13"}
		inGoroutines(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "14"}
		sent(queue, func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "15"}
		renamed(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "16"}
		inLiteral(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "17"}
		ranged(func(yield func(option) bool) { yield(func(t *table) { t.last = n }) })
	}
	{
		n := &Node{Text: string(b) + "18"}
		c := &config{}
		c.add(func(t *table) { t.last = n })
		configs = append(configs, c)
	}
	{
		n := &Node{Text: string(b) + "19"}
		c := &config{}
		c.with(func(t *table) { t.last = n })
		apply(c.opts...)
		configs = append(configs, c)
	}
	{
		n := &Node{Text: string(b) + "20"}
		deferred(func(t *table) { t.last = n })
	}
	{
		n := &Node{Text: string(b) + "21"}
		o := func(t *table) { t.last = n }
		apply(nothing, o)
	}
	{
		n := &Node{Text: string(b) + "22"}
		apply(setterOf2(n))
	}
	{
		n := &Node{Text: string(b) + "23"}
		t := applyTo(&table{}, []option{func(t *table) { t.last = n }})
		tables = append(tables, t)
	}
	{
		n := &Node{Text: string(b) + "24"}
		made := newTable(func(t *table) { t.last = n })
		tables = append(tables, made)
	}
	{
		n := &Node{Text: string(b) + "25"}
		var t *table
		apply(func(x *table) { t = x })
		t.last = n
	}
}

func newTable(os ...option) *table {
	t := &table{}
	for _, o := range os {
		o(t)
	}
	return t
}

func setterOf2(n *Node) option { return func(t *table) { t.last = n } }
