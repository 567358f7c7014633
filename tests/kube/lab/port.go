package lab

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// port is a port of 127.0.0.1 that the kernel chose. The socket stays bound, and never listens: no
// other process is given the port, while one that asks to share it (the API server with
// --permit-port-sharing) may listen there, again and again.
type port struct {
	number int
	fd     int
}

func reservePort() (*port, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	number, err := bindShared(fd)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return &port{number: number, fd: fd}, nil
}

func bindShared(fd int) (int, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	return address.(*unix.SockaddrInet4).Port, nil
}

func (p *port) release() { unix.Close(p.fd) }
