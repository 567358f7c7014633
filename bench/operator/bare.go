package main

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"sumac.dev/tests/kube/proc"
)

// modelName is the job whose objects the bare loop copies.
const modelName = "job-0000"

// madeByOurs are the kinds of objects that our operator makes for a job, in its order.
var madeByOurs = []schema.GroupVersionResource{
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "secrets"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "pods"},
}

// bare is the limit: exactly the objects that our operator makes, sent by loops that do nothing else:
// no job is watched, no status written. A job is one loop, and as many run side by side as the bench
// submits jobs side by side. Our operator makes the first job, to have something to copy.
func bare(o options) candidate {
	var model []copied
	return candidate{
		name:     "bare",
		jobLabel: "sumac.dev/job-name",
		user:     "bare",
		firstJob: 1, notCounted: modelName,
		prepare: func(ctx context.Context, s *stage) (*proc.Process, error) {
			if err := s.applyOurCRD(ctx, o); err != nil {
				return nil, err
			}
			if _, err := s.modelJob(ctx, o); err != nil {
				return nil, err
			}
			var err error
			if model, err = s.objectsOfModel(ctx); err != nil {
				return nil, err
			}
			return nil, s.actAs(ctx, "bare")
		},
		submit: func(ctx context.Context, s *stage, i int) error {
			for _, object := range model {
				// The model's own name is taken: the loop's first job is number one.
				if err := s.createCopy(ctx, object, jobName(i+1)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// copied is an object of the model job, as it was sent.
type copied struct {
	resource schema.GroupVersionResource
	object   *unstructured.Unstructured
}

func (s *stage) objectsOfModel(ctx context.Context) ([]copied, error) {
	var all []copied
	for _, resource := range madeByOurs {
		list, err := s.dynamic.Resource(resource).Namespace(s.namespace).List(ctx,
			metav1.ListOptions{LabelSelector: "sumac.dev/job-name=" + modelName})
		if err != nil {
			return nil, err
		}
		if len(list.Items) == 0 {
			return nil, fmt.Errorf("the model job has no %s", resource.Resource)
		}
		for i := range list.Items {
			all = append(all, copied{resource, &list.Items[i]})
		}
	}
	return all, nil
}

// createCopy sends an object again for another job. Its owner stays the model job, so that it is as
// large and as much looked at.
func (s *stage) createCopy(ctx context.Context, from copied, job string) error {
	object := from.object.DeepCopy()
	name := strings.Replace(object.GetName(), modelName, job, 1)
	labels := object.GetLabels()
	labels["sumac.dev/job-name"] = job
	object.Object["metadata"] = map[string]any{}
	object.SetName(name)
	object.SetLabels(labels)
	object.SetAnnotations(from.object.GetAnnotations())
	object.SetOwnerReferences(from.object.GetOwnerReferences())
	delete(object.Object, "status")
	if spec, isMap := object.Object["spec"].(map[string]any); isMap {
		delete(spec, "clusterIPs")
		delete(spec, "nodeName")
		if from.resource.Resource == "pods" {
			spec["hostname"], spec["subdomain"] = name, job
			delete(spec, "schedulerName") // that of the model is nobody's
		}
	}
	_, err := s.dynamic.Resource(from.resource).Namespace(s.namespace).Create(ctx, object, metav1.CreateOptions{})
	return err
}
