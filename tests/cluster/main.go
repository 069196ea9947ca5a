// A Kubernetes control plane in one program, for tests on one machine. Each part is a subcommand that runs in a process
// of its own; cluster.py starts them together.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // time zones of CronJobs

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var parts = map[string]func() *cobra.Command{
	"certificates":            newCertificatesCommand,
	"etcd":                    newEtcdCommand,
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"process-node":            newProcessNodeCommand,
}

func main() {
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "Usage: control-plane PART [FLAGS]; the parts are the keys of the table in main.go")
		os.Exit(2)
	}
	// Only this part's command is made: the registries of flags and metrics are global.
	command := parts[os.Args[1]]()
	command.SetArgs(os.Args[2:])
	os.Exit(cli.Run(command))
}
