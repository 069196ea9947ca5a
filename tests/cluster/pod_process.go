package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

const restartDelay = time.Second

// podProcess is the first container of a pod as a process, in a folder of its own that also has its output ("log").
type podProcess struct {
	pod      *v1.Pod
	folder   string
	restarts int32
	reported bool // its end; guarded by the node's lock

	lock     sync.Mutex
	command  *exec.Cmd     // while it runs
	stopping chan struct{} // closed as soon as the pod is to end
	grace    time.Duration
}

func newPodProcess(pod *v1.Pod, folder string) *podProcess {
	return &podProcess{pod: pod, folder: folder, stopping: make(chan struct{})}
}

// run returns how the pod ended; `report` is told each time its process runs or waits to be restarted.
func (p *podProcess) run(report func(v1.PodStatus)) v1.PodStatus {
	// The kernel kills a process when the thread that started it ends, so that none outlives this program.
	runtime.LockOSThread()
	for {
		started := metav1.Now()
		if err := p.start(); err != nil {
			return endedStatus(p.pod, started, p.restarts, startErrorCode, "StartError", err.Error())
		}
		report(runningStatus(p.pod, started, p.restarts))
		code := p.wait()
		if p.stopped() || !restarts(p.pod.Spec.RestartPolicy, code) {
			return endedStatus(p.pod, started, p.restarts, code, "", "")
		}
		p.restarts++
		select {
		case <-time.After(restartDelay):
		case <-p.stopping:
			return endedStatus(p.pod, started, p.restarts, code, "", "")
		}
	}
}

func restarts(policy v1.RestartPolicy, code int32) bool {
	return policy == v1.RestartPolicyAlways || (policy == v1.RestartPolicyOnFailure && code != 0)
}

func (p *podProcess) start() error {
	command, err := p.newCommand()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(p.folder, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command.Stdout, command.Stderr = log, log
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.stopped() {
		return fmt.Errorf("the pod was deleted before its process started")
	}
	if err := command.Start(); err != nil {
		return err
	}
	p.command = command
	return nil
}

func (p *podProcess) newCommand() (*exec.Cmd, error) {
	container := p.pod.Spec.Containers[0]
	environment, values, err := p.environment(container)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, word := range append(append([]string{}, container.Command...), container.Args...) {
		words = append(words, expansion.Expand(word, expansion.MappingFuncFor(values)))
	}
	if len(container.Command) == 0 {
		return nil, fmt.Errorf("container %s has no command, and there are no images here", container.Name)
	}
	if err := os.MkdirAll(p.folder, 0o700); err != nil {
		return nil, err
	}
	command := exec.Command(words[0], words[1:]...)
	command.Env = environment
	command.Dir = p.folder
	if container.WorkingDir != "" {
		command.Dir = container.WorkingDir
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return command, nil
}

// environment is that of the pod; of this machine it has only PATH, as an image would.
func (p *podProcess) environment(container v1.Container) ([]string, map[string]string, error) {
	values := map[string]string{"PATH": os.Getenv("PATH"), "HOSTNAME": p.pod.Name, "HOME": p.folder}
	for _, variable := range container.Env {
		value := expansion.Expand(variable.Value, expansion.MappingFuncFor(values))
		if source := variable.ValueFrom; source != nil {
			if source.FieldRef == nil {
				return nil, nil, fmt.Errorf("variable %s: only values and fields of the pod can be given", variable.Name)
			}
			var err error
			if value, err = podField(p.pod, source.FieldRef.FieldPath); err != nil {
				return nil, nil, fmt.Errorf("variable %s: %w", variable.Name, err)
			}
		}
		values[variable.Name] = value
	}
	if len(container.EnvFrom) > 0 {
		return nil, nil, fmt.Errorf("container %s: envFrom is not supported", container.Name)
	}
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, name+"="+value)
	}
	return pairs, values, nil
}

func podField(pod *v1.Pod, path string) (string, error) {
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.hostIP":
		return loopback, nil
	}
	return fieldpath.ExtractFieldPathAsString(pod, path)
}

// wait returns the exit code. A pod that is to end gets SIGTERM, and SIGKILL after its grace period.
func (p *podProcess) wait() int32 {
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	select {
	case <-ended:
	case <-p.stopping:
		_ = p.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(p.grace):
			p.kill()
			<-ended
		}
	}
	// As in a container, the end of the first process is the end of all that it started.
	p.kill()
	p.lock.Lock()
	defer p.lock.Unlock()
	state := p.command.ProcessState.Sys().(syscall.WaitStatus)
	p.command = nil
	if state.Signaled() {
		return 128 + int32(state.Signal())
	}
	return int32(state.ExitStatus())
}

func (p *podProcess) kill() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.command != nil {
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	}
}

func (p *podProcess) stop(grace time.Duration) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.stopped() {
		p.grace = grace
		close(p.stopping)
	}
}

func (p *podProcess) stopped() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

func gracePeriod(pod *v1.Pod) time.Duration {
	if pod.DeletionGracePeriodSeconds == nil {
		return 0
	}
	return time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
}
