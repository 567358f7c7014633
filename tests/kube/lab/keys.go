package lab

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs the certificates of one cluster.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	address     string // of the cluster's servers
}

// pair is a certificate and its key, both as PEM.
type pair struct{ certificate, key []byte }

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func template(name pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               name,
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(7 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
	}, nil
}

func newAuthority(address string) (*authority, error) {
	key, _, err := newKey()
	if err != nil {
		return nil, err
	}
	self, err := template(pkix.Name{CommonName: "sumac-lab"})
	if err != nil {
		return nil, err
	}
	self.IsCA = true
	self.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, self, self, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{certificate: certificate, key: key, address: address}, err
}

func (a *authority) pem() []byte { return certificatePEM(a.certificate.Raw) }

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// sign makes a pair for a server on 127.0.0.1 and the cluster's address, which may also be a client.
func (a *authority) sign(name pkix.Name, hosts ...string) (pair, error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return pair{}, err
	}
	subject, err := template(name)
	if err != nil {
		return pair{}, err
	}
	subject.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	subject.DNSNames = hosts
	subject.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(serviceIP), net.ParseIP(a.address)}
	der, err := x509.CreateCertificate(rand.Reader, subject, a.certificate, key.Public(), a.key)
	return pair{certificate: certificatePEM(der), key: keyPEM}, err
}

func publicPEM(key crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), err
}

// writeKeys makes all that the control plane's programs read, in folder.
func writeKeys(folder string, ca *authority) error {
	files := map[string][]byte{"ca.crt": ca.pem()}
	subjects := []struct {
		file  string
		name  pkix.Name
		hosts []string
	}{
		{"apiserver", pkix.Name{CommonName: "kube-apiserver"}, []string{"localhost", "kubernetes",
			"kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}},
		{"kubelet-client", pkix.Name{CommonName: "apiserver", Organization: []string{"system:masters"}}, nil},
		{frontProxy, pkix.Name{CommonName: frontProxy}, nil},
	}
	for _, subject := range subjects {
		made, err := ca.sign(subject.name, subject.hosts...)
		if err != nil {
			return fmt.Errorf("make the certificate of %s: %w", subject.file, err)
		}
		files[subject.file+".crt"], files[subject.file+".key"] = made.certificate, made.key
	}
	key, private, err := newKey()
	if err != nil {
		return err
	}
	public, err := publicPEM(key.Public())
	if err != nil {
		return err
	}
	files["service-accounts.key"], files["service-accounts.pub"] = private, public
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
