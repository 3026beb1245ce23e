{{- /* Names, labels and lists that the templates share. */ -}}

{{- define "skald.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* The pods' names get a number, and those of the headless service an ending. */ -}}
{{- define "skald.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "skald.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "skald.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "skald.selector" -}}
app.kubernetes.io/name: {{ include "skald.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "skald.labels" -}}
{{ include "skald.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* The secret with the API keys; empty: there are none. */ -}}
{{- define "skald.secret" -}}
{{- if .Values.apiKeys.existingSecret -}}
{{- .Values.apiKeys.existingSecret -}}
{{- else if .Values.apiKeys.keys -}}
{{- printf "%s-keys" (include "skald.fullname" .) -}}
{{- end -}}
{{- end -}}

{{- /* All servers that there may ever be: those that are not there do not answer, which is no fault. */ -}}
{{- define "skald.peers" -}}
{{- $name := include "skald.fullname" . -}}
{{- $space := .Release.Namespace -}}
{{- $count := int .Values.replicas -}}
{{- if .Values.autoscaling.enabled -}}
{{- $count = int .Values.autoscaling.maxReplicas -}}
{{- end -}}
{{- range $i := until $count -}}
{{- if $i }},{{ end -}}
{{- printf "http://%s-%d.%s-pods.%s.svc:8080" $name $i $name $space -}}
{{- end -}}
{{- end -}}
