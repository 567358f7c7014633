package kubelet

import (
	"context"
	"fmt"
	"os"

	"sumac.dev/tests/kube/lab"
)

// StartFor begins to play the pods of a lab's cluster, and complains on standard error.
func StartFor(ctx context.Context, cluster *lab.Cluster) (*Kubelet, error) {
	certificate, clients, err := cluster.NodeCertificate()
	if err != nil {
		return nil, err
	}
	config, err := cluster.Config("kubelet")
	if err != nil {
		return nil, err
	}
	return Start(ctx, Options{
		Config: config, Folder: cluster.Folder + "/kubelet", Certificate: certificate, Clients: clients,
		Seed: cluster.Port(),
		Complain: func(format string, args ...any) {
			fmt.Fprintf(os.Stderr, "kubelet: "+format+"\n", args...)
		},
	})
}
