package arenajson

// Valid tells whether data is a JSON value, as json.Valid does. Any number of goroutines may call
// it at the same time.
func Valid(data []byte) bool {
	d := decoderOf(nil)
	defer d.release()
	d.state = stateDone
	d.load(data)
	return d.isEnd(d.text.Skip(d.text.Space(0), 0))
}
