package kubelet

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// logServer is what the API server asks for logs, so that `kubectl logs -f` works.
type logServer struct {
	kubelet *Kubelet
	socket  net.Listener
	server  *http.Server
}

func startLogServer(k *Kubelet) (*logServer, error) {
	socket, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{k.options.Certificate},
		ClientCAs:    k.options.Clients,
		ClientAuth:   tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		return nil, fmt.Errorf("listen for requests of logs: %w", err)
	}
	s := &logServer{kubelet: k, socket: socket}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", s.logs)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	k.done.Go(func() {
		if err := s.server.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			k.complain("the server of logs ended: %v", err)
		}
	})
	return s, nil
}

func (s *logServer) port() int32 { return int32(s.socket.Addr().(*net.TCPAddr).Port) }

func (s *logServer) stop() { _ = s.server.Close() }

func (s *logServer) logs(answer http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	container := s.kubelet.containerOf(request.PathValue("namespace"), request.PathValue("pod"), request.PathValue("container"))
	var log *logBuffer
	if container != nil && query.Get("previous") == "true" {
		log = container.previous.Load()
	} else if container != nil {
		log = container.log.Load()
	}
	if log == nil {
		http.Error(answer, "no such container", http.StatusNotFound)
		return
	}
	stamped := query.Get("timestamps") == "true"
	lines, more, closed := log.from(0)
	seen := len(lines)
	if wanted, err := strconv.Atoi(query.Get("tailLines")); err == nil && wanted < len(lines) {
		lines = lines[len(lines)-max(wanted, 0):]
	}
	answer.Header().Set("Content-Type", "text/plain")
	for {
		for _, line := range lines {
			if stamped {
				fmt.Fprint(answer, line.at.Format(time.RFC3339Nano), " ")
			}
			fmt.Fprintln(answer, line.text)
		}
		_ = http.NewResponseController(answer).Flush()
		if query.Get("follow") != "true" || closed {
			return
		}
		select {
		case <-more:
		case <-request.Context().Done():
			return
		}
		lines, more, closed = log.from(seen)
		seen += len(lines)
	}
}

// containerOf is one that the kubelet still knows.
func (k *Kubelet) containerOf(namespace, name, wanted string) *container {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, pod := range k.pods {
		if pod.namespace != namespace || pod.name != name {
			continue
		}
		for _, each := range pod.containers {
			if each.spec.Name == wanted {
				return each
			}
		}
	}
	return nil
}
