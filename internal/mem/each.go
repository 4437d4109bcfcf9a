package mem

// Each calls f with all of list, also when f panics, as it does when a Memory panics.
func Each[T any](list []T, f func(T)) {
	defer func() {
		if len(list) > 0 {
			Each(list, f)
		}
	}()
	for len(list) > 0 {
		next := list[0]
		list = list[1:]
		f(next)
	}
}
