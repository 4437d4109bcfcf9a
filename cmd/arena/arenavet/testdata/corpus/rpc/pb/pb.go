// Package pb is like a generated package.
package pb

type Note struct {
	Text string
	Tags []string
	Size int64
}

func (*Note) ProtoReflect()     {}
func (n *Note) GetText() string { return n.Text }

type Empty struct{}

func (*Empty) ProtoReflect() {}

type NotesServer interface{}

func RegisterNotesServer(s any, srv NotesServer) {}
