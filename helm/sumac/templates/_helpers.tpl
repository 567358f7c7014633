{{/*
An image of Sumac: sumac.image (dict "root" $ "name" "worker") is <registry>/sumac-worker:<tag>. A digest wins over
the tag.
*/}}
{{- define "sumac.image" -}}
{{- $image := .root.Values.image -}}
{{- $repository := printf "sumac-%s" .name -}}
{{- if eq .name "sumac" -}}{{- $repository = "sumac" -}}{{- end -}}
{{- $digest := get $image.digests .name -}}
{{- if $digest -}}
{{ $image.registry }}/{{ $repository }}@{{ $digest }}
{{- else -}}
{{ $image.registry }}/{{ $repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The lines that every object has below metadata.labels. */}}
{{- define "sumac.labels" -}}
app.kubernetes.io/name: sumac
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "sumac.operatorLabels" -}}
{{ include "sumac.labels" . }}
app.kubernetes.io/component: operator
{{- end -}}

{{/*
The name of the Deployment and of the Lease of the operator that serves a namespace, "" for all of them:
sumac.operatorName (dict "root" $ "namespace" "a"). It depends on nothing else, so that it stays the same when namespaces
are added to watchNamespaces.
*/}}
{{- define "sumac.operatorName" -}}
{{- if or (not .namespace) (eq .namespace .root.Release.Namespace) -}}
sumac-operator
{{- else -}}
sumac-operator-{{ .namespace }}
{{- end -}}
{{- end -}}

{{/* Quote it in YAML: a name may have only digits. */}}
{{- define "sumac.serviceAccount" -}}
{{ .Values.serviceAccount.name | default "sumac-operator" }}
{{- end -}}

{{/*
The default template of a role as JSON: sumac.jobTemplate (dict "root" $ "role" "worker"). It gets the security context of
all jobs and the pull secrets. Workers get the annotation by which GKE mounts a bucket, if there is one: with it each pod
has one more container.
*/}}
{{- define "sumac.jobTemplate" -}}
{{- $template := deepCopy (get .root.Values.defaults .role).template -}}
{{- /* The operator has a context of its own below this one: what the values leave out is taken away from it. */ -}}
{{- $context := dict "runAsNonRoot" nil "runAsUser" nil "runAsGroup" nil "fsGroup" nil "fsGroupChangePolicy" nil "seccompProfile" nil -}}
{{- range list .root.Values.defaults.podSecurityContext (dig "spec" "securityContext" nil $template) -}}
{{- range $field, $value := . }}{{ $_ := set $context $field $value }}{{ end -}}
{{- end -}}
{{- $_ := set $template "spec" (set (get $template "spec" | default dict) "securityContext" $context) -}}
{{- $secrets := list -}}
{{- range .root.Values.image.pullSecrets }}{{ $secrets = append $secrets (dict "name" .) }}{{ end -}}
{{- if and $secrets (not (dig "spec" "imagePullSecrets" nil $template)) -}}
{{- $template = merge $template (dict "spec" (dict "imagePullSecrets" $secrets)) -}}
{{- end -}}
{{- if and .root.Values.gcs.bucket (eq .role "worker") -}}
{{- $template = merge $template (dict "metadata" (dict "annotations" (dict "gke-gcsfuse/volumes" "true"))) -}}
{{- end -}}
{{ $template | toJson }}
{{- end -}}

{{/*
The labels by which a Deployment finds its pods: sumac.selector (dict "root" $ "namespace" "a"). The last one tells the
operators of several namespaces apart; Release, which no namespace is called, stands for the release's own or for all.
*/}}
{{- define "sumac.selector" -}}
app.kubernetes.io/name: sumac
app.kubernetes.io/component: operator
sumac.dev/serves: {{ ternary "" .namespace (eq .namespace .root.Release.Namespace) | default "Release" | quote }}
{{- end -}}
