package kubelet

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probe asks a container whether it is ready, as its probe says, until done. Probes that run a
// command are not played: their container is ready.
func (p *Pod) probe(c *container, probe *corev1.Probe, done <-chan struct{}) {
	ask := p.question(c, probe)
	timer := time.NewTimer(time.Duration(probe.InitialDelaySeconds) * time.Second)
	defer timer.Stop()
	ready, successes, failures := false, int32(0), int32(0)
	for {
		select {
		case <-timer.C:
		case <-done:
			return
		case <-p.ctx.Done():
			return
		}
		if ask() {
			successes, failures = successes+1, 0
		} else {
			successes, failures = 0, failures+1
		}
		turned := ready
		if successes >= max(probe.SuccessThreshold, 1) {
			turned = true
		} else if failures >= max(probe.FailureThreshold, 1) {
			turned = false
		}
		if turned != ready {
			ready = turned
			p.do(func() { c.ready = turned && c.state.Running != nil })
		}
		timer.Reset(time.Duration(max(probe.PeriodSeconds, 1)) * time.Second)
	}
}

func (p *Pod) question(c *container, probe *corev1.Probe) func() bool {
	timeout := time.Duration(max(probe.TimeoutSeconds, 1)) * time.Second
	switch {
	case probe.HTTPGet != nil:
		scheme := strings.ToLower(string(probe.HTTPGet.Scheme))
		if scheme == "" {
			scheme = "http"
		}
		url := scheme + "://" + p.hostPort(c, probe.HTTPGet.Host, probe.HTTPGet.Port) + probe.HTTPGet.Path
		client := &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true}}
		return func() bool { return isHealthy(p.ctx, client, url) }
	case probe.TCPSocket != nil:
		address := p.hostPort(c, probe.TCPSocket.Host, probe.TCPSocket.Port)
		return func() bool {
			connection, err := net.DialTimeout("tcp", address, timeout)
			if err == nil {
				connection.Close()
			}
			return err == nil
		}
	}
	return func() bool { return true }
}

func isHealthy(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode >= 200 && answer.StatusCode < 400
}

func (p *Pod) hostPort(c *container, host string, port intstr.IntOrString) string {
	if host == "" {
		host = p.address
	}
	number := port.IntValue()
	for _, each := range c.spec.Ports {
		if port.Type == intstr.String && each.Name == port.StrVal {
			number = int(each.ContainerPort)
		}
	}
	return net.JoinHostPort(host, strconv.Itoa(number))
}
