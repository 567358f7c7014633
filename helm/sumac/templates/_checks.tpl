{{/*
What would fail half-way or serve jobs twice is refused before anything is installed. What is asked of the cluster is
asked only where there is one: not by `helm template`, `helm lint` or a dry run on the client. Argo CD calls
`helm template` with the kinds of its cluster (--api-versions): there the kinds are known, and `lookup` finds nothing.
*/}}
{{- define "sumac.checks" -}}
{{- include "sumac.checkRegistry" . -}}
{{- include "sumac.checkElection" . -}}
{{- if and .Values.checks.enabled (.Capabilities.APIVersions.Has "apps/v1/Deployment") -}}
{{- include "sumac.checkNamespaces" . -}}
{{- include "sumac.checkOtherOperators" . -}}
{{- include "sumac.checkDefinition" . -}}
{{- include "sumac.checkServiceMonitor" . -}}
{{- end -}}
{{- end -}}

{{- define "sumac.checkRegistry" -}}
{{- if not .Values.image.registry -}}
{{- fail "image.registry is not set. It is where this cluster pulls sumac-operator, sumac-worker, sumac-server and sumac from, for example --set image.registry=europe-docker.pkg.dev/my-project/sumac. `make images-push REGISTRY=...` puts them there." -}}
{{- end -}}
{{- end -}}

{{/* The operator would not start: operator/control/leader_election.cc has the same rules. */}}
{{- define "sumac.checkElection" -}}
{{- with .Values.operator.leaderElection -}}
{{- if or (le (int .leaseDurationSeconds) (int .renewDeadlineSeconds)) (le (mul 10 .renewDeadlineSeconds) (mul 12 .retryPeriodSeconds)) -}}
{{- fail (printf "operator.leaderElection: leaseDurationSeconds (%v) must be longer than renewDeadlineSeconds (%v), and that longer than 1.2 times retryPeriodSeconds (%v): a leader must notice that it lost its Lease before another one takes over." .leaseDurationSeconds .renewDeadlineSeconds .retryPeriodSeconds) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether this installation has objects of the cluster: then who installs it may read them too. */}}
{{- define "sumac.isForCluster" -}}
{{- if or (not .Values.watchNamespaces) .Values.crds.install (and .Values.rbac.create .Values.rbac.userRoles) -}}true{{- end -}}
{{- end -}}

{{/* "true" if an object of the cluster belongs to this release: sumac.isOurs (dict "root" $ "object" $object). */}}
{{- define "sumac.isOurs" -}}
{{- $notes := dig "metadata" "annotations" dict .object -}}
{{- if and (eq (get $notes "meta.helm.sh/release-name") .root.Release.Name) (eq (get $notes "meta.helm.sh/release-namespace") .root.Release.Namespace) -}}true{{- end -}}
{{- end -}}

{{/* The CRD that is in the cluster and not this release's, as JSON; empty if there is none. */}}
{{- define "sumac.foreignDefinition" -}}
{{- $there := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "trainingjobs.sumac.dev" -}}
{{- if and $there (not (include "sumac.isOurs" (dict "root" . "object" $there))) -}}
{{ $there | toJson }}
{{- end -}}
{{- end -}}

{{/*
A CRD outlives its release (and its jobs with it), so a new release may find one. The same one is left alone. Another is
taken over only by hand: it may be a newer one, or that of a release which still uses it.
*/}}
{{- define "sumac.checkDefinition" -}}
{{- if not .Values.crds.install -}}
{{- if not (.Capabilities.APIVersions.Has "sumac.dev/v1alpha1/TrainingJob") -}}
{{- fail "The cluster does not know the kind TrainingJob, and crds.install is false. Somebody with rights on the cluster must install the CRD first: kubectl apply -f helm/sumac/files/trainingjobs.yaml" -}}
{{- end -}}
{{- else -}}
{{- $foreign := include "sumac.foreignDefinition" . -}}
{{- if $foreign -}}
{{- $there := fromJson $foreign -}}
{{- $wanted := .Files.Get "files/trainingjobs.yaml" | fromYaml -}}
{{- if ne (toJson $there.spec.versions) (toJson $wanted.spec.versions) -}}
{{- $owner := get (dig "metadata" "annotations" dict $there) "meta.helm.sh/release-name" -}}
{{- $who := ternary (printf "belongs to the Helm release %q" $owner) "was not installed by Helm" (not (empty $owner)) -}}
{{- fail (printf "The CRD trainingjobs.sumac.dev of this cluster is of another version than this chart and %s. If nobody else upgrades it, make it this release's, and install again:\n  kubectl label crd trainingjobs.sumac.dev --overwrite app.kubernetes.io/managed-by=Helm\n  kubectl annotate crd trainingjobs.sumac.dev --overwrite meta.helm.sh/release-name=%s meta.helm.sh/release-namespace=%s\nHelm 4 also needs --force-conflicts for that installation.\nOtherwise upgrade it where it comes from, and set crds.install=false here." $who .Release.Name .Release.Namespace) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "sumac.checkNamespaces" -}}
{{- if and (include "sumac.isForCluster" .) (lookup "v1" "Namespace" "" "").items -}}
{{- range .Values.watchNamespaces -}}
{{- if and (ne . $.Release.Namespace) (not (lookup "v1" "Namespace" "" .)) -}}
{{- fail (printf "watchNamespaces names %q, which does not exist. Create it first: kubectl create namespace %s" . .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Who may read only the namespaces to be served finds only operators in these. An upgrade that would start an operator
beside one of its own that it only removes later is refused as well.
*/}}
{{- define "sumac.checkOtherOperators" -}}
{{- $places := list "" -}}
{{- if not (include "sumac.isForCluster" .) -}}
{{- $places = append .Values.watchNamespaces .Release.Namespace | uniq -}}
{{- end -}}
{{- $kept := list -}}
{{- range .Values.watchNamespaces | default (list "") -}}
{{- $kept = append $kept (include "sumac.operatorName" (dict "root" $ "namespace" .)) -}}
{{- end -}}
{{- range $place := $places -}}
{{- range (lookup "apps/v1" "Deployment" $place "").items -}}
{{- $labels := .metadata.labels | default dict -}}
{{- $notes := .metadata.annotations | default dict -}}
{{- if and (eq (get $labels "app.kubernetes.io/name") "sumac") (eq (get $labels "app.kubernetes.io/component") "operator") -}}
{{- $ours := include "sumac.isOurs" (dict "root" $ "object" .) -}}
{{- $watches := get $notes "sumac.dev/watches" | default "*" -}}
{{- if eq $watches "." -}}{{- $watches = .metadata.namespace -}}{{- end -}}
{{- $overlaps := or (eq $watches "*") (not $.Values.watchNamespaces) (has $watches $.Values.watchNamespaces) -}}
{{- $serves := ternary "every namespace" (printf "namespace %s" $watches) (eq $watches "*") -}}
{{- if and $ours $overlaps (not (has .metadata.name $kept)) -}}
{{- fail (printf "This release's Deployment %s serves %s, and would for a moment beside the operator that takes its place. Two operators must not serve one namespace: helm uninstall %s -n %s first, then install. The CRD and the jobs stay, and running jobs train on." .metadata.name $serves $.Release.Name $.Release.Namespace) -}}
{{- end -}}
{{- if and (not $ours) (or $overlaps (eq .metadata.namespace $.Release.Namespace)) -}}
{{- $release := get $notes "meta.helm.sh/release-name" -}}
{{- fail (printf "Another operator of Sumac is here: Deployment %s in namespace %s (%s), which serves %s. Two operators must not serve one namespace, nor share one for themselves. Remove that one, or give each a namespace of its own and namespaces to serve: watchNamespaces." .metadata.name .metadata.namespace (ternary (printf "Helm release %q" $release) "not installed by Helm" (not (empty $release))) $serves) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "sumac.checkServiceMonitor" -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor")) -}}
{{- fail "metrics.serviceMonitor.enabled is true, but the cluster does not know the kind ServiceMonitor. Install the Prometheus operator first, or leave it false: the operator's pods have the annotations prometheus.io/scrape and prometheus.io/port." -}}
{{- end -}}
{{- end -}}
