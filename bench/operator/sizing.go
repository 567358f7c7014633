package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Parts of a mini-batch, and what steps take: as many workers as parts are fastest.
const (
	parts           = 4
	partSeconds     = 0.1
	exchangeSeconds = 0.01 // for each worker
)

const (
	searching = 4 * time.Minute // until all jobs have found their size, or nearly so
	settled   = 4 * time.Minute
)

// sizingResult is what an operator used while jobs trained.
type sizingResult struct {
	SearchingPercent float64 `json:"searchingPercentOfACore"`
	SettledPercent   float64 `json:"settledPercentOfACore"`
	SearchingWrites  float64 `json:"searchingStatusWritesAJob"`
	SettledWrites    float64 `json:"settledStatusWritesAJob"`
	Pods             int     `json:"pods"`
}

func (r sizingResult) String() string {
	return fmt.Sprintf("%.2f %% of a core in the first %v, %.2f %% in the next %v; %.1f and %.1f status writes a job; %d pods",
		r.SearchingPercent, searching, r.SettledPercent, settled, r.SearchingWrites, r.SettledWrites, r.Pods)
}

// measureSizings measures the kinds of jobs that are asked for, beside each other.
func measureSizings(ctx context.Context, o options) (map[string]sizingResult, error) {
	results := map[string]sizingResult{}
	var errs []error
	var mutex sync.Mutex
	var all sync.WaitGroup
	for _, name := range []string{"sizing", "sizing-fixed"} {
		if !strings.Contains(name, o.only) {
			continue
		}
		all.Go(func() {
			used, err := measureSizing(ctx, o, name == "sizing")
			mutex.Lock()
			defer mutex.Unlock()
			results[name] = used
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
				return
			}
			fmt.Printf("%s: %s\n", name, used)
		})
	}
	all.Wait()
	return results, errors.Join(errs...)
}

// measureSizing plays jobs that train for as long as it takes, and returns what the operator uses for
// them: jobs that size themselves, or of fixed size, which are asked for their progress, too.
func measureSizing(ctx context.Context, o options, sizesItself bool) (r sizingResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience+searching+settled)
	defer cancel()
	s, err := build(ctx, o, o.kwok)
	if err != nil {
		return r, err
	}
	defer s.end()
	if err := s.applyOurCRD(ctx, o); err != nil {
		return r, err
	}
	process, err := s.startOurs(ctx, o, 0)
	if err != nil {
		return r, err
	}
	play := startPlay(ctx, s)
	defer play.server.Close()
	for i := range o.jobs {
		if err := s.create(ctx, "sumac.dev/v1alpha1", "trainingjobs", sizingJob(o, i, sizesItself)); err != nil {
			return r, err
		}
	}
	if err := play.awaitJobs(ctx, o.jobs); err != nil {
		return r, err
	}
	type reading struct {
		cpu    float64
		writes int
	}
	read := func() (now reading) {
		if err == nil {
			now.cpu, err = cpuSeconds(process.ID())
		}
		counts, failed := s.requests("ours")
		if err == nil {
			err = failed
		}
		now.writes = counts["update trainingjobs/status"]
		return now
	}
	first := read()
	wait(ctx, searching)
	second := read()
	wait(ctx, settled)
	third := read()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	jobs := float64(o.jobs)
	return sizingResult{
		SearchingPercent: 100 * (second.cpu - first.cpu) / searching.Seconds(),
		SettledPercent:   100 * (third.cpu - second.cpu) / settled.Seconds(),
		SearchingWrites:  float64(second.writes-first.writes) / jobs,
		SettledWrites:    float64(third.writes-second.writes) / jobs,
		Pods:             play.pods(),
	}, err
}

func wait(ctx context.Context, least time.Duration) {
	select {
	case <-time.After(least):
	case <-ctx.Done():
	}
}

func sizingJob(o options, i int, sizesItself bool) map[string]any {
	job := trainingJob(o, i)
	spec := job["spec"].(map[string]any)
	training := spec["training"].(map[string]any)
	delete(training, "epochs")
	training["steps"], training["logicalWorkers"] = 100_000_000, parts
	spec["server"].(map[string]any)["replicas"] = 1
	worker := spec["worker"].(map[string]any)
	worker["replicas"] = parts
	if sizesItself {
		delete(worker, "replicas")
		worker["minReplicas"], worker["maxReplicas"] = 1, parts
		spec["autoscaling"] = map[string]any{"policy": "throughput"}
	}
	return job
}

// play answers for the slots 0 of all jobs: KWOK gives pods addresses of this machine.
type play struct {
	server http.Server

	mutex   sync.Mutex
	jobs    map[string]*played // by name
	servers map[string]*played // by the address of the job's server
	failed  error
}

// played is a job as its slot 0 tells it.
type played struct {
	uid                             string
	attempt                         int
	ready                           map[string]bool // workers, by name
	generation, changes             int
	since                           time.Time
	steps, gradientSeconds, waiting float64
}

func startPlay(ctx context.Context, s *stage) *play {
	p := &play{jobs: map[string]*played{}, servers: map[string]*played{}}
	p.server.Handler = http.HandlerFunc(p.answer)
	go func() {
		for pod := range s.watchPods(ctx, "sumac.dev/job-name") {
			p.see(pod)
		}
	}()
	return p
}

// serve answers at the address of a job's server.
func (p *play) serve(address string, job *played) {
	if address == "" || p.servers[address] == job {
		return
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort(address, "7071"))
	if err != nil {
		p.failed = err
		return
	}
	p.servers[address] = job
	go func() { _ = p.server.Serve(listener) }()
}

func (p *play) see(pod *corev1.Pod) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	name := pod.Labels["sumac.dev/job-name"]
	job := p.jobs[name]
	if job == nil {
		job = &played{uid: string(pod.OwnerReferences[0].UID), ready: map[string]bool{}, since: time.Now()}
		p.jobs[name] = job
	}
	job.attempt, _ = strconv.Atoi(pod.Labels["sumac.dev/attempt"])
	if pod.Labels["sumac.dev/role"] == "server" {
		p.serve(pod.Status.PodIP, job)
		return
	}
	trains := pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
	if trains == job.ready[pod.Name] {
		return
	}
	job.advance()
	if job.generation++; job.generation > 1 {
		job.changes++
	}
	if trains {
		job.ready[pod.Name] = true
	} else {
		delete(job.ready, pod.Name)
	}
}

// advance counts the steps since the last time.
func (j *played) advance() {
	now := time.Now()
	passed := now.Sub(j.since).Seconds()
	j.since = now
	workers := len(j.ready)
	if workers == 0 {
		return
	}
	busiest := (parts + workers - 1) / workers
	step := partSeconds*float64(busiest) + exchangeSeconds*float64(workers)
	own := partSeconds * float64(parts/workers) // of worker 0
	j.steps += passed / step
	j.gradientSeconds += passed / step * own
	j.waiting += passed / step * (step - own)
}

func (p *play) answer(w http.ResponseWriter, request *http.Request) {
	address, _, _ := net.SplitHostPort(request.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	p.mutex.Lock()
	defer p.mutex.Unlock()
	job := p.servers[address]
	if job == nil {
		http.NotFound(w, request)
		return
	}
	job.advance()
	_ = json.NewEncoder(w).Encode(map[string]any{
		"jobUid": job.uid, "attempt": job.attempt, "step": int(job.steps), "totalSteps": 100_000_000,
		"gradientSeconds": job.gradientSeconds, "sumWaitSeconds": job.waiting, "updateSeconds": 0, "dataWaitSeconds": 0,
		"membership": map[string]int{"term": 1, "generation": job.generation, "changes": job.changes, "workers": len(job.ready)},
	})
}

func (p *play) pods() (all int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, job := range p.jobs {
		all += len(job.ready) + 1
	}
	return all
}

// awaitJobs waits until so many jobs have workers and a server.
func (p *play) awaitJobs(ctx context.Context, jobs int) error {
	for {
		p.mutex.Lock()
		begun := 0
		for _, job := range p.jobs {
			if len(job.ready) > 0 {
				begun++
			}
		}
		begun = min(begun, len(p.servers))
		failed := p.failed
		p.mutex.Unlock()
		if failed != nil {
			return failed
		}
		if begun >= jobs {
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d jobs train: %w", begun, jobs, ctx.Err())
		}
	}
}
