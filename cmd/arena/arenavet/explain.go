package arenavet

import (
	_ "embed"
	"strings"
)

// codesText explains the codes. It is also a page.
//
//go:embed codes.md
var codesText string

// Codes returns the codes of all findings.
func Codes() []string {
	return []string{codeStale, codeOutlives, codeShared, codeLost, codeClosed, codeContainer, codeUseless, codeSyncPool, codeKeep}
}

// Explain returns what a code means, with a wrong program and a right one, as Markdown. It reports
// whether there is such a code.
func Explain(code string) (string, bool) {
	_, text, ok := strings.Cut(codesText, "\n## "+code+"\n")
	if !ok {
		return "", false
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return "# " + code + "\n" + strings.TrimRight(text, "\n"), true
}
