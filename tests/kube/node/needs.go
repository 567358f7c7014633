package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// packages are Debian's names of what a machine needs, by a program of each.
var packages = []struct{ program, name string }{
	{"/usr/bin/containerd", "containerd"},
	{"runc", "runc"},
	{"/usr/lib/cni/bridge", "containernetworking-plugins"},
	{"nft", "nftables"},
	{"conntrack", "conntrack"},
	{"ip", "iproute2"},
	{"nsenter", "util-linux"},
}

// Missing says what this machine or user lacks to run another machine in it; nil: nothing.
func Missing() error {
	if os.Geteuid() != 0 {
		return errors.New("a real node needs root")
	}
	var missing []string
	for _, each := range packages {
		if _, err := exec.LookPath(each.program); err != nil {
			missing = append(missing, each.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("a real node needs packages: apt-get install --no-install-recommends %s", strings.Join(missing, " "))
	}
	if len(hierarchies()) == 0 {
		return errors.New("a real node needs cgroups at " + groupRoot)
	}
	return nil
}
