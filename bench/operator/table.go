package main

import (
	"fmt"
	"slices"
	"strings"
)

// table is what docs/performance.md shows: medians, with the lowest and highest of the runs.
func table(o options, results map[string][]result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%d jobs of %d pods, %d nodes of KWOK, medians (lowest to highest) of %d runs\n\n",
		o.jobs, o.workers+o.servers, nodes, o.runs)
	out.WriteString("| | created p50, s | p99, s | all, s | pods/s | creates/s | of bare | requests a job | CPU s | MiB |\n")
	out.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	limit := median(results["bare"], func(r result) float64 { return r.Creates })
	for _, c := range candidates(o) {
		runs := results[c.name]
		if len(runs) == 0 {
			continue
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.name,
			spread(runs, func(r result) float64 { return r.P50 }),
			spread(runs, func(r result) float64 { return r.P99 }),
			spread(runs, func(r result) float64 { return r.AllCreated }),
			spread(runs, func(r result) float64 { return r.PodsASecond }),
			spread(runs, func(r result) float64 { return r.Creates }),
			share(median(runs, func(r result) float64 { return r.Creates }), limit),
			spread(runs, func(r result) float64 { return r.RequestsAJob }),
			spread(runs, func(r result) float64 { return r.CPUSeconds }),
			spread(runs, func(r result) float64 { return r.ResidentMiB }))
	}
	for _, r := range results["memory"] {
		fmt.Fprintf(&out, "\n%d jobs of %d pods: %.1f MiB resident\n", manyJobs, o.workers+o.servers, r.ResidentMiB)
	}
	return out.String()
}

func sorted(runs []result, of func(result) float64) []float64 {
	var values []float64
	for _, r := range runs {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values
}

func median(runs []result, of func(result) float64) float64 {
	if len(runs) == 0 {
		return 0
	}
	return sorted(runs, of)[len(runs)/2]
}

func spread(runs []result, of func(result) float64) string {
	values := sorted(runs, of)
	return fmt.Sprintf("%.1f (%.1f to %.1f)", values[len(values)/2], values[0], values[len(values)-1])
}

func share(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*part/whole)
}
