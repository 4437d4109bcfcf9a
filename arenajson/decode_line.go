package arenajson

// line is space where a line may begin that is in so many arrays and objects.
func (d *decoder) line(i, depth int) int {
	if d.text.Char(i) > ' ' {
		return i
	}
	return d.indented(i, depth)
}

// indented is line if there is white space. Lines of a depth are mostly indented alike. So the processor guesses that this one is, and goes on behind the spaces while they are
// looked at. For what space returns it has to wait.
func (d *decoder) indented(i, depth int) int {
	text, indent := d.text, &d.indents[depth&(maxIndents-1)]
	if end := i + 1 + *indent; text.Char(i) == '\n' && text.IsBlank(i+1, *indent) && text.Char(end) > ' ' {
		return end
	}
	end := text.Space(i)
	*indent = max(end-i-1, 0)
	return end
}
