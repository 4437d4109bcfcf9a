package arena

// Looking tells tests outside of the package that textIsRead does something: then text that was made of bytes for a
// call has to be on the heap.
const Looking = looking

// Few is few for tests outside of the package.
var Few = few

// Debugging is the tag arenadebug.
const Debugging = debugging

// Watched tells whether arenas use no memory again after Reset.
func Watched() bool { return (&stores{}).watched() }
