package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

// Compact makes etcd forget all revisions before the newest: lists and watches from an older one
// are refused with 410.
func (c *Cluster) Compact(ctx context.Context) error {
	var status struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	if err := c.askEtcd(ctx, "maintenance/status", struct{}{}, &status); err != nil {
		return fmt.Errorf("ask etcd for its revision: %w", err)
	}
	request := map[string]any{"revision": status.Header.Revision, "physical": true}
	if err := c.askEtcd(ctx, "kv/compaction", request, &struct{}{}); err != nil {
		return fmt.Errorf("compact etcd at %s: %w", status.Header.Revision, err)
	}
	return nil
}

func (c *Cluster) askEtcd(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", c.path("etcd.sock:0"))
		},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd/v3/"+path,
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd says %s", response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
