// Command lab is a control plane to try things on: lab [-kube FILE] [COMMAND...] starts one with the
// tests' kubelet on one node, runs the command (a shell by default) with KUBECONFIG and PATH set,
// and ends it all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"sumac.dev/tests/kube/kubelet"
	"sumac.dev/tests/kube/lab"
)

func main() {
	kubelet.RunContainer()
	program := flag.String("kube", os.Getenv("SUMAC_KUBE"), "the program that build.sh makes")
	programs := flag.String("bin", "", "folder of the programs that pods run as processes; none: pods are only played")
	keep := flag.Bool("keep", false, "keep the folder with logs")
	flag.Parse()
	status, err := run(*program, *programs, *keep, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
	os.Exit(status)
}

func run(program, programs string, keep bool, args []string) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cluster, err := lab.Start(ctx, program, "")
	if err != nil {
		return 0, err
	}
	defer func() { cluster.Stop(keep) }()
	played, err := kubelet.StartFor(ctx, cluster)
	if err != nil {
		return 0, err
	}
	defer played.Stop()
	if programs != "" {
		// Containers run elsewhere.
		if programs, err = filepath.Abs(programs); err != nil {
			return 0, err
		}
		played.PlayPrograms("", kubelet.Programs{Folder: programs})
	}
	if _, err := played.AddNode(ctx, kubelet.NodeSpec{Name: "node-a"}); err != nil {
		return 0, err
	}
	for _, tool := range []string{"kubectl", "helm"} {
		if _, err := cluster.Tool(tool); err != nil {
			return 0, err
		}
	}
	if len(args) == 0 {
		args = []string{"bash"}
	}
	path := filepath.Join(cluster.Folder, "bin") + ":" + os.Getenv("PATH")
	if err := os.Setenv("PATH", path); err != nil {
		return 0, err
	}
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig("admin"), "SUMAC_LAB="+cluster.Folder)
	err = command.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
