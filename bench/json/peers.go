package json

import (
	"github.com/go-faster/jx"
	"github.com/mailru/easyjson"
	"github.com/minio/simdjson-go"
)

//go:generate go run github.com/mailru/easyjson/easyjson -no_std_marshalers -output_filename orders_easyjson.go orders.go

func isOrders(v any) bool {
	_, ok := v.(*[]order)
	return ok
}

func isAny(v any) bool {
	_, ok := v.(*any)
	return ok
}

// easy opens easyjson, whose code is generated for the type of the orders.
func easy() codec {
	return codec{
		func(data []byte, v any) error { return easyjson.Unmarshal(data, (*orderList)(v.(*[]order))) },
		func(v any) ([]byte, error) { return easyjson.Marshal((*orderList)(v.(*[]order))) },
		func() {}, func() {},
	}
}

// jxDecode decodes into an any by hand: jx has tokens, and no values.
func jxDecode(data []byte, v any) error {
	d := jx.DecodeBytes(data)
	x, err := jxAny(d)
	if err != nil {
		return err
	}
	*v.(*any) = x
	return nil
}

func jxAny(d *jx.Decoder) (any, error) {
	switch d.Next() {
	case jx.String:
		return d.Str()
	case jx.Number:
		return d.Float64()
	case jx.Bool:
		return d.Bool()
	case jx.Array:
		list := []any{}
		err := d.Arr(func(d *jx.Decoder) error {
			x, err := jxAny(d)
			list = append(list, x)
			return err
		})
		return list, err
	case jx.Object:
		m := map[string]any{}
		err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
			x, err := jxAny(d)
			m[string(key)] = x
			return err
		})
		return m, err
	default:
		return nil, d.Null()
	}
}

// simd opens simdjson-go. It uses the memory of its tape again, and makes values of Go of it.
func simd() codec {
	var tape *simdjson.ParsedJson
	return codec{decode: func(data []byte, v any) (err error) {
		if tape, err = simdjson.Parse(data, tape); err != nil {
			return err
		}
		return tape.ForEach(func(i simdjson.Iter) error {
			*v.(*any), err = i.Interface()
			return err
		})
	}, done: func() {}, kept: func() {}}
}

func withoutSimd() string {
	if simdjson.SupportedCPU() {
		return ""
	}
	return "simdjson-go, which is for processors with AVX2 and CLMUL"
}
