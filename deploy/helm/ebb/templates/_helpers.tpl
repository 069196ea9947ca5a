{{/* The name of everything: that of the release, with ebb in it. */}}
{{- define "ebb.name" -}}
{{- if contains "ebb" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-ebb" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "ebb.selector" -}}
app.kubernetes.io/name: ebb-controller
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ebb.labels" -}}
{{ include "ebb.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The controller finds its agents by the name. */}}
{{- define "ebb.agentSelector" -}}
app.kubernetes.io/name: ebb-agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ebb.agentLabels" -}}
{{ include "ebb.agentSelector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "ebb.webhookSecret" -}}
{{ .Values.webhook.secret | default (printf "%s-webhook" (include "ebb.name" .)) }}
{{- end }}

{{/* The rules of a role in the manifest that is applied without Helm, so that there is one list of rights. Of a Role in
     another namespace than ours: .namespace. */}}
{{- define "ebb.rules" -}}
{{- range splitList "\n---\n" (.context.Files.Get "files/controller.yaml") }}
{{- $manifest := fromYaml . }}
{{- if and (eq $manifest.kind $.kind) (eq (default "ebb" $manifest.metadata.namespace) (default "ebb" $.namespace)) }}
{{ toYaml $manifest.rules }}
{{- end }}
{{- end }}
{{- end }}
