// Package tail ends texts.
package tail

// A Tail is what comes last.
type Tail struct{ all [][]byte }

// Begin begins anew.
func (t *Tail) Begin() { *t = Tail{} }

// End returns the last word, which is text.
func (t *Tail) End(text string) string {
	t.add(text)
	return t.last()
}

func (t *Tail) add(text string) { t.all = append(t.all, []byte(text)) }
func (t *Tail) last() string    { return string(t.all[len(t.all)-1]) }
