package arenajson

// A scanner looks for the end of an array or object that is read in parts, and for the first byte that cannot belong to one. It looks at each byte
// once, wherever the parts end, but for those of an escape or a literal that is cut.
//
// Invariants: bit i&63 of kinds[i/64] says whether the bracket at depth i+1 is that of an object, for 0 <= i < depth <= maxNesting.
type scanner struct {
	step  scanStep
	depth int
	kinds []uint64
}

// A scanStep says what comes next.
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

// A verdict is what a scanner says of a part.
type verdict uint8

const (
	scanIsCut   verdict = iota // the value goes on behind the part
	scanIsWhole                // it ends in the part
	scanIsWrong                // it has an error, or is neither an array nor an object
)

// begin prepares s for another value.
func (s *scanner) begin() { s.step, s.depth = scanValue, 0 }

// open goes into an array or object, unless that would be too deep.
func (s *scanner) open(object bool) bool {
	if s.depth == maxNesting {
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

// inObject tells whether the innermost bracket is that of an object. There is one.
func (s *scanner) inObject() bool {
	i := s.depth - 1
	return s.kinds[i/64]>>(i&63)&1 != 0
}

// scan goes on at position i of the text, size bytes of which were read. It returns the position behind the value if that is whole, or else where to go on. What mostly
// follows is not looked up in step.
func (s *scanner) scan(text pointer, i, size int) (int, verdict) {
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
			return i, scanIsCut
		}
		if s.step = s.step.number(char(text, i)); s.step == scanMore {
			goto more
		}
		if s.step == scanValue {
			return i, scanIsWrong
		}
	}

inString:
	if i, _ = endOfString(text, i); char(text, i) != '"' {
		if i >= size {
			return i, scanIsCut
		}
		if char(text, i) != '\\' {
			return i, scanIsWrong
		}
		if end = skipEscape(text, i); end < 0 {
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
	if c = char(text, i); c <= ' ' {
		i = space(text, i)
		c = char(text, i)
	}
	if c != ':' {
		goto other
	}
	i++
	s.step = scanValue

value:
	if c = char(text, i); c <= ' ' {
		i = space(text, i)
		c = char(text, i)
	}
	switch {
	case c == '"' && s.depth > 0:
		i++
		s.step = scanInString
		goto inString
	case c == '{':
		if !s.open(true) {
			return i, scanIsWrong
		}
		i++
		object = true
		goto name
	case c == '[':
		if !s.open(false) {
			return i, scanIsWrong
		}
		i++
		object = false
		goto value
	case c == ']' && s.step == scanElement:
		goto closing
	case s.depth == 0:
		goto other
	case isDigit(c) || c == '-':
		if end = skipNumber(text, i); end >= 0 && end < size {
			i, s.step = end, scanMore
			goto more
		}
		s.step = scanSign
		if c == '-' {
			i++
		}
		goto inNumber
	}
	if end = literal(text, i); end > 0 {
		i, s.step = end, scanMore
	} else if i-end < size {
		goto other
	} else {
		return i, scanIsCut
	}

more:
	if c = char(text, i); c <= ' ' {
		i = space(text, i)
		c = char(text, i)
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
		return i, scanIsWhole
	}
	object = s.inObject()
	s.step = scanMore
	goto more

name:
	if c = char(text, i); c <= ' ' {
		i = space(text, i)
		c = char(text, i)
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
		return i, scanIsCut
	}
	return i, scanIsWrong
}

// literal returns the position behind the true, false or null at i, or if there is none how many bytes are those of one, as a negative number.
func literal(text pointer, i int) int {
	word := "null"
	switch char(text, i) {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	}
	for n := range len(word) {
		if char(text, i+n) != word[n] {
			return -n
		}
	}
	return i + len(word)
}

// number returns what comes behind c in a number: scanMore if c is behind the number, and scanValue if it is an error.
func (s scanStep) number(c byte) scanStep {
	if isDigit(c) {
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

// cutEscape tells whether the escape at i, which is not a whole one, may become one behind the size bytes that were read.
func cutEscape(text pointer, i, size int) verdict {
	if i+1 < size && char(text, i+1) != 'u' {
		return scanIsWrong
	}
	for k := i + 2; k < size; k++ {
		if hexValues[char(text, k)] < 0 || k == i+5 {
			return scanIsWrong
		}
	}
	return scanIsCut
}
