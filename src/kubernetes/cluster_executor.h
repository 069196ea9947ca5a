#pragma once
// A cluster of Kubernetes as the loop sees it: an executor whose commands are patches of objects,
// and the source of submissions, which are objects too. The cluster's own schedulers place what is
// released; this holds back and releases whole objects (gated_kind.h).
//
// Everything comes and goes in WaitForEvents, on the loop's thread: lists, watches, changes. While
// the API server is away no change is known, and requests to it are repeated.
//
// Thread contract: one thread, but for Wake and Now.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/admission/admission_check_controller.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/group_watch.h"
#include "kubernetes/api/leader_lease.h"
#include "kubernetes/api/reflector.h"
#include "kubernetes/devices/device_claims.h"
#include "kubernetes/gates/pod_gang.h"
#include "kubernetes/nodes/agent_reader.h"
#include "kubernetes/nodes/autoscaler_watch.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/nodes/node_fit.h"
#include "kubernetes/nodes/node_group.h"
#include "kubernetes/nodes/node_timelines.h"
#include "kubernetes/nodes/node_wait.h"
#include "kubernetes/nodes/pod_directory.h"
#include "kubernetes/objects/price_gate.h"
#include "kubernetes/policies/policy_watch.h"
#include "kubernetes/reconciler/object_reconciler.h"
#include "platform/process_signals.h"
#include "runtime/clock.h"
#include "runtime/clock_watch.h"
#include "runtime/executor.h"
#include "runtime/submissions.h"

namespace ebb::kubernetes {

struct ClusterOptions {
  core::Site site;
  ObjectReconcilerOptions objects;
  KueueOptions kueue{};
  PolicyOptions policies{};
  PriceGate prices{};
  std::vector<NodeGroup> node_groups{};
  /// Required if a group belongs to the Cluster Autoscaler.
  AutoscalerWatch::ParseStatus parse_autoscaler_status{};
  ApiClientOptions client;
  ReflectorOptions reflector;
  EventOptions events{};
  std::string name_space{};  ///< only this one; empty: all
  /// A server without an answer for this long is away; before that, a connection was cut.
  Duration away_after{10'000};
  /// Nothing: the nodes are not measured.
  std::optional<AgentOptions> agents{};
  /// Nothing: this controller is the only one.
  std::optional<LeaseOptions> lease{};
  /// Reports something to people.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

class ClusterExecutor final : public runtime::Executor, public runtime::Submissions {
 public:
  /// Everything borrowed must outlive the executor. An Error: libcurl is missing.
  static Result<std::unique_ptr<ClusterExecutor>> Open(ApiServer server, ClusterOptions options,
                                                       const runtime::Clock& clock,
                                                       platform::ProcessSignals& signals);
  ~ClusterExecutor() override;

  /// Waits for the lease, if there is one, and then lists the objects until all are known. An
  /// Error: the server refuses, which waiting cannot mend, or a request to stop came (kTryLater).
  Status Begin(Duration patience);

  /// Keeps the numbers of the pools of an earlier life. Call it before Begin.
  void KeepPools(const core::Cluster& before);

  std::string name() const override { return "kubernetes"; }
  Time Now() const override { return watch_.Now(); }
  std::optional<engine::ClockSet> TakeClockSet() override;
  core::Cluster cluster() const override;
  Result<std::vector<engine::JobReport>> Observe() override { return reconciler_->Observe(); }
  Status Execute(const engine::Command& command) override;
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  std::vector<engine::JobReport> TakeEarly() override { return reconciler_->TakeReports(); }
  void Forget(core::JobId job) override { reconciler_->Forget(job); }

  Time NextAt() const override { return reconciler_->has_events() ? Time::min() : Time::max(); }
  std::vector<runtime::Submitted> Take(Time now) override {
    return runtime::WithoutTickets(reconciler_->TakeEvents(now));
  }
  bool closed() const override { return false; }

  /// Ends a wait now. May be called from any thread.
  void Wake();
  std::optional<int> stop_signal() const { return stop_signal_; }
  /// Another controller may act by now, so this one must not.
  bool has_lost_lease() const { return lease_ && lease_->lost(); }
  /// Releases the lease, so that another controller need not wait; takes up to a second or two.
  void ReleaseLease();
  ObjectReconciler& reconciler() { return *reconciler_; }
  /// Returns nullptr if there are no policies of namespaces.
  PolicyWatch* policies() { return policies_.get(); }
  PodDirectory& pods() { return *pods_; }
  const NodeGroups& groups() const { return *groups_; }
  NodeTimelines& timelines() { return *timelines_; }
  /// NodeWait::Sentence for a released job.
  std::string NodeItWaitsFor(core::JobId job) const { return node_wait_->Sentence(job); }
  /// How often that sentence has changed for some job. A change ends a wait for events.
  std::int64_t node_wait_changes() const { return node_wait_changes_; }
  /// Returns nullptr if the nodes are not measured.
  AgentReader* agents() { return agents_.get(); }
  const ApiCounts& requests() const { return client_->counts(); }
  /// Number of objects of the cluster and of other things that are remembered by name; it must not
  /// grow for ever.
  std::size_t remembered() const;

 private:
  ClusterExecutor(platform::HttpStreams streams, ClusterOptions options,
                  const runtime::Clock& clock, platform::ProcessSignals& signals);
  void MakeAdmissionCheckController();
  void AskVersion();
  void AddReflectors();
  void Add(const std::string& path, ReflectorEvents events);
  std::string InNamespace(const std::string& path) const;
  void Tick();
  Duration UntilDue(Time deadline) const;
  bool HeardStop();
  bool IsSynced() const;
  bool IsAway() const;
  Status Start(const engine::StartJob& command);
  bool MayAct() const { return !lease_ || lease_->holds(); }
  void FollowCapacity();
  void FollowDevices();
  void FollowGangs();
  void MakePolicyWatch();
  void MakeNodeGroups();
  void AddPods();
  void TakeBoundPod(const JsonNode& pod, const std::string& gang);
  void AwaitNodes();
  void AwaitNodesAgain();
  bool KnowsPods() const;

  platform::HttpStreams streams_;
  ClusterOptions options_;
  const runtime::Clock& clock_;
  runtime::ClockWatch watch_;
  platform::ProcessSignals& signals_;
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<LeaderLease> lease_;
  std::unique_ptr<DeviceSlices> slices_;
  std::unique_ptr<DeviceClaims> claims_;
  std::unique_ptr<GroupWatch> device_watch_;
  std::unique_ptr<NodeGroups> groups_;
  std::unique_ptr<AutoscalerWatch> autoscalers_;
  std::unique_ptr<Capacity> capacity_;
  std::unique_ptr<EventRecorder> recorder_;
  std::unique_ptr<PolicyWatch> policies_;  // null: there are no policies
  std::unique_ptr<PodGangs> gangs_;
  std::unique_ptr<ObjectReconciler> reconciler_;
  std::unique_ptr<PodDirectory> pods_;
  std::unique_ptr<AgentReader> agents_;
  std::unique_ptr<NodeFit> node_fit_;
  std::unique_ptr<NodeWait> node_wait_;
  std::int64_t node_wait_changes_ = 0, heard_node_wait_changes_ = 0;
  std::unique_ptr<NodeTimelines> timelines_;
  // Null in a dry run, which sends no answers.
  std::unique_ptr<AdmissionCheckController> kueue_;
  std::unique_ptr<GroupWatch> kueue_watch_;
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  // The reason for which requests of suspended Jobs' Pods stay; nothing: the version is not known
  // yet.
  std::optional<std::string> why_requests_stay_;
  Duration version_due_{};           // when it is asked for (again)
  core::Cluster offered_;            // when refused jobs were last offered
  std::optional<Duration> away_at_;  // when the server was away
  std::optional<int> stop_signal_;
  std::atomic<bool> woken_ = false;
};

}  // namespace ebb::kubernetes
