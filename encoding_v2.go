//go:build go1.27 && (goexperiment.jsonv2 || go1.29)

package arena

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
)

// MarshalJSONTo is MarshalJSON with the options of the encoder. It writes what package
// encoding/json/v2 makes of a map of Go with the same entries.
func (t mapTable[K, V]) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, t.collect())
}

// UnmarshalJSONFrom is UnmarshalJSON with the options of the decoder.
func (m *Map[K, V]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	entries := make(map[K]V, m.n) // values are merged, unless the options say otherwise
	for k, v := range m.All() {
		if k == k { // a NaN is a new entry each time that it is set
			entries[k] = v
		}
	}
	if err := json.UnmarshalDecode(d, &entries); err != nil {
		return err
	}
	return Try(func() { m.setAll(nil, entries) })
}
