// Command informer keeps the kinds of object that the operator watches in client-go's shared informers and does nothing else, so that
// its memory and CPU can stand beside the operator's.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 2 {
		fail("expected the path of a kubeconfig and nothing else")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		fail(err.Error())
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail(err.Error())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer()
	factory.Core().V1().Pods().Informer()
	factory.Core().V1().Events().Informer()
	factory.Apps().V1().Deployments().Informer()
	factory.Apps().V1().ReplicaSets().Informer()
	factory.Batch().V1().Jobs().Informer()
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			fail(fmt.Sprintf("expected %v to be listed, found that it was not", kind))
		}
	}
	fmt.Println("synced")
	<-ctx.Done()
}

func fail(found string) {
	fmt.Fprintln(os.Stderr, found)
	os.Exit(1)
}
