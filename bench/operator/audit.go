package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
)

// auditPolicy has each request logged once, when it is answered; watches when they begin are not
// counted, leases are none of the work.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted, Panic]
rules:
- {level: None, resources: [{group: coordination.k8s.io}]}
- {level: None, verbs: [watch]}
- {level: Metadata, userGroups: ["system:serviceaccounts:bench", "system:masters"]}
- {level: None}
`

// requests counts what a user sent, by verb and resource.
func (s *stage) requests(user string) (map[string]int, error) {
	file, err := os.Open(s.audit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	counts := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var event struct {
			Verb      string
			User      struct{ Username string }
			ObjectRef struct{ Resource, Subresource, Namespace string }
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil || !strings.HasSuffix(event.User.Username, ":"+user) &&
			event.User.Username != user {
			continue
		}
		what := event.Verb + " " + event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			what += "/" + event.ObjectRef.Subresource
		}
		counts[what]++
	}
	return counts, lines.Err()
}
