package node

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// The network inside a machine. It is the machine's own, so all have the same, and no pod reaches
// anything outside.
const (
	bridge   = "pods"
	podRange = "10.244.0.0/24"
	apiPort  = 6443
)

// Address is that of the node, where API server, kubelet and DNS listen.
const Address = "10.244.0.1"

func (p *plan) connectNetwork() error {
	if err := syscall.Sethostname([]byte(NodeName)); err != nil {
		return err
	}
	for _, line := range []string{
		"link set lo up",
		"link add " + bridge + " type bridge",
		"addr add " + Address + "/24 dev " + bridge,
		"link set " + bridge + " up",
	} {
		if said, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", line, err, said)
		}
	}
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644)
}

// forward passes connections at a socket of the outside on to the API server.
func forward(outside net.Listener) {
	for {
		connection, err := outside.Accept()
		if err != nil {
			return
		}
		go func() {
			defer connection.Close()
			inside, err := net.Dial("tcp", net.JoinHostPort(Address, strconv.Itoa(apiPort)))
			if err != nil {
				return
			}
			defer inside.Close()
			join(connection.(*net.TCPConn), inside.(*net.TCPConn))
		}()
	}
}

// join copies both ways until both have ended.
func join(a, b *net.TCPConn) {
	one := make(chan struct{})
	go func() {
		defer close(one)
		_, _ = io.Copy(a, b)
		_ = a.CloseWrite()
	}()
	_, _ = io.Copy(b, a)
	_ = b.CloseWrite()
	<-one
}
