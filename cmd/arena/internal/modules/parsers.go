package modules

// A Parser is a module of others, and the arguments of arena fix for it.
type Parser struct {
	Name, Module    string // as path@version
	Roots, Packages []string
	Skip            string // tests that measure time or bytes
}

// Parsers are the modules whose tests have to pass when arena fix has rewritten them.
var Parsers = []Parser{
	{Name: "gqlparser", Module: "github.com/vektah/gqlparser/v2@v2.5.64",
		Roots: []string{"parser.ParseQuery", "parser.ParseSchema"}, Packages: []string{"./parser", "./lexer", "./ast"}},
	{Name: "goja", Module: "github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b",
		Roots: []string{"goja/parser.ParseFile"}, Packages: []string{"./parser", "./ast", "./file", "./unistring"}},
	{Name: "expr", Module: "github.com/expr-lang/expr@v1.17.8",
		Roots: []string{"expr/parser.Parse"}, Packages: []string{"./parser", "./parser/lexer", "./ast", "./file"}},
	{Name: "goldmark", Module: "github.com/yuin/goldmark@v1.8.7",
		Roots: []string{"parser.parser.Parse"}, Packages: []string{"./..."}, Skip: "Performance$"},
	{Name: "html", Module: "golang.org/x/net@v0.62.0", Roots: []string{"html.Parse"}, Packages: []string{"./html"}, Skip: "^TestTextNodeCoalescing$"},
	{Name: "yaml", Module: "gopkg.in/yaml.v3@v3.0.1", Roots: []string{"yaml.v3.unmarshal"}, Packages: []string{"."}},
	{Name: "hcl", Module: "github.com/hashicorp/hcl/v2@v2.25.0", Roots: []string{"hclsyntax.ParseConfig"}, Packages: []string{"./hclsyntax"}},
	{Name: "toml", Module: "github.com/BurntSushi/toml@v1.6.0", Roots: []string{"BurntSushi/toml.parse"}, Packages: []string{"."}},
	{Name: "js", Module: "github.com/tdewolff/parse/v2@v2.8.20", Roots: []string{"parse/v2/js.Parse"}, Packages: []string{"./js", "."}, Skip: "^TestVariableLookup$"},
	{Name: "graphql", Module: "github.com/graphql-go/graphql@v0.8.1",
		Roots: []string{"language/parser.Parse"}, Packages: []string{"./language/parser", "./language/lexer", "./language/ast", "./language/source"}},
	{Name: "sqlparser", Module: "github.com/xwb1989/sqlparser@v0.0.0-20180606152119-120387863bf2", Roots: []string{"sqlparser.Parse"}, Packages: []string{"."}},
}
