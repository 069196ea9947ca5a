package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-helpers/apimachinery/lease"
	"k8s.io/utils/clock"
)

const (
	processNodeName  = "processes"
	processNodeTaint = "ebb.test/processes"
	retryInterval    = 500 * time.Millisecond
	leaseSeconds     = 40
)

// processNode is a node that runs the first container of each pod as a process of this machine. The certificate of this
// node, its lease and its status are those of any kubelet; there are no images, volumes, probes or networks.
type processNode struct {
	client kubernetes.Interface
	folder string
	cpu    string
	memory string
	gpus   string

	lock sync.Mutex
	pods map[types.UID]*podProcess
}

func newProcessNodeCommand() *cobra.Command {
	var kubeconfig string
	node := &processNode{pods: map[types.UID]*podProcess{}}
	command := &cobra.Command{Use: "process-node", RunE: func(*cobra.Command, []string) error {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return err
		}
		config.QPS, config.Burst = 200, 400
		if node.client, err = kubernetes.NewForConfig(config); err != nil {
			return err
		}
		ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer cancel()
		return node.run(ctx)
	}}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "how to reach the API server")
	command.Flags().StringVar(&node.folder, "folder", "", "where each pod gets a folder of its own")
	command.Flags().StringVar(&node.cpu, "cpu", "16", "CPUs that it offers")
	command.Flags().StringVar(&node.memory, "memory", "64Gi", "memory that it offers")
	command.Flags().StringVar(&node.gpus, "gpus", "4", "GPUs that it offers")
	return command
}

// run serves until it is told to stop, then kills what its pods run.
func (n *processNode) run(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := n.register(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "process-node: cannot register:", err)
			return
		}
		n.serve(ctx)
	}, retryInterval)
	n.killAll()
	return nil
}

func (n *processNode) serve(ctx context.Context) {
	heartbeat := lease.NewController(clock.RealClock{}, n.client, processNodeName, leaseSeconds, nil,
		leaseSeconds/4*time.Second, processNodeName, v1.NamespaceNodeLease, nil)
	go heartbeat.Run(ctx)
	mine := cache.NewListWatchFromClient(n.client.CoreV1().RESTClient(), "pods", v1.NamespaceAll,
		fields.OneTermEqualSelector("spec.nodeName", processNodeName))
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: mine,
		ObjectType:    &v1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { n.see(ctx, object.(*v1.Pod)) },
			UpdateFunc: func(_, object any) { n.see(ctx, object.(*v1.Pod)) },
			DeleteFunc: n.forget,
		},
	})
	informer.RunWithContext(ctx)
}

// see starts the process of a pod that is new and stops that of a pod that is being deleted.
func (n *processNode) see(ctx context.Context, pod *v1.Pod) {
	n.lock.Lock()
	defer n.lock.Unlock()
	process := n.pods[pod.UID]
	ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
	if process == nil && !ended {
		process = newPodProcess(pod, filepath.Join(n.folder, pod.Namespace+"_"+pod.Name+"_"+string(pod.UID)))
		n.pods[pod.UID] = process
		go n.runPod(ctx, process)
	}
	if pod.DeletionTimestamp == nil {
		return
	}
	if process == nil || process.reported {
		go n.remove(ctx, pod)
	} else {
		process.stop(gracePeriod(pod))
	}
}

// forget kills the process of a pod that somebody deleted by force.
func (n *processNode) forget(object any) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	pod, ok := object.(*v1.Pod)
	if !ok {
		return
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	if process := n.pods[pod.UID]; process != nil {
		process.stop(0)
		delete(n.pods, pod.UID)
	}
}

func (n *processNode) killAll() {
	n.lock.Lock()
	defer n.lock.Unlock()
	for _, process := range n.pods {
		process.kill()
	}
}

// runPod follows a pod to its end and reports each step.
func (n *processNode) runPod(ctx context.Context, process *podProcess) {
	status := process.run(func(status v1.PodStatus) { n.report(ctx, process.pod, status) })
	n.report(ctx, process.pod, status)
	n.lock.Lock()
	process.reported = true
	deleted := process.stopped()
	n.lock.Unlock()
	if deleted {
		n.remove(ctx, process.pod)
	}
}

// report repeats until the API server has the status or the pod is gone.
func (n *processNode) report(ctx context.Context, pod *v1.Pod, status v1.PodStatus) {
	patch := statusPatch(pod, status)
	n.insist(ctx, pod, "report", func() error {
		_, err := n.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{}, "status")
		return err
	})
}

// remove tells the API server that a deleted pod has ended.
func (n *processNode) remove(ctx context.Context, pod *v1.Pod) {
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
	n.insist(ctx, pod, "remove", func() error {
		return n.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, now)
	})
}

func (n *processNode) insist(ctx context.Context, pod *v1.Pod, what string, do func() error) {
	_ = wait.PollUntilContextCancel(ctx, retryInterval, true, func(context.Context) (bool, error) {
		err := do()
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return true, nil
		}
		fmt.Fprintf(os.Stderr, "process-node: cannot %s %s/%s: %v\n", what, pod.Namespace, pod.Name, err)
		return apierrors.IsInvalid(err), nil
	})
}

func (n *processNode) register(ctx context.Context) error {
	offered := v1.ResourceList{v1.ResourcePods: resource.MustParse("500")}
	for name, text := range map[v1.ResourceName]string{"cpu": n.cpu, "memory": n.memory, "nvidia.com/gpu": n.gpus} {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return fmt.Errorf("%s of the node: %w", name, err)
		}
		offered[name] = quantity
	}
	now := metav1.Now()
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: processNodeName, Labels: map[string]string{
			v1.LabelHostname: processNodeName, v1.LabelOSStable: "linux", "ebb.test/node": "processes"}},
		Spec: v1.NodeSpec{Taints: []v1.Taint{{Key: processNodeTaint, Effect: v1.TaintEffectNoSchedule}}},
		Status: v1.NodeStatus{Capacity: offered, Allocatable: offered,
			Addresses: []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: "127.0.0.1"}},
			Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "ProcessesCanStart",
				LastHeartbeatTime: now, LastTransitionTime: now}}},
	}
	_, err := n.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
