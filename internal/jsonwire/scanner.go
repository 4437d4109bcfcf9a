package jsonwire

// A Scanner looks for the end of an array or object that is read in parts, and for the first byte
// that cannot belong to one. It reads each byte once, wherever the parts end, except the bytes of a
// cut escape or literal.
//
// Invariants: bit i&63 of kinds[i/64] says whether the bracket at depth i+1 belongs to an object,
// for 0 <= i < depth <= MaxNesting.
type Scanner struct {
	step  scanStep
	depth int
	kinds []uint64
}

// A scanStep is the expected next part.
type scanStep uint8

const (
	scanValue       scanStep = iota
	scanElement              // a value, or the end of an array
	scanMember               // a name, or the end of an object
	scanName                 // a name
	scanColon                // that behind a name
	scanMore                 // a comma, or the end of an array or object
	scanInString             // the rest of a string that is a value
	scanInName               // the rest of a name
	scanSign                 // digits behind a sign; these and the following are parts of a number
	scanZero                 // behind a zero that nothing but a point or an exponent may follow
	scanInteger              // more digits
	scanPoint                // digits behind a point
	scanFraction             // more digits
	scanExponent             // what is behind an e
	scanPower                // digits behind the sign of an exponent
	scanPowerDigits          // more digits
)

// A Verdict is what a Scanner says of a part.
type Verdict uint8

const (
	IsCut   Verdict = iota // the value goes on behind the part
	IsWhole                // it ends in the part
	IsWrong                // it has an error, or is neither an array nor an object
)

// Begin prepares s for another value.
func (s *Scanner) Begin() { s.step, s.depth = scanValue, 0 }

// open goes into an array or object, unless that would be too deep.
func (s *Scanner) open(object bool) bool {
	if s.depth == MaxNesting {
		return false
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth&63)
	if word == len(s.kinds) {
		s.kinds = append(s.kinds, 0)
	}
	if s.step = scanElement; object {
		s.step = scanMember
		s.kinds[word] |= bit
	} else {
		s.kinds[word] &^= bit
	}
	s.depth++
	return true
}

// inObject reports whether the innermost bracket belongs to an object. There is a bracket.
func (s *Scanner) inObject() bool {
	i := s.depth - 1
	return s.kinds[i/64]>>(i&63)&1 != 0
}

// Scan goes on at position i of the text, size bytes of which were read. It returns the position
// behind the value if that is whole, or else where to go on. What mostly follows is not looked up
// in step.
func (s *Scanner) Scan(text Text, i, size int) (int, Verdict) {
	object := s.depth > 0 && s.inObject()
	var c byte
	var end int
	switch s.step {
	case scanInString, scanInName:
		goto inString
	case scanMember, scanName:
		goto name
	case scanColon:
		goto colon
	case scanMore:
		goto more
	case scanValue, scanElement:
		goto value
	}

inNumber:
	for ; ; i++ {
		if i >= size {
			return i, IsCut
		}
		if s.step = s.step.number(text.Char(i)); s.step == scanMore {
			goto more
		}
		if s.step == scanValue {
			return i, IsWrong
		}
	}

inString:
	if i, _ = text.EndOfString(i); text.Char(i) != '"' {
		if i >= size {
			return i, IsCut
		}
		if text.Char(i) != '\\' {
			return i, IsWrong
		}
		if end = text.SkipEscape(i); end < 0 {
			return i, cutEscape(text, i, size)
		}
		i = end
		goto inString
	}
	i++
	if s.step == scanInString {
		s.step = scanMore
		goto more
	}
	s.step = scanColon

colon:
	if c = text.Char(i); c <= ' ' {
		i = text.Space(i)
		c = text.Char(i)
	}
	if c != ':' {
		goto other
	}
	i++
	s.step = scanValue

value:
	if c = text.Char(i); c <= ' ' {
		i = text.Space(i)
		c = text.Char(i)
	}
	switch {
	case c == '"' && s.depth > 0:
		i++
		s.step = scanInString
		goto inString
	case c == '{':
		if !s.open(true) {
			return i, IsWrong
		}
		i++
		object = true
		goto name
	case c == '[':
		if !s.open(false) {
			return i, IsWrong
		}
		i++
		object = false
		goto value
	case c == ']' && s.step == scanElement:
		goto closing
	case s.depth == 0:
		goto other
	case IsDigit(c) || c == '-':
		if end = text.SkipNumber(i); end >= 0 && end < size {
			i, s.step = end, scanMore
			goto more
		}
		s.step = scanSign
		if c == '-' {
			i++
		}
		goto inNumber
	}
	if end = text.literal(i); end > 0 {
		i, s.step = end, scanMore
	} else if i-end < size {
		goto other
	} else {
		return i, IsCut
	}

more:
	if c = text.Char(i); c <= ' ' {
		i = text.Space(i)
		c = text.Char(i)
	}
	if c == ',' {
		i++
		if s.step = scanValue; !object {
			goto value
		}
		s.step = scanName
		goto name
	}
	if object && c != '}' || !object && c != ']' {
		goto other
	}

closing:
	i++
	if s.depth--; s.depth == 0 {
		return i, IsWhole
	}
	object = s.inObject()
	s.step = scanMore
	goto more

name:
	if c = text.Char(i); c <= ' ' {
		i = text.Space(i)
		c = text.Char(i)
	}
	if c == '"' {
		i++
		s.step = scanInName
		goto inString
	}
	if c == '}' && s.step == scanMember {
		goto closing
	}

other: // something else, or the end of what was read
	if i >= size {
		return i, IsCut
	}
	return i, IsWrong
}

// literal returns the position after the true, false or null at i. If there is none it returns the
// number of bytes that match one, as a negative number.
func (text Text) literal(i int) int {
	word := "null"
	switch text.Char(i) {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	for n := range len(word) {
		if text.Char(i+n) != word[n] {
			return -n
		}
	}
	return i + len(word)
}

// number returns the step after c in a number: scanMore if c follows the number, and scanValue if
// it is an error.
func (s scanStep) number(c byte) scanStep {
	if IsDigit(c) {
		switch s {
		case scanSign:
			if c == '0' {
				return scanZero
			}
			return scanInteger
		case scanInteger, scanFraction, scanPowerDigits:
			return s
		case scanPoint:
			return scanFraction
		case scanExponent, scanPower:
			return scanPowerDigits
		}
		return scanMore // a second digit behind a zero
	}
	switch {
	case c == '.' && (s == scanZero || s == scanInteger):
		return scanPoint
	case c|0x20 == 'e' && (s == scanZero || s == scanInteger || s == scanFraction):
		return scanExponent
	case (c == '-' || c == '+') && s == scanExponent:
		return scanPower
	case s == scanZero || s == scanInteger || s == scanFraction || s == scanPowerDigits:
		return scanMore
	}
	return scanValue
}

// cutEscape reports whether the escape at i, which is not a whole one, may become one behind the
// size bytes that were read.
func cutEscape(text Text, i, size int) Verdict {
	if i+1 < size && text.Char(i+1) != 'u' {
		return IsWrong
	}
	for k := i + 2; k < size; k++ {
		if hexValues[text.Char(k)] < 0 || k == i+5 {
			return IsWrong
		}
	}
	return IsCut
}
