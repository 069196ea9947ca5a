package main

import (
	"errors"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

func newEtcdCommand() *cobra.Command {
	var data, client, peer, certificates string
	command := &cobra.Command{Use: "etcd", RunE: func(*cobra.Command, []string) error {
		return runEtcd(data, client, peer, certificates)
	}}
	command.Flags().StringVar(&data, "data", "", "folder of the database")
	command.Flags().StringVar(&client, "client", "", "URL for clients")
	command.Flags().StringVar(&peer, "peer", "", "URL for other members; there are none")
	command.Flags().StringVar(&certificates, "certificates", "", "folder that \"certificates\" filled")
	return command
}

func runEtcd(data, client, peer, certificates string) error {
	config, err := etcdConfig(data, client, peer, certificates)
	if err != nil {
		return err
	}
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	select {
	case err := <-server.Err():
		return err
	case <-server.Server.StopNotify():
		return errors.New("etcd stopped")
	}
}

func etcdConfig(data, client, peer, certificates string) (*embed.Config, error) {
	clientURL, err := url.Parse(client)
	if err != nil {
		return nil, err
	}
	peerURL, err := url.Parse(peer)
	if err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Dir = data
	config.ListenClientUrls = []url.URL{*clientURL}
	config.AdvertiseClientUrls = config.ListenClientUrls
	config.ListenPeerUrls = []url.URL{*peerURL}
	config.AdvertisePeerUrls = config.ListenPeerUrls
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.ClientTLSInfo.CertFile = filepath.Join(certificates, "server.crt")
	config.ClientTLSInfo.KeyFile = filepath.Join(certificates, "server.key")
	config.ClientTLSInfo.TrustedCAFile = filepath.Join(certificates, "ca.crt")
	config.ClientTLSInfo.ClientCertAuth = true
	config.EnableGRPCGateway = false
	// The database outlives processes, not the machine, and has room for 10,000 Jobs and their history.
	config.UnsafeNoFsync = true
	config.LogLevel = "warn"
	// embed leaves this at 0, so that every request would be slow.
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration
	config.QuotaBackendBytes = 4 << 30
	return config, config.Validate()
}
