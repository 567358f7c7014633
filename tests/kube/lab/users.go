package lab

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// user has a fixed token; what it may do is its group's.
type user struct{ file, name, group string }

var users = []user{
	{"admin", "admin", "system:masters"},
	{"kubelet", "tests-kubelet", "system:masters"},
	{"controller-manager", "system:kube-controller-manager", ""},
	{"scheduler", "system:kube-scheduler", ""},
	{"kube-proxy", "system:kube-proxy", ""},
	{"coredns", "system:coredns", ""},
	{"node", "system:node:" + NodeName, "system:nodes"},
}

// NodeName is the name of the real node, where there is one.
const NodeName = "node"

// writeUsers makes the file of tokens and a kubeconfig for each user.
func (c *Cluster) writeUsers() error {
	var lines strings.Builder
	for _, user := range users {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return err
		}
		token := hex.EncodeToString(random)
		fmt.Fprintf(&lines, "%s,%s,%s,\"%s\"\n", token, user.name, user.name, user.group)
		config := c.kubeconfig(user.name, &clientcmdapi.AuthInfo{Token: token}, "default")
		if err := clientcmd.WriteToFile(*config, c.Kubeconfig(user.file)); err != nil {
			return err
		}
	}
	return os.WriteFile(c.path("keys/tokens.csv"), []byte(lines.String()), 0o600)
}

func (c *Cluster) kubeconfig(user string, auth *clientcmdapi.AuthInfo, namespace string) *clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters["lab"] = &clientcmdapi.Cluster{Server: c.URL, CertificateAuthorityData: c.authority.pem()}
	config.AuthInfos[user] = auth
	config.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: user, Namespace: namespace}
	config.CurrentContext = "lab"
	return config
}

// Kubeconfig is the path of a user's kubeconfig: admin, or one that is named by its maker.
func (c *Cluster) Kubeconfig(user string) string { return c.path("config/" + user + ".kubeconfig") }

// Config is a client's configuration for a user, without a limit of requests.
func (c *Cluster) Config(user string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig(user))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return config, nil
}

// ServiceAccountKubeconfig writes a kubeconfig with a token of an existing ServiceAccount, which may
// do what its bindings allow and nothing else, and returns its path.
func (c *Cluster) ServiceAccountKubeconfig(ctx context.Context, namespace, name string) (string, error) {
	hours := int64(12 * 3600)
	request := &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &hours},
	}
	answer, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request,
		metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask for a token of %s/%s: %w", namespace, name, err)
	}
	file := namespace + "." + name
	token := filepath.Join(c.path("keys"), file+".token")
	if err := os.WriteFile(token, []byte(answer.Status.Token), 0o600); err != nil {
		return "", err
	}
	config := c.kubeconfig(file, &clientcmdapi.AuthInfo{TokenFile: token}, namespace)
	return c.Kubeconfig(file), clientcmd.WriteToFile(*config, c.Kubeconfig(file))
}

// KubeconfigFor writes the administrator's kubeconfig for who reaches the API server at another URL,
// to a file.
func (c *Cluster) KubeconfigFor(url, file string) error {
	config, err := clientcmd.LoadFromFile(c.Kubeconfig("admin"))
	if err != nil {
		return err
	}
	config.Clusters["lab"].Server = url
	return clientcmd.WriteToFile(*config, file)
}

// WriteNodeCertificate puts what a kubelet shows to clients into the folder of keys, as node.crt and
// node.key.
func (c *Cluster) WriteNodeCertificate() error {
	made, err := c.authority.sign(pkix.Name{CommonName: NodeName}, NodeName)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(c.path("keys/node.crt"), made.certificate, 0o600),
		os.WriteFile(c.path("keys/node.key"), made.key, 0o600))
}

// NodeCertificate is what a kubelet on 127.0.0.1 shows, and who may ask it: the API server.
func (c *Cluster) NodeCertificate() (tls.Certificate, *x509.CertPool, error) {
	made, err := c.authority.sign(pkix.Name{CommonName: "tests-kubelet"})
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	certificate, err := tls.X509KeyPair(made.certificate, made.key)
	clients := x509.NewCertPool()
	clients.AddCert(c.authority.certificate)
	return certificate, clients, err
}

// Port is that of the API server; no other cluster on this machine has it.
func (c *Cluster) Port() uint16 { return uint16(c.port.number) }
