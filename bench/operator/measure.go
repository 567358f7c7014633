package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"sumac.dev/tests/kube/proc"
)

const (
	submitters = 16
	patience   = 10 * time.Minute
)

// result is what one run gave. Times are seconds from the submission of a job, or of the first one.
type result struct {
	P50          float64        `json:"p50CreatedSeconds"`
	P99          float64        `json:"p99CreatedSeconds"`
	AllCreated   float64        `json:"allCreatedSeconds"`
	AllRunning   float64        `json:"allRunningSeconds"`
	PodsASecond  float64        `json:"podsCreatedASecond"`
	Creates      float64        `json:"createsASecond"` // of all objects, until the last pod
	RequestsAJob float64        `json:"requestsAJob"`
	Requests     map[string]int `json:"requests,omitempty"`
	CPUSeconds   float64        `json:"cpuSeconds"`
	ResidentMiB  float64        `json:"residentMiB"`
}

func (r result) String() string {
	return fmt.Sprintf("created p50 %.1f s, p99 %.1f s, all %.1f s (%.0f pods/s, %.0f creates/s), running %.1f s; "+
		"%.1f requests a job; %.1f CPU s; %.0f MiB", r.P50, r.P99, r.AllCreated, r.PodsASecond, r.Creates,
		r.AllRunning,
		r.RequestsAJob, r.CPUSeconds, r.ResidentMiB)
}

// measure runs one candidate on a stage of its own.
func measure(ctx context.Context, o options, c candidate) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := build(ctx, o, o.kwok)
	if err != nil {
		return result{}, err
	}
	defer s.end()
	process, err := c.prepare(ctx, s)
	if err != nil {
		return result{}, err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	pods := s.watchPods(watching, c.jobLabel+", "+c.jobLabel+"!="+c.notCounted)
	submitted := make([]time.Time, o.jobs)
	begin := time.Now()
	failed := make(chan error, 1)
	go func() { failed <- submitAll(ctx, o, c, s, submitted) }()
	seen, err := follow(ctx, o, c, pods, failed)
	if err != nil {
		return result{}, err
	}
	r := summarize(c, o, begin, submitted, seen)
	if err := r.addCosts(s, c, o.jobs, process); err != nil {
		return result{}, err
	}
	return r, nil
}

func submitAll(ctx context.Context, o options, c candidate, s *stage, submitted []time.Time) error {
	next := make(chan int)
	var all sync.WaitGroup
	var mutex sync.Mutex
	var errs []error
	for range submitters {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range next {
				submitted[i] = time.Now()
				if err := c.submit(ctx, s, i); err != nil {
					mutex.Lock()
					errs = append(errs, fmt.Errorf("submit %s: %w", jobName(i), err))
					mutex.Unlock()
				}
			}
		}()
	}
	for i := range o.jobs {
		next <- i
	}
	close(next)
	all.Wait()
	return errors.Join(errs...)
}

// watchPods gives each state of each pod that is seen; a watch that breaks is begun again.
func (s *stage) watchPods(ctx context.Context, label string) <-chan *corev1.Pod {
	pods := make(chan *corev1.Pod, 10000)
	send := func(object any) {
		if pod, isPod := object.(*corev1.Pod); isPod {
			pods <- pod
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(s.Client, 0, informers.WithNamespace(s.namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = label }))
	informer := factory.Core().V1().Pods().Informer()
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: send, UpdateFunc: func(_, now any) { send(now) },
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return pods
}

// sight is what was seen of the pods.
type sight struct {
	complete   map[string]time.Time // by job: when its last pod was created
	allRunning time.Time
}

// follow watches until all pods are there and run.
func follow(ctx context.Context, o options, c candidate, pods <-chan *corev1.Pod, failed <-chan error) (sight, error) {
	each := o.workers + o.servers
	created, known, running := map[string]int{}, map[string]bool{}, map[string]bool{}
	seen := sight{complete: map[string]time.Time{}}
	for {
		select {
		case <-ctx.Done():
			return seen, fmt.Errorf("%d of %d jobs complete, %d pods running: %w", len(seen.complete), o.jobs, len(running), ctx.Err())
		case err := <-failed:
			if err != nil {
				return seen, err
			}
			failed = nil
		case pod := <-pods:
			job := pod.Labels[c.jobLabel]
			if !known[pod.Name] {
				known[pod.Name] = true
				if created[job]++; created[job] == each {
					seen.complete[job] = time.Now()
				}
			}
			if pod.Status.Phase == corev1.PodRunning {
				running[pod.Name] = true
			}
			if len(seen.complete) == o.jobs && len(running) == o.jobs*each {
				seen.allRunning = time.Now()
				return seen, nil
			}
		}
	}
}

func summarize(c candidate, o options, begin time.Time, submitted []time.Time, seen sight) result {
	var waits []float64
	for i, at := range submitted {
		waits = append(waits, seen.complete[jobName(i+c.firstJob)].Sub(at).Seconds())
	}
	slices.Sort(waits)
	last := slices.MaxFunc(slices.Collect(maps.Values(seen.complete)), time.Time.Compare).Sub(begin).Seconds()
	return result{
		P50:         waits[len(waits)/2],
		P99:         waits[min(len(waits)-1, len(waits)*99/100)],
		AllCreated:  last,
		AllRunning:  seen.allRunning.Sub(begin).Seconds(),
		PodsASecond: float64(o.jobs*(o.workers+o.servers)) / last,
	}
}

// addCosts waits until the candidate is quiet, and adds what it used.
func (r *result) addCosts(s *stage, c candidate, jobs int, process *proc.Process) error {
	if process != nil {
		if err := awaitQuiet(process.ID()); err != nil {
			return err
		}
	}
	var err error
	if r.Requests, err = s.requests(c.user); err != nil {
		return err
	}
	sum, creates := 0, 0
	for what, n := range r.Requests {
		sum += n
		if strings.HasPrefix(what, "create ") && !strings.HasSuffix(what, " events") {
			creates += n
		}
	}
	r.RequestsAJob = float64(sum) / float64(jobs)
	if r.AllCreated > 0 {
		r.Creates = float64(creates) / r.AllCreated
	}
	if process == nil {
		return nil
	}
	if r.CPUSeconds, err = cpuSeconds(process.ID()); err != nil {
		return err
	}
	r.ResidentMiB, err = residentMiB(process.ID())
	return err
}

// awaitQuiet returns when a process has used less than a hundredth of a core for two seconds.
func awaitQuiet(id int) error {
	before, err := cpuSeconds(id)
	for quiet := 0; err == nil && quiet < 2; {
		time.Sleep(time.Second)
		var now float64
		if now, err = cpuSeconds(id); now-before < 0.02 {
			quiet++
		} else {
			quiet = 0
		}
		before = now
	}
	return err
}

// cpuSeconds is what a process has used so far, by proc(5).
func cpuSeconds(id int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	const ticksASecond = 100
	return float64(user+system) / ticksASecond, err
}

func residentMiB(id int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kib, err := strconv.Atoi(fields[1])
			return float64(kib) / 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS", id)
}
