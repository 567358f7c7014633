// Command operator measures how fast operators make the pods of many jobs: Sumac's, Kubeflow's
// training-operator, and, as the limit, a bare loop of creates; and what Sumac's uses while jobs train,
// those that size themselves beside those of fixed size. Each measurement has a control plane
// of its own, on which KWOK plays the nodes. bench/operator/run.sh builds what it needs.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// options are what the command line says.
type options struct {
	kube, kwok, peer, bin, root, crds string
	only                              string
	jobs, workers, servers            int
	runs                              int
	output                            string
}

func parseOptions() options {
	var o options
	flag.StringVar(&o.kube, "kube", "", "the program that tests/kube/build.sh kube makes")
	flag.StringVar(&o.kwok, "kwok", "", "the program that tests/kube/build.sh kwok makes")
	flag.StringVar(&o.peer, "peer", "", "training-operator; without it, it is left out")
	flag.StringVar(&o.crds, "peer-crds", "", "the folder of training-operator's CRDs, for kubectl -k")
	flag.StringVar(&o.bin, "bin", "build/release/bin", "the folder of our programs")
	flag.StringVar(&o.root, "root", ".", "the root of the sources")
	flag.StringVar(&o.only, "only", "", "candidates whose names contain this")
	flag.IntVar(&o.jobs, "jobs", 100, "jobs, created at once")
	flag.IntVar(&o.workers, "workers", 8, "workers of a job")
	flag.IntVar(&o.servers, "servers", 2, "servers of a job")
	flag.IntVar(&o.runs, "runs", 3, "runs of each candidate, in turn")
	flag.StringVar(&o.output, "output", "build/bench/operator.json", "where the results go")
	flag.Parse()
	return o
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, parseOptions()); err != nil {
		fmt.Fprintln(os.Stderr, "bench/operator:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	results := map[string][]result{}
	for round := range o.runs {
		for _, c := range candidates(o) {
			if !strings.Contains(c.name, o.only) {
				continue
			}
			r, err := measure(ctx, o, c)
			if err != nil {
				return fmt.Errorf("%s, run %d: %w", c.name, round+1, err)
			}
			fmt.Printf("%-18s run %d: %s\n", c.name, round+1, r)
			results[c.name] = append(results[c.name], r)
		}
	}
	if strings.Contains("memory", o.only) {
		kept, err := measureMemory(ctx, o)
		if err != nil {
			return fmt.Errorf("memory: %w", err)
		}
		fmt.Println("memory:", kept)
		results["memory"] = []result{kept}
	}
	all := map[string]any{}
	for name, runs := range results {
		all[name] = runs
	}
	used, err := measureSizings(ctx, o)
	if err != nil {
		return err
	}
	for name, each := range used {
		all[name] = each
	}
	if len(results) > 0 {
		fmt.Print(table(o, results))
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.output, append(text, '\n'), 0o644)
}
