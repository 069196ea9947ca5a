#pragma once
// Answers Kueue for the Workloads of queues that have an AdmissionCheck of Ebb: each of them is a
// gated object whose release is an answer. Kueue owns quota and the suspend fields; Ebb says when.
//
// A Workload that waits holds no quota: as soon as Kueue has reserved some for it, Ebb makes it
// inactive (spec.active), and Kueue takes the quota back. Once the engine has released it, it is
// active again, and when Kueue has reserved quota, its check is Ready. What runs is paused by
// Retry, so that its quota is not given away before its pods have ended. What waits cannot be held
// by that: with requeueAfterSeconds Kueue keeps the quota until they are over (seen on 0.18.4), and
// without them it asks again at once.
//
// What is written is bound to the version of the Workload that it speaks of, so that no answer
// meets one that Kueue has evicted meanwhile (Kueue issue 3543). What Ebb has made inactive says so
// on the Workload: another controller goes on with it, and what people made inactive stays so.
//
// The engine sees the nominal quota of each ClusterQueue as a pool, so that it plans no more at
// once than Kueue would admit; where Kueue has reserved more (by borrowing), the pool has more.
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
#include "kubernetes/api_client.h"
#include "kubernetes/capacity.h"
#include "kubernetes/group_watch.h"
#include "kubernetes/kueue_workload.h"
#include "kubernetes/object_reconciler.h"

namespace ebb::kubernetes {

struct KueueOptions {
  /// After so long at most a Workload that waits is shown to Kueue again, which may have quota to
  /// lend that the engine does not know of.
  Duration show_every{std::chrono::minutes{10}};
  /// For each Workload that waits, it may be so much longer: each time costs Kueue some writes.
  Duration show_spacing{500};
  /// A release that Kueue does not admit within this time is taken back.
  Duration admits_within{std::chrono::minutes{1}};
  /// The engine decides within this time about a Workload that has just come.
  Duration decides_within{std::chrono::seconds{2}};
};

class AdmissionCheckController final : public ReleaseGate {
 public:
  struct Ports {
    ApiClient& client;
    Capacity& capacity;
    ObjectReconciler& objects;
    std::function<Time()> now;
    std::function<Duration()> since_boot;
    std::function<bool()> may_act;  ///< no other controller may do so
    std::function<void(const std::string&)> say;
  };
  AdmissionCheckController(Ports ports, ObjectDefaults defaults, KueueOptions options);
  ~AdmissionCheckController() override;

  // What the reflectors tell. `kind`: of the version that the server has.
  void TakeCheck(const GatedKind& kind, const JsonNode& check);
  void DropCheck(const std::string& uid);
  void TakeClusterQueue(const JsonNode& queue);
  void DropClusterQueue(const std::string& uid);
  void TakeLocalQueue(const JsonNode& queue);
  void DropLocalQueue(const std::string& uid);
  void TakeWorkload(const GatedKind& kind, const JsonNode& workload);
  void DropWorkload(const std::string& uid);

  // ReleaseGate, by uid of Workloads.
  void Release(const std::string& uid) override;
  void Hold(const std::string& uid) override;
  bool TakeBack(const std::string& uid) override;
  void Leave(const std::string& uid) override;

  /// The engine has decided about all that was handed to it.
  void Decided();
  /// Tells the capacity what the queues have now. Before what is new goes to the engine.
  void CountPools();
  /// Some Workload waits for a decision.
  bool wants_decision() const { return wants_decision_; }
  void Tick();
  std::optional<Duration> NextDue() const;

 private:
  struct Known {
    const GatedKind* kind = nullptr;
    Workload workload;
    std::optional<JsonNode> offer{};     // it is to be offered to the engine once all is known
    bool offered = false, free = false;  // free: not to be held back
    bool checkpointable = false;         // by its annotations, whatever its queue has
    bool open = false;                   // released by the engine
    bool ending = false;                 // what runs is to end
    bool decided = false;                // since it is asked about
    std::optional<Duration> asked_at{};  // it holds quota, and its checks wait for an answer
    Duration seen_at{}, opened_at{};
    Duration again_at{};                // not answered before
    std::optional<Duration> show_at{};  // what is held
    std::string answered;               // the version that was answered
    std::string leaving;                // of the object whose admission gate is being taken away
    std::string why_free{};
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
  void TakeGateAway(Known& known);
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
  std::set<std::string> busy_;                                   // uids of what may need an answer
  struct Pool {
    int count = 0;      // as it was last set
    bool told = false;  // the engine knows of it
  };
  std::map<std::string, Pool> pools_;
  std::set<std::pair<Duration, std::string>> shows_;  // when, uid
  std::int64_t waiting_ = 0;
  bool is_stale_ = false, wants_decision_ = false, has_begun_ = false;
  std::string said_;
  Random random_{1};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come too late
};

/// What is followed of Kueue for it. `in_namespace`: the path of a collection, where not all
/// namespaces are followed.
ApiGroup KueueGroup(AdmissionCheckController& controller,
                    std::function<std::string(const std::string&)> in_namespace);

}  // namespace ebb::kubernetes
