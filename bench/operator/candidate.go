package main

import (
	"context"
	"fmt"

	"sumac.dev/tests/kube/proc"
)

// candidate is one who makes the pods of jobs.
type candidate struct {
	name string
	// prepare makes the cluster ready for it and starts it; nil process: the bench itself works.
	prepare func(ctx context.Context, s *stage) (*proc.Process, error)
	// submit makes job number i; it returns when the API server has it.
	submit func(ctx context.Context, s *stage, i int) error
	// jobLabel is the label by which pods say their job's name.
	jobLabel string
	// user is who its requests come from, in the audit log.
	user string
	// firstJob is the number of the first job that counts; notCounted is a job that does not.
	firstJob   int
	notCounted string
}

func candidates(o options) []candidate {
	list := []candidate{
		bare(o),
		ours("sumac", o, 0),
		ours("sumac-20", o, 20),
	}
	if o.peer != "" {
		list = append(list, peer(o))
	}
	return list
}

func jobName(i int) string { return fmt.Sprintf("job-%04d", i) }
