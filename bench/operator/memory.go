package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	manyJobs    = 1000
	memoryKwok  = "" // no nodes: pods stay as they were made
	noScheduler = "nobody"
)

// measureMemory shows the operator 1,000 jobs of 10 pods, which the bench makes as the operator makes
// those of a first job, and returns what it holds when it has nothing more to do.
func measureMemory(ctx context.Context, o options) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := build(ctx, o, memoryKwok)
	if err != nil {
		return result{}, err
	}
	defer s.end()
	if err := s.applyOurCRD(ctx, o); err != nil {
		return result{}, err
	}
	first, err := s.modelJob(ctx, o)
	if err != nil {
		return result{}, err
	}
	if err := s.copyJobs(ctx, o, first); err != nil {
		return result{}, err
	}
	process, err := s.start("sumac-operator-2", o.bin+"/sumac-operator", nil, s.ourArgs(s.Kubeconfig(s.namespace+".ours"), 0)...)
	if err != nil {
		return result{}, err
	}
	if err := s.awaitStatus(ctx, manyJobs); err != nil {
		return result{}, err
	}
	var r result
	return r, r.addCosts(s, candidate{user: "ours"}, manyJobs, process)
}

// modelJob has the operator make one job, stops it, and returns the job's pods.
func (s *stage) modelJob(ctx context.Context, o options) ([]corev1.Pod, error) {
	process, err := s.startOurs(ctx, o, 0)
	if err != nil {
		return nil, err
	}
	seen := s.watchPods(ctx, "sumac.dev/job-name")
	if err := s.create(ctx, "sumac.dev/v1alpha1", "trainingjobs", s.memoryJob(o, 0)); err != nil {
		return nil, err
	}
	pods := map[string]corev1.Pod{}
	for len(pods) < o.workers+o.servers {
		select {
		case pod := <-seen:
			pods[pod.Name] = *pod
		case <-ctx.Done():
			return nil, fmt.Errorf("the model job got %d pods: %w", len(pods), ctx.Err())
		}
	}
	process.Stop(time.Second * 10)
	return slices.Collect(maps.Values(pods)), nil
}

// memoryJob is a job whose pods no scheduler looks at.
func (s *stage) memoryJob(o options, i int) map[string]any {
	job := trainingJob(o, i)
	for _, role := range []string{"worker", "server"} {
		spec := job["spec"].(map[string]any)[role].(map[string]any)["template"].(map[string]any)["spec"]
		spec.(map[string]any)["schedulerName"] = noScheduler
	}
	return job
}

// copyJobs makes the other jobs, each with copies of the first one's pods.
func (s *stage) copyJobs(ctx context.Context, o options, pods []corev1.Pod) error {
	next, failed := make(chan int), make(chan error, submitters)
	var all sync.WaitGroup
	for range submitters {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range next {
				if err := s.copyJob(ctx, o, i, pods); err != nil {
					failed <- fmt.Errorf("%s: %w", jobName(i), err)
					return
				}
			}
		}()
	}
	for i := 1; i < manyJobs; i++ {
		select {
		case next <- i:
		case err := <-failed:
			return err
		}
	}
	close(next)
	all.Wait()
	return nil
}

func (s *stage) copyJob(ctx context.Context, o options, i int, pods []corev1.Pod) error {
	if err := s.create(ctx, "sumac.dev/v1alpha1", "trainingjobs", s.memoryJob(o, i)); err != nil {
		return err
	}
	job, err := s.dynamic.Resource(trainingJobs).Namespace(s.namespace).Get(ctx, jobName(i), metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, model := range pods {
		if _, err := s.Client.CoreV1().Pods(s.namespace).Create(ctx, copyOf(model, jobName(i), job.GetUID()), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// copyOf is a pod of another job like the given one of job 0.
func copyOf(model corev1.Pod, job string, uid types.UID) *corev1.Pod {
	pod := model.DeepCopy()
	was := jobName(0)
	pod.ObjectMeta = metav1.ObjectMeta{
		Name: job + model.Name[len(was):], Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
	}
	for key, value := range pod.Labels {
		if value == was {
			pod.Labels[key] = job
		}
	}
	pod.OwnerReferences[0].Name, pod.OwnerReferences[0].UID = job, uid
	pod.Spec.Hostname, pod.Spec.Subdomain = pod.Name, job
	pod.Status = corev1.PodStatus{}
	return pod
}

// awaitStatus waits until n jobs have the status of a job whose pods were all made.
func (s *stage) awaitStatus(ctx context.Context, n int) error {
	jobs := s.dynamic.Resource(trainingJobs).Namespace(s.namespace)
	for {
		list, err := jobs.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		done := 0
		for _, job := range list.Items {
			status, _ := job.Object["status"].(map[string]any)
			if status["workers"] != nil {
				done++
			}
		}
		if done >= n {
			return nil
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d jobs got a status: %w", done, n, ctx.Err())
		}
	}
}
