package scopes

import (
	"maps"
	"slices"
)

// Loops at whose turns something of the last turn is used.

func AtTheTop(texts []string) (sum int) { // proved, all turns
	var last *Node
	for _, text := range texts {
		if last != nil {
			sum += last.Len()
		}
		last = nil
		switch {
		case text != "":
			n, err := Parse(text)
			if err == nil {
				last = n
			}
		}
	}
	return sum
}

func InSelect(texts chan string) (sum int) { // proved, all turns
	var last *Node
	for range 3 {
		if last != nil {
			sum += last.Len()
		}
		last = nil
		select {
		case text := <-texts:
			n, err := Parse(text)
			if err == nil {
				last = n
			}
		default:
		}
	}
	return sum
}

func InTypeSwitch(texts []any) (sum int) { // proved, all turns
	var last *Node
	for _, text := range texts {
		if last != nil {
			sum += last.Len()
		}
		last = nil
		switch text := text.(type) {
		case string:
			n, err := Parse(text)
			if err == nil {
				last = n
			}
		case int:
			sum++
		}
	}
	return sum
}

func InCase(texts []string) (sum int) { // proved, turns
	for _, text := range texts {
		switch {
		case text != "":
			n, err := Parse(text)
			if err == nil {
				sum += n.Len()
			}
		}
	}
	return sum
}

func OverMap(text string) (sum int) { // proved, all turns
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	all := map[string]bool{}
	for _, c := range n.Children {
		all[c.Name] = true
	}
	for name := range all {
		if n, err := Parse(name); err == nil {
			sum += n.Len()
		}
	}
	return sum
}

func OverText(text string) (sum int) { // proved, all turns
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	name := n.Children[0].Name
	for _, r := range name {
		if n, err := Parse(string(r)); err == nil {
			sum += n.Len()
		}
	}
	return sum
}

func OverChannel(text string) (sum int) { // proved, all turns
	n, err := Parse(text)
	if err != nil {
		return 0
	}
	c := make(chan *Node, 100)
	for _, n := range n.Children {
		c <- n
	}
	close(c)
	for m := range c {
		if n, err := Parse(m.Name); err == nil {
			sum += n.Len()
		}
	}
	return sum
}

func DeferInSequence(texts []string) (sum int) { // proved, all turns
	for _, text := range texts {
		n, err := Parse(text)
		if err != nil {
			continue
		}
		for c := range slices.Values(n.Children) {
			defer func() { sum += len(c.Name) }()
		}
	}
	return 0
}

func ByMap(texts []string) (sum int) { // proved, all turns
	seen := map[string]int{}
	for _, text := range texts {
		n, err := Parse(text)
		if err != nil {
			continue
		}
		seen[n.Children[0].Name]++
	}
	return len(slices.Collect(maps.Keys(seen)))
}

func ByClosure(texts []string) (sum int) { // proved, all turns
	f := func() int { return 0 }
	for _, text := range texts {
		n, err := Parse(text)
		if err != nil {
			continue
		}
		sum += f()
		f = n.Len
	}
	return sum
}

func InCondition(texts []string) (sum int) { // proved, all turns
	i := 0
	for n, err := Parse(texts[0]); err == nil && i < len(texts); n, err = Parse(texts[i%len(texts)]) {
		sum += n.Len()
		i++
	}
	return sum
}
