package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sumac.dev/tests/kube/lab"
)

// What this program is called as the first process of a machine, and as the one that starts the rest.
const (
	firstName  = "sumac-machine"
	keeperName = "sumac-machine-keeper"
)

// ready is what the machine reports when its pods can run; it says nothing else.
const ready = "ready"

// RunMachine makes this process one of a machine, and does not return, when it was started as one;
// else it does nothing. The first thing that main does in whatever starts machines.
func RunMachine() {
	switch filepath.Base(os.Args[0]) {
	case firstName:
		os.Exit(runFirst())
	case keeperName:
		fmt.Fprintln(os.Stderr, "machine:", runKeeper())
		os.Exit(1)
	}
}

// runFirst starts the keeper and reaps what the kernel hands to the first process of a namespace,
// such as containerd's shims. When the keeper ends, so does the machine.
func runFirst() int {
	socket, lock, report := uintptr(firstFile), firstFile+1, uintptr(firstFile+2)
	for _, each := range []int{int(socket), lock, int(report)} {
		unix.CloseOnExec(each) // the lock is held by this process alone
	}
	keeper, err := syscall.ForkExec("/proc/self/exe", append([]string{keeperName}, os.Args[1:]...), &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2, socket, report},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "machine:", err)
		return 1
	}
	unix.Close(int(socket))
	unix.Close(int(report))
	for {
		var status unix.WaitStatus
		ended, err := unix.Wait4(-1, &status, 0, nil)
		if ended == keeper || err != nil && err != unix.EINTR {
			return 1
		}
	}
}

// runKeeper puts the machine together and runs until it is killed. Returns only with a failure.
func runKeeper() error {
	socket, report := os.NewFile(firstFile, "socket"), os.NewFile(firstFile+1, "report")
	unix.CloseOnExec(firstFile)
	unix.CloseOnExec(firstFile + 1)
	var p plan
	if err := json.Unmarshal([]byte(os.Args[1]), &p); err != nil {
		return err
	}
	listener, err := net.FileListener(socket)
	if err != nil {
		return err
	}
	socket.Close()
	if err := p.enterGroup(); err != nil {
		return err
	}
	if err := p.mountAll(); err != nil {
		return fmt.Errorf("put the file system together: %w", err)
	}
	if err := p.connectNetwork(); err != nil {
		return fmt.Errorf("set the network up: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cluster, err := lab.StartAt(ctx, p.Program, p.Folder, Address, apiPort)
	if err != nil {
		return err
	}
	if err := p.startNode(ctx, cluster); err != nil {
		return err
	}
	go forward(listener)
	if _, err := report.WriteString(ready); err != nil {
		return err
	}
	report.Close()
	select {}
}
