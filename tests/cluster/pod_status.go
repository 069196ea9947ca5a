package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	loopback       = "127.0.0.1"
	startErrorCode = 128 // as container runtimes report a process that could not start
)

func runningStatus(pod *v1.Pod, started metav1.Time, restarts int32) v1.PodStatus {
	state := v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: started}}
	return statusOf(pod, v1.PodRunning, started, restarts, state)
}

func endedStatus(pod *v1.Pod, started metav1.Time, restarts, code int32, reason, message string) v1.PodStatus {
	phase := v1.PodSucceeded
	if code != 0 {
		phase = v1.PodFailed
	}
	if reason == "" {
		reason = map[bool]string{true: "Completed", false: "Error"}[code == 0]
	}
	state := v1.ContainerState{Terminated: &v1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, Message: message, StartedAt: started, FinishedAt: metav1.Now()}}
	return statusOf(pod, phase, started, restarts, state)
}

// statusOf is the status of a pod whose first container is in `state`; the other containers are never started.
func statusOf(pod *v1.Pod, phase v1.PodPhase, started metav1.Time, restarts int32,
	state v1.ContainerState) v1.PodStatus {
	ready := phase == v1.PodRunning
	container := pod.Spec.Containers[0]
	status := v1.PodStatus{
		Phase: phase, HostIP: loopback, PodIP: loopback, PodIPs: []v1.PodIP{{IP: loopback}}, StartTime: &started,
		ContainerStatuses: []v1.ContainerStatus{{
			Name: container.Name, Image: container.Image, State: state, Ready: ready, Started: &ready, RestartCount: restarts}},
	}
	truth := map[bool]v1.ConditionStatus{true: v1.ConditionTrue, false: v1.ConditionFalse}
	conditions := map[v1.PodConditionType]bool{v1.PodInitialized: true, v1.PodReady: ready, v1.ContainersReady: ready}
	for kind, holds := range conditions {
		status.Conditions = append(status.Conditions,
			v1.PodCondition{Type: kind, Status: truth[holds], LastTransitionTime: metav1.Now()})
	}
	return status
}

// statusPatch names the pod's UID, so that it cannot reach a later pod of the same name.
func statusPatch(pod *v1.Pod, status v1.PodStatus) []byte {
	patch, err := json.Marshal(struct {
		Metadata struct {
			UID types.UID `json:"uid"`
		} `json:"metadata"`
		Status v1.PodStatus `json:"status"`
	}{struct {
		UID types.UID `json:"uid"`
	}{pod.UID}, status})
	if err != nil {
		panic(err) // a pod's status can always be written
	}
	return patch
}
