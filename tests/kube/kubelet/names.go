package kubelet

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// names stands in for the cluster's DNS: a file in the form of /etc/hosts for each namespace, in a
// folder that its pods see. It has the pods with a hostname and a subdomain, as a headless Service
// publishes them, from when they have an address; whether there is a Service is not looked at.
type names struct {
	folder string
	mutex  sync.Mutex
	lines  map[string]map[types.UID]string // by namespace
}

func newNames(folder string) *names {
	return &names{folder: folder, lines: map[string]map[types.UID]string{}}
}

// folderOf is the folder with the file `hosts` of a namespace.
func (n *names) folderOf(namespace string) string {
	return filepath.Join(n.folder, "names", namespace)
}

func (n *names) add(pod *corev1.Pod, address string) {
	host, domain := pod.Spec.Hostname, pod.Spec.Subdomain
	if host == "" || domain == "" {
		n.change(pod.Namespace, pod.UID, "") // there has to be a file
		return
	}
	short := host + "." + domain
	long := short + "." + pod.Namespace
	n.change(pod.Namespace, pod.UID, fmt.Sprintf("%s %s.svc.cluster.local %s.svc %s %s\n", address, long, long, long, short))
}

func (n *names) remove(namespace string, uid types.UID) { n.change(namespace, uid, "") }

func (n *names) change(namespace string, uid types.UID, line string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	lines := n.lines[namespace]
	if lines == nil {
		lines = map[types.UID]string{}
		n.lines[namespace] = lines
	}
	if line == "" {
		delete(lines, uid)
	} else {
		lines[uid] = line
	}
	var all []string
	for _, each := range lines {
		all = append(all, each)
	}
	sort.Strings(all)
	_ = n.write(namespace, "127.0.0.1 localhost\n"+strings.Join(all, ""))
}

// write replaces the file as a whole: a reader sees the old one or the new one.
func (n *names) write(namespace, text string) error {
	folder := n.folderOf(namespace)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	fresh := filepath.Join(folder, ".hosts")
	if err := os.WriteFile(fresh, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(fresh, filepath.Join(folder, "hosts"))
}
