package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// authority signs the certificates of one cluster. Its key is never written.
type authority struct {
	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// The client certificates: file name, user, groups.
var clients = []struct {
	name   string
	user   string
	groups []string
}{
	{"admin", "admin", []string{"system:masters"}},
	{"apiserver-etcd", "apiserver-etcd", nil},
	{"controller-manager", "system:kube-controller-manager", nil},
	{"scheduler", "system:kube-scheduler", nil},
	{"kwok", "kwok", []string{"system:masters"}},
	{"kuberay", "kuberay", []string{"system:masters"}},
	{"kueue", "kueue", []string{"system:masters"}},
	{"process-node", "system:node:" + processNodeName, []string{"system:nodes"}},
}

func newCertificatesCommand() *cobra.Command {
	var folder string
	command := &cobra.Command{Use: "certificates", RunE: func(*cobra.Command, []string) error {
		return makeCertificates(folder)
	}}
	command.Flags().StringVar(&folder, "folder", "", "where ca.crt, NAME.crt and NAME.key are written")
	return command
}

func makeCertificates(folder string) error {
	signer, err := newAuthority(folder)
	if err != nil {
		return err
	}
	server := certificateFor("kube-apiserver", nil)
	server.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.ExtKeyUsage = append(server.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	if err := signer.issue("server", server); err != nil {
		return err
	}
	for _, client := range clients {
		if err := signer.issue(client.name, certificateFor(client.user, client.groups)); err != nil {
			return err
		}
	}
	_, err = newKey(filepath.Join(folder, "service-accounts.key"))
	return err
}

func newAuthority(folder string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificateFor("ebb test cluster", nil)
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.ExtKeyUsage = nil // for servers and clients alike
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{folder, certificate, key}, writePEM(filepath.Join(folder, "ca.crt"), "CERTIFICATE", der)
}

// certificateFor is a template for a client; Kubernetes reads the user and its groups from the subject.
func certificateFor(user string, groups []string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: user, Organization: groups},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(30 * 24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
}

func (a *authority) issue(name string, template *x509.Certificate) error {
	key, err := newKey(filepath.Join(a.folder, name+".key"))
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(a.folder, name+".crt"), "CERTIFICATE", der)
}

func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
