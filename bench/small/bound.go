package small

// The least that a new arena can cost: an object for the arena, and one in which all values lie
// side by side. Their number and their types are known when this is compiled, and nothing is looked
// up. The collector has to be paid for these two objects whatever else an arena does.

// An arenaSize has the size of an arena.Arena, and pointers in it, as that has.
type arenaSize [4]*int

// arenaKept keeps the compiler from giving the arena a place on the stack.
//
//lint:ignore U1000 it is only written
var arenaKept *arenaSize

// bound1 is in1 for ten values.
func bound1(n int) int {
	arenaKept = new(arenaSize)
	values := new([10]t0)
	for i := range n {
		kept[0] = &values[i]
	}
	return n
}

// bound5 is inOf(5) for ten values.
func bound5(n int) int {
	arenaKept = new(arenaSize)
	values := new(struct {
		v0 [2]t0
		v1 [2]t1
		v2 [2]t2
		v3 [2]t3
		v4 [2]t4
	})
	for i, j, t := 0, 0, 0; i < n; i++ {
		switch t {
		case 0:
			kept[0] = &values.v0[j]
		case 1:
			kept[1] = &values.v1[j]
		case 2:
			kept[2] = &values.v2[j]
		case 3:
			kept[3] = &values.v3[j]
		case 4:
			kept[4] = &values.v4[j]
		}
		if t++; t == 5 {
			t, j = 0, j+1
		}
	}
	return n
}

// bound8 is inOf(8) for 62 values.
func bound8(n int) int {
	arenaKept = new(arenaSize)
	values := new(struct {
		v0 [8]t0
		v1 [8]t1
		v2 [8]t2
		v3 [8]t3
		v4 [8]t4
		v5 [8]t5
		v6 [8]t6
		v7 [8]t7
	})
	for i, j, t := 0, 0, 0; i < n; i++ {
		switch t {
		case 0:
			kept[0] = &values.v0[j]
		case 1:
			kept[1] = &values.v1[j]
		case 2:
			kept[2] = &values.v2[j]
		case 3:
			kept[3] = &values.v3[j]
		case 4:
			kept[4] = &values.v4[j]
		case 5:
			kept[5] = &values.v5[j]
		case 6:
			kept[6] = &values.v6[j]
		case 7:
			kept[7] = &values.v7[j]
		}
		if t++; t == 8 {
			t, j = 0, j+1
		}
	}
	return n
}
