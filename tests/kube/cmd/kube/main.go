// Command kube is every program of a Kubernetes cluster in one file. It runs the program that it is
// called by (a link named kubectl), or the one that its first argument names (kube kubectl ...).
//
// One link takes minutes and gigabytes; nine would take nine times that, and share nothing.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Each runs one program with os.Args set as its own, and returns its exit status.
var programs = map[string]func() int{
	"coredns":                 runCoreDNS,
	"etcd":                    runEtcd,
	"helm":                    runHelm,
	"kube-apiserver":          runAPIServer,
	"kube-controller-manager": runControllerManager,
	"kube-proxy":              runProxy,
	"kube-scheduler":          runScheduler,
	"kubectl":                 runKubectl,
	"kubelet":                 runKubelet,
}

func main() {
	name := filepath.Base(os.Args[0])
	if _, known := programs[name]; !known && len(os.Args) > 1 {
		os.Args = os.Args[1:]
		name = os.Args[0]
	}
	run, known := programs[name]
	if !known {
		fmt.Fprintf(os.Stderr, "kube: no program %q; name one of: %s\n", name, names())
		os.Exit(2)
	}
	os.Exit(run())
}

func names() string {
	var all []string
	for name := range programs {
		all = append(all, name)
	}
	sort.Strings(all)
	return strings.Join(all, ", ")
}
