package advise

import "strings"

// A mover says what would have to happen for the memory of a site to lie in an arena.
type mover int

const (
	own     mover = iota // the program's own code: an arena and a rewriting
	helper               // the standard library's functions that have a counterpart of ours
	adapter              // a library for which there is an adapter
	port                 // another module's code, which would have to be ported
	foreign              // the same, where arena fix is to move it: it changes one module
	fixed                // nothing moves it
)

// moves tells whether the memory of a site can be moved, at least by hand.
func (m mover) moves() bool { return m != fixed && m != foreign }

// A home is what is known of the packages under a path.
type home struct {
	path  string
	mover mover
	hint  string
}

// homes is searched for the longest path that equals a package's path, or is above it.
var homes = []home{
	{"encoding/json", adapter, "arenajson"},
	{"google.golang.org/protobuf", adapter, "arenapb"},
	{"google.golang.org/grpc", fixed, "gRPC's own objects; arenagrpc moves the messages"},
	{"github.com/jackc/pgx", adapter, "arenapgx"},
	{"github.com/apache/arrow-go", adapter, "arenaarrow"},
	{"github.com/apache/arrow/go", adapter, "arenaarrow, with arrow-go v18"},

	{"strings", helper, "arenastrings, arena.Builder"},
	{"bytes", helper, "arena.Builder, arena.Bytes"},
	{"strconv", helper, "arenastrings.Itoa and the like"},
	{"fmt", helper, "arena.Sprintf"},
	{"slices", helper, "arena.Collect and the like"},
	{"maps", helper, "arena.Collect and the like"},
	{"sort", helper, "slices.SortFunc allocates nothing"},
	{"io", helper, "arena.ReadAll"},
	{"bufio", helper, "arenabufio"},

	{"net", fixed, "the network"},
	{"crypto", fixed, "TLS and hashes"},
	{"database/sql", fixed, "database/sql and its driver"},
	{"github.com/lib/pq", fixed, "a database driver"},
	{"github.com/go-sql-driver/mysql", fixed, "a database driver"},
	{"modernc.org/sqlite", fixed, "a database driver"},
	{"github.com/mattn/go-sqlite3", fixed, "a database driver"},
	{"go.mongodb.org/mongo-driver", fixed, "a database driver"},
	{"html/template", fixed, "templates"},
	{"text/template", fixed, "templates"},
	{"regexp", fixed, "regular expressions"},
}

// homeOf returns what is known of a package.
func homeOf(pkg string) (best home, ok bool) {
	for _, h := range homes {
		if (pkg == h.path || strings.HasPrefix(pkg, h.path+"/")) && len(h.path) > len(best.path) {
			best, ok = h, true
		}
	}
	return best, ok
}

// moverOf returns what would have to happen for the memory of a stack to lie in an arena, and a
// hint.
func (v view) moverOf(st stack) (mover, string) {
	site, i := st.site()
	if i < 0 {
		return fixed, "the runtime"
	}
	caller, at := v.caller(st)
	if at >= 0 && v.isMine(caller.pkg) && at == i {
		return own, ""
	}
	// What the standard library allocates for a package that has a home is that package's:
	// reflection in encoding/json.
	end := at
	if at < 0 {
		end = len(st)
	}
	for _, f := range st[i:end] {
		if h, ok := homeOf(f.pkg); ok && (h.mover == adapter || h.mover == fixed) {
			return h.mover, h.hint
		}
	}
	if at < 0 {
		return fixed, "the standard library"
	}
	if h, ok := homeOf(caller.pkg); ok && !v.isMine(caller.pkg) {
		return h.mover, h.hint
	}
	if v.isForeign(caller) {
		if v.stays {
			return foreign, "a port of " + caller.pkg
		}
		return port, "a port of " + caller.pkg
	}
	if at == i {
		return own, ""
	}
	if h, ok := homeOf(site.pkg); ok && h.mover == helper { // the standard library allocates for that caller
		return helper, h.hint
	}
	return fixed, "package " + site.pkg
}
