package maps

import stdmaps "maps"

func okCopy(path string) map[string]string {
	c := take()
	defer pool.Put(c)
	c.params["path"] = path
	return stdmaps.Clone(c.params)
}

func okValue(path string) string {
	c := take()
	defer pool.Put(c)
	c.params["path"] = path
	return c.params["path"]
}

func okAll(path string) (all []string) {
	c := take()
	defer pool.Put(c)
	c.params["path"] = path
	for k, v := range c.params {
		all = append(all, k, v)
	}
	return all
}

// The field gets another map each time.
func okKeys() map[string]any {
	c := take()
	defer pool.Put(c)
	c.keys = map[string]any{}
	return c.keys
}
