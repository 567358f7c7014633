package lab

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// awaitReady asks the API server until it says that it is ready; that cannot be watched.
func (c *Cluster) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	client, err := rest.HTTPClientFor(c.Admin)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(between)
	defer ticker.Stop()
	for {
		if c.isReady(ctx, client) {
			return nil
		}
		select {
		case <-ticker.C:
		case <-c.process(apiServer).Done():
			return fmt.Errorf("the API server ended before it was ready")
		case <-c.process(etcd).Done():
			return fmt.Errorf("etcd ended before the API server was ready")
		case <-ctx.Done():
			return fmt.Errorf("the API server is not ready: %w", ctx.Err())
		}
	}
}

func (c *Cluster) isReady(ctx context.Context, client *http.Client) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/readyz", nil)
	if err != nil {
		return false
	}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// awaitDefaultServiceAccount waits for that of a namespace: no pod is taken before.
func (c *Cluster) awaitDefaultServiceAccount(ctx context.Context, namespace string) error {
	only := fields.OneTermEqualSelector("metadata.name", "default")
	source := cache.NewListWatchFromClient(c.Client.CoreV1().RESTClient(), "serviceaccounts", namespace, only)
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.ServiceAccount{}, nil,
		func(event watch.Event) (bool, error) { return event.Type == watch.Added, nil })
	if err != nil {
		return fmt.Errorf("wait for the default ServiceAccount of %s: %w", namespace, err)
	}
	return nil
}

// CreateNamespace makes a namespace in which pods can be made.
func (c *Cluster) CreateNamespace(ctx context.Context, name string, labels map[string]string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	_, err := c.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return c.awaitDefaultServiceAccount(ctx, name)
}
