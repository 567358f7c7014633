// Command cluster runs a Kubernetes with a real node on this machine, to try things on and for tests:
// cluster [--name NAME] up|down|status|kubectl|import|inside. tests/kube/cluster builds and calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"sumac.dev/tests/kube/node"
)

const usage = `usage: tests/kube/cluster [--name NAME] COMMAND

  up                starts a Kubernetes with a real node, and prints how to reach it
  down              ends it, and leaves nothing
  status            says whether it runs
  kubectl ARGS...   runs kubectl on it
  import FILE...    puts images (docker save) into its node
  inside ARGS...    runs a command where its node is: ctr, nft, ip, ps
`

// skipped is the exit status where this machine cannot run one.
const skipped = 77

type commands struct {
	settings node.Settings
}

func main() {
	node.RunMachine()
	var c commands
	flag.StringVar(&c.settings.Program, "kube", os.Getenv("SUMAC_KUBE"), "the program that build.sh makes")
	flag.StringVar(&c.settings.Pause, "pause", os.Getenv("SUMAC_PAUSE"), "the program of sandboxes")
	flag.StringVar(&c.settings.Folder, "folder", os.Getenv("SUMAC_MACHINES"), "where clusters have their files")
	flag.StringVar(&c.settings.Name, "name", "cluster", "one of several on this machine")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := c.run(ctx, flag.Args())
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func (c *commands) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	switch args[0] {
	case "up":
		return c.up(ctx)
	case "down":
		return c.down()
	case "status":
		return c.status()
	case "kubectl":
		return c.kubectl(args[1:])
	case "import":
		return c.importImages(ctx, args[1:])
	case "inside":
		m, err := c.running()
		if err != nil {
			return err
		}
		return attached(m.Inside(ctx, args[1:]...))
	}
	flag.Usage()
	os.Exit(2)
	return nil
}

func (c *commands) up(ctx context.Context) error {
	if err := node.Missing(); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(skipped)
	}
	begin := time.Now()
	c.settings.Outlive = true
	m, err := node.Start(ctx, c.settings)
	if used := (*node.InUse)(nil); errors.As(err, &used) {
		fmt.Fprintf(os.Stderr, "cluster: %v; end it with: tests/kube/cluster --name %s down\n", err, used.Name)
		return c.status()
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "cluster: up after %.1f s\n", time.Since(begin).Seconds())
	fmt.Println("export KUBECONFIG=" + m.Kubeconfig())
	return nil
}

func (c *commands) down() error {
	begin := time.Now()
	m, err := node.Find(c.settings.Folder, c.settings.Name)
	if err != nil {
		return err
	}
	if m == nil {
		return node.CleanRemains(c.settings.Folder)
	}
	if err := m.Stop(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "cluster: down after %.1f s\n", time.Since(begin).Seconds())
	return nil
}

func (c *commands) running() (*node.Machine, error) {
	m, err := node.Find(c.settings.Folder, c.settings.Name)
	if err == nil && m == nil {
		err = fmt.Errorf("there is no cluster named %s; start it with: tests/kube/cluster up", c.settings.Name)
	}
	return m, err
}

func (c *commands) status() error {
	m, err := c.running()
	if err != nil {
		return err
	}
	fmt.Println("export KUBECONFIG=" + m.Kubeconfig())
	return c.kubectl([]string{"get", "nodes,pods", "--all-namespaces"})
}

func (c *commands) kubectl(args []string) error {
	m, err := c.running()
	if err != nil {
		return err
	}
	command := exec.Command(filepath.Join(m.Folder, "bin", "kubectl"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+m.Kubeconfig())
	return attached(command)
}

func (c *commands) importImages(ctx context.Context, files []string) error {
	m, err := c.running()
	if err != nil {
		return err
	}
	for _, each := range files {
		path, err := filepath.Abs(each)
		if err != nil {
			return err
		}
		if err := m.Import(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func attached(command *exec.Cmd) error {
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	return command.Run()
}
