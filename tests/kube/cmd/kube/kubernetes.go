package main

import (
	"context"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/restclient"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func runEtcd() int {
	etcdmain.Main(os.Args)
	return 0
}

func runAPIServer() int { return cli.Run(apiserver.NewAPIServerCommand()) }

func runControllerManager() int { return cli.Run(controllers.NewControllerManagerCommand()) }

func runScheduler() int { return cli.Run(scheduler.NewSchedulerCommand()) }

func runProxy() int { return cli.Run(proxy.NewProxyCommand()) }

// The kubelet installs its own signal handler: a context that has one already makes it panic.
func runKubelet() int { return cli.Run(kubelet.NewKubeletCommand(context.Background())) }

func runKubectl() int { return cli.Run(kubectl.NewDefaultKubectlCommand()) }
