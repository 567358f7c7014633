{{/*
What the operator may do with jobs and their children, one rule a line. docs/operator.md says why each verb is there, and
tests/lint/deploy_test.py that there is no other.
*/}}
{{- define "sumac.operatorRules" -}}
rules:
  - {apiGroups: [sumac.dev], resources: [trainingjobs], verbs: [get, list, watch, delete]}
  - {apiGroups: [sumac.dev], resources: [trainingjobs/status], verbs: [update]}
  - {apiGroups: [sumac.dev], resources: [trainingjobs/finalizers], verbs: [update]}
  - {apiGroups: [""], resources: [pods], verbs: [create, get, list, watch, delete]}
  - {apiGroups: [""], resources: [services, configmaps], verbs: [create, get]}
  - {apiGroups: [""], resources: [persistentvolumeclaims], verbs: [get]}
  - {apiGroups: [""], resources: [resourcequotas], verbs: [list, watch]}
  - {apiGroups: [networking.k8s.io], resources: [networkpolicies], verbs: [create, get]}
  - {apiGroups: [""], resources: [secrets], verbs: [create]}
  - {apiGroups: [""], resources: [events], verbs: [create, patch]}
{{- end -}}
