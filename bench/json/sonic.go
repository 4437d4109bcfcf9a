//go:build amd64 || arm64

package json

import "github.com/bytedance/sonic"

// openSonic opens sonic as it behaves like encoding/json. Its default is no equal: it accepts
// control characters and invalid UTF-8.
var openSonic = onHeap(sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal)

// withoutSonic says what is missing where sonic is encoding/json under another name.
func withoutSonic() string {
	if sonic.APIKind == sonic.UseSonicJSON {
		return ""
	}
	return "sonic, which leaves all to encoding/json with this Go"
}
