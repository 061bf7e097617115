// Command control-plane runs one component of a real Kubernetes control plane, named by its first argument, so that a single
// binary holds what a test cluster needs and nothing is downloaded as a binary.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fail("found no component")
	}
	name := os.Args[1]
	args := append([]string{name}, os.Args[2:]...)
	os.Args = args
	components := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	}
	if name == "etcd" {
		etcdmain.Main(args)
		return
	}
	command, known := components[name]
	if !known {
		fail(fmt.Sprintf("found `%s`", name))
	}
	os.Exit(cli.Run(command()))
}

func fail(found string) {
	fmt.Fprintf(os.Stderr, "expected etcd, kube-apiserver, kube-controller-manager or kube-scheduler, %s\n", found)
	os.Exit(2)
}
