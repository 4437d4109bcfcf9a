package scopes

// Where the arena would be in two places.

func InLiteral(texts []string) int { // unknown: function literal
	sum := 0
	each(texts, func(text string) {
		if n, err := Parse(text); err == nil {
			sum += n.Len()
		}
	})
	return sum
}

func each(texts []string, f func(string)) {
	for _, t := range texts {
		f(t)
	}
}

func Generic[T ~string](text T) int { // unknown: type parameters
	n, err := Parse(string(text))
	if err != nil {
		return 0
	}
	return n.Len()
}

func Serve(texts <-chan string) { // unknown: without an end
	var last *Node
	for {
		text, ok := <-texts
		if !ok {
			return
		}
		n, err := Parse(text)
		if err == nil && last != nil && last.Len() == n.Len() {
			total++
		}
		last = n
	}
}

func InterfaceKept(m Maker, text string) { // unknown: older
	last = m.Make(text)
}
