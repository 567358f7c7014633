package lab

import (
	"net"
	"strings"
)

const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	frontProxy        = "front-proxy" // what the API server calls itself to others behind it
)

// etcd is reached through files, so that it needs no ports. Their paths are relative to the folder:
// the kernel takes at most 107 characters. etcd wants a port in a URL, which becomes part of the name.
const (
	etcdSocket = "unix://etcd.sock:0"
	peerSocket = "unix://peer.sock:0"
)

func (c *Cluster) etcdArgs() []string {
	return []string{
		"--name=lab", "--data-dir=etcd", "--log-level=warn",
		"--unsafe-no-fsync", // nothing here outlives a power cut
		"--listen-client-urls=" + etcdSocket, "--advertise-client-urls=" + etcdSocket,
		"--listen-peer-urls=" + peerSocket, "--initial-advertise-peer-urls=" + peerSocket,
		"--initial-cluster=lab=" + peerSocket,
	}
}

func (c *Cluster) apiServerArgs() []string {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(c.URL, "https://"))
	args := []string{
		"--etcd-servers=" + etcdSocket,
		"--bind-address=" + c.address, "--secure-port=" + port,
		"--tls-cert-file=keys/apiserver.crt", "--tls-private-key-file=keys/apiserver.key",
		"--client-ca-file=keys/ca.crt", "--token-auth-file=keys/tokens.csv",
		"--authorization-mode=Node,RBAC",
		"--kubelet-client-certificate=keys/kubelet-client.crt",
		"--kubelet-client-key=keys/kubelet-client.key",
		"--kubelet-certificate-authority=keys/ca.crt",
		"--kubelet-preferred-address-types=InternalIP", // node names are not in any DNS
		"--service-cluster-ip-range=" + serviceRange,
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=keys/service-accounts.pub",
		"--service-account-signing-key-file=keys/service-accounts.key",
		"--allow-privileged", "--event-ttl=10m",
		// For API servers behind this one, such as metrics-server: a node has no route to Services' addresses.
		"--enable-aggregator-routing",
		"--requestheader-client-ca-file=keys/ca.crt", "--requestheader-allowed-names=" + frontProxy,
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=keys/" + frontProxy + ".crt", "--proxy-client-key-file=keys/" + frontProxy + ".key",
	}
	if c.address != loopback {
		return append(args, "--advertise-address="+c.address)
	}
	return append(args,
		"--permit-port-sharing",           // with the socket that holds the port for us
		"--endpoint-reconciler-type=none", // a loopback address may not be advertised
	)
}

func (c *Cluster) controllerManagerArgs() []string {
	controllers := "*"
	if c.address == loopback { // played pods have loopback addresses, which endpoints may not have
		controllers += ",-endpoints-controller,-endpointslice-controller,-endpointslice-mirroring-controller"
	}
	return []string{
		"--kubeconfig=" + c.Kubeconfig("controller-manager"), "--leader-elect=false",
		"--secure-port=0", "--kube-api-qps=200", "--kube-api-burst=300",
		"--controllers=" + controllers,
		"--use-service-account-credentials",
		"--service-account-private-key-file=keys/service-accounts.key", "--root-ca-file=keys/ca.crt",
		"--node-monitor-period=1s", // a lost node is tainted at once
	}
}

func (c *Cluster) schedulerArgs() []string {
	return []string{
		"--kubeconfig=" + c.Kubeconfig("scheduler"), "--leader-elect=false",
		"--secure-port=0", "--kube-api-qps=200", "--kube-api-burst=300",
	}
}
