# Prints the tests that failed, from the events of go test -json, each with what it said of its seed.
function field(name,   at, rest) {
	if (!(at = index($0, "\"" name "\":\""))) return ""
	rest = substr($0, at + length(name) + 4)
	return substr(rest, 1, index(rest, "\"") - 1)
}
/"Action":"output"/ && /[Ss]eed/ {
	text = field("Output")
	gsub(/\\n|\\t|^ +/, "", text)
	seeds[field("Package") " " field("Test")] = "  (" text ")"
}
/"Action":"fail"/ { name = field("Package") " " field("Test"); if (!(name in seen)) order[++n] = name; seen[name] = 1 }
END { for (i = 1; i <= n; i++) print "FAIL: " order[i] seeds[order[i]] }
