#pragma once
// Answers Kueue for the Workloads of queues that have an AdmissionCheck of Ebb: each of them is a
// gated object whose release is an answer. Kueue owns quota and the suspend fields; Ebb decides the
// time.
//
// A Workload that waits holds no quota: as soon as Kueue has reserved some for it, Ebb makes it
// inactive (spec.active), and Kueue takes the quota back. Once the engine has released it, it is
// active again, and when Kueue has reserved quota, its check is Ready. A running Workload is paused
// by Retry, so that its quota is not given away before its pods have ended. A waiting one cannot be
// held by Retry: with requeueAfterSeconds Kueue keeps the quota until they are over (seen on
// 0.18.4), and without them it asks again at once.
//
// Each write is bound to the version of the Workload that it was made for, so that no answer
// reaches one that Kueue has evicted meanwhile (Kueue issue 3543). A Workload that Ebb has made
// inactive has a note of that: another controller goes on with it, and Workloads that people made
// inactive stay so.
//
// The engine sees the nominal quota of each ClusterQueue as a pool, so that it plans no more at
// once than Kueue would admit; where Kueue has reserved more (by borrowing), the pool has more.
//
// In the manager of a MultiKueue, a queue that sends its Workloads to worker clusters has a pool
// for each of them, at a site of its own (kubernetes/dispatch/dispatcher.h). A release is then a
// place, too: Ebb nominates that cluster. Workloads of such queues that do not wait are nominated
// at once.
//
// Thread contract: that of the ApiClient.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/random.h"
#include "kubernetes/admission/kueue_workload.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/group_watch.h"
#include "kubernetes/dispatch/dispatcher.h"
#include "kubernetes/dispatch/nomination.h"
#include "kubernetes/gates/release_gate.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/reconciler/object_reconciler.h"

namespace ebb::kubernetes {

struct KueueOptions {
  /// A waiting Workload is shown to Kueue again after this time at most, because Kueue may have
  /// quota to lend that the engine does not know of.
  Duration show_every{std::chrono::minutes{10}};
  /// This is added for each waiting Workload, because each showing costs Kueue some writes.
  Duration show_spacing{500};
  /// A release that Kueue does not admit within this time is taken back.
  Duration admits_within{std::chrono::minutes{1}};
  /// The engine decides within this time about a new Workload.
  Duration decides_within{std::chrono::seconds{2}};
  DispatchOptions dispatch{};
};

class AdmissionCheckController final : public ReleaseGate {
 public:
  struct Ports {
    ApiClient& client;
    Capacity& capacity;
    ObjectReconciler& objects;
    std::function<Time()> now;
    std::function<Duration()> since_boot;
    std::function<bool()> may_act;  ///< false: another controller acts
    std::function<void(const std::string&)> say;
  };
  AdmissionCheckController(Ports ports, ObjectDefaults defaults, KueueOptions options);
  ~AdmissionCheckController() override;

  // Reports of the reflectors. `kind` is that of the version that the server has.
  void TakeCheck(const GatedKind& kind, const JsonNode& check);
  void DropCheck(const std::string& uid);
  void TakeClusterQueue(const JsonNode& queue);
  void DropClusterQueue(const std::string& uid);
  void TakeLocalQueue(const JsonNode& queue);
  void DropLocalQueue(const std::string& uid);
  void TakeWorkload(const GatedKind& kind, const JsonNode& workload);
  void DropWorkload(const std::string& uid);
  void TakeCluster(const JsonNode& cluster) { FollowClusters(dispatcher_.TakeCluster(cluster)); }
  void DropCluster(const std::string& uid) { FollowClusters(dispatcher_.DropCluster(uid)); }
  void TakeConfig(const JsonNode& config) { FollowClusters(dispatcher_.TakeConfig(config)); }
  void DropConfig(const std::string& uid) { FollowClusters(dispatcher_.DropConfig(uid)); }

  // ReleaseGate, by uid of the Workload.
  void Release(const std::string& uid, int pool) override;
  void Hold(const std::string& uid) override;
  bool TakeBack(const std::string& uid) override;
  void Leave(const std::string& uid) override;

  /// Call it when the engine has decided about everything that was handed to it.
  void Decided();
  /// Updates the queues' quotas in the capacity. Call it before new Workloads go to the engine.
  void CountPools();
  /// Tells that some Workload waits for a decision.
  bool wants_decision() const { return wants_decision_; }
  const Dispatcher& dispatcher() const { return dispatcher_; }
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  struct Known {
    const GatedKind* kind = nullptr;
    Workload workload;
    std::optional<JsonNode> offer{};     // for the engine, once its owner and queue are known
    bool offered = false, free = false;  // free: must not be held back
    bool checkpointable = false;         // by its annotations, whatever its queue allows
    bool open = false;                   // released by the engine
    bool ending = false;                 // its running pods are to end
    bool decided = false;                // decided since its checks were asked
    std::optional<Duration> asked_at{};  // since when it holds quota and its checks wait
    Duration seen_at{}, opened_at{};
    Duration again_at{};                // no answer before this time
    std::optional<Duration> show_at{};  // when a held Workload is shown again
    std::string answered;               // the version that got an answer
    std::string leaving;                // object whose admission gate is being removed
    std::string why_free{};
    // Set for Workloads of queues that send to worker clusters:
    std::optional<JsonNode> whole{};         // the Workload, until it has ended
    std::string place{};                     // the cluster that was chosen for it
    std::vector<std::string> nominated{};    // as last seen
    std::optional<Duration> nominated_at{};  // since then
    std::string taken_back{};  // why its nomination is being taken back; empty: it is not
  };
  bool IsOurs(const std::string& check) const;
  bool IsKnown(const std::string& check) const;
  std::vector<std::string> ChecksIn(const Known& known, std::string_view state) const;
  bool HasOurs(const Known& known) const;
  bool AsksUs(const std::string& cluster_queue) const;
  bool CanBeEvicted(const Known& known) const;
  void FollowChecks();
  bool IsToBeOffered(const Known& known) const;
  bool IsUnanswered(const Known& known) const;
  void TryToOffer(Known& known);
  bool FindsOwner(const Known& known, const GatedObject*& owner) const;
  std::string ClusterQueueOf(const Known& known) const;
  void Review(Known& known);
  void AnswerWaiting(Known& known);
  void ReviewHeld(Known& known);
  void Answer(Known& known, const char* state, const std::string& message);
  void SetActive(Known& known, bool active);
  void Send(Known& known, const std::string& subresource, const std::string& content_type,
            std::string body);
  void Answered(const std::string& uid, const std::string& version,
                const Result<ApiAnswer>& answer);
  void FollowClusters(bool changed);
  std::set<std::string> ChecksOf(const Known& known) const;
  bool IsSent(const Known& known) const;
  std::string PlaceOf(const Known& known) const;
  void SetPools(const Known& known, GatedObject& object);
  static std::string PoolName(const std::string& cluster_queue, bool on_gpus,
                              const std::string& cluster = {});
  bool AwaitsNomination(const Known& known) const;
  void FollowNomination(Known& known);
  void FollowTakingBack(Known& known);
  std::optional<std::string> ChooseFor(const Known& known) const;
  void Nominate(Known& known, const std::vector<std::string>& clusters);
  void TakeGateAway(Known& known);
  bool IsThrough(const Known& known) const;
  void GiveUpOn(Known& known);
  bool WouldPreempt(const Known& known) const;
  void ShowLater(Known& known);
  std::string ReasonOf(const Known& known) const;
  bool IsBusy(const Known& known) const;
  Known* Find(const std::string& uid);

  Ports ports_;
  ObjectDefaults defaults_;
  KueueOptions options_;
  struct Check {
    std::string name;
    bool ours;
  };
  std::map<std::string, Check> checks_;                          // by uid
  std::map<std::string, std::pair<std::string, Quota>> quotas_;  // by uid: name
  std::map<std::string, std::string> local_queues_;              // by uid: "namespace/name"
  std::map<std::string, std::string> cluster_queues_;            // of LocalQueues: "namespace/name"
  std::map<std::string, Known> known_;                           // by uid
  std::set<std::string> busy_;  // uids of Workloads that may need an answer
  struct Pool {
    std::string queue, cluster;  // cluster: a worker cluster; empty: the queue's own
    bool on_gpus = false;
    SetDevices devices{};  // as last set
    bool told = false;     // the engine knows of it
  };
  void CountPool(const std::string& name, Pool& pool, const ClusterUse& use);
  std::map<std::string, Pool> pools_;
  Dispatcher dispatcher_;
  std::set<std::pair<Duration, std::string>> shows_;  // when, uid
  std::int64_t waiting_ = 0;
  bool is_stale_ = false, wants_decision_ = false, has_begun_ = false;
  std::string said_;
  std::set<std::string> said_of_clusters_;
  Random random_{1};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come too late
};

/// The resources of Kueue that are followed for the controller. `in_namespace` makes the path of a
/// collection if not all namespaces are followed.
ApiGroup KueueGroup(AdmissionCheckController& controller,
                    std::function<std::string(const std::string&)> in_namespace);

}  // namespace ebb::kubernetes
