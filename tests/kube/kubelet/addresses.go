package kubelet

import (
	"fmt"
	"sync"
)

// addresses hands out 127.a.b.1 to .254, where a and b are the kubelet's: all of 127.0.0.0/8 is this
// machine. An address that was given back is taken again as late as possible. The last is shared: by
// scripted pods, which listen nowhere, when half of the others are taken, and else when all are.
type addresses struct {
	mutex sync.Mutex
	free  []string
	last  string
}

func newAddresses(seed uint16) *addresses {
	a := &addresses{}
	high, low := byte(seed>>8), byte(seed)
	if high == 0 || high == 127 { // 127.0.0.1 and its like are others'
		high = 1
	}
	for i := 1; i < 254; i++ {
		a.free = append(a.free, fmt.Sprintf("127.%d.%d.%d", high, low, i))
	}
	a.last = fmt.Sprintf("127.%d.%d.254", high, low)
	return a
}

// keptForPrograms are not taken by scripted pods, of which hundreds stay when their scenarios are over.
const keptForPrograms = 127

func (a *addresses) take(listens bool) string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if len(a.free) == 0 || !listens && len(a.free) <= keptForPrograms {
		return a.last
	}
	address := a.free[0]
	a.free = a.free[1:]
	return address
}

func (a *addresses) give(address string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if address != a.last {
		a.free = append(a.free, address)
	}
}
