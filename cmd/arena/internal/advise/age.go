package advise

import "cmp"

// leastHeap is the heap at which the first cycle of the collector begins, with GOGC=100.
const leastHeap = 4 << 20

// ages turns the lives of sites into cycles as they would be with GOGC=100. A cycle allocates what
// lives then, so a cache that is the whole heap lives for one. With GOGC=400 it lives for a quarter
// of one, and with a memory limit that starts the collector for more. What a site has of the live
// heap, by what it has of the allocations, is the same for all of them.
func (a *Advice) ages(in Input, sites map[siteKey]*siteInfo) {
	var live float64
	for _, info := range sites {
		live += float64(info.inuse)
	}
	perLive := a.PerCycle / max(live, leastHeap)
	if in.Heap == nil || len(in.Live) > 0 { // in use is what is left at the end, or the least; more may have lived when cycles began
		perLive = min(perLive, cmp.Or(in.GOGC, 100)/100)
	}
	if live < leastHeap { // then cycles do not begin for what lives
		perLive = max(perLive, 1)
	}
	for _, info := range sites {
		info.age = info.life * perLive
	}
}
