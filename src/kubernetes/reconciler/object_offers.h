#pragma once
// Decides which objects are jobs of the engine, and tells it so: an object is offered, changed,
// offered as another job, withdrawn or let go.
//
// Thread contract: one thread, that of the ApiClient.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "kubernetes/gates/node_affinities.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/policies/chosen_namespaces.h"
#include "kubernetes/reconciler/engine_outbox.h"
#include "kubernetes/reconciler/gated_job.h"
#include "kubernetes/reconciler/held_off_releases.h"
#include "kubernetes/reconciler/object_attempts.h"
#include "kubernetes/reconciler/object_notes.h"
#include "kubernetes/reconciler/pod_owners.h"

namespace ebb::kubernetes {

class ObjectOffers {
 public:
  struct Ports {
    GatedJobs& jobs;
    EngineOutbox& outbox;
    ObjectNotes& notes;
    PodOwners& owners;
    HeldOffReleases& held_off;
    NodeAffinities& affinities;
    ObjectAttempts& attempts;
    Capacity& capacity;
    std::function<Time()> now;
    std::function<void(const std::string&)> say;
    bool dry_run = false;
  };
  explicit ObjectOffers(Ports ports) : ports_(std::move(ports)), namespaces_(ports_.say) {}

  // Reports of the reflectors.
  /// Call it when all existing objects were reported: jobs get their numbers, the oldest first.
  void Begin();
  bool begun() const { return begun_; }
  /// Offers the object if it may be held back and is no job yet.
  void TakeUp(GatedJob& entry);
  /// Reports mistyped keys also of objects that Ebb leaves alone, perhaps because of the mistake.
  /// `said`: those that were reported before.
  void SayMistyped(const GatedJob& entry, const std::vector<std::string>& said);
  /// Call it when a job's object, or what the cluster has for it, is not what it was.
  void MayHaveChanged(const GatedJob& entry);
  void Gone(GatedJob& entry);
  void TakeNamespace(const JsonNode& name_space);
  void DropNamespace(const std::string& uid) { namespaces_.Drop(uid); }

  // Requests and answers of the engine.
  /// Adds the changes of jobs to the events for the engine. Call it when it takes them, so that it
  /// cannot have decided about a job meanwhile.
  void FollowChanges();
  bool has_changes() const { return !changed_.empty(); }
  void Forget(GatedJob& entry);
  /// Call it if the engine did not take the submission.
  void Refused(GatedJob& entry, const Error& why);
  /// Call it if the engine did not take the change: it does not take such a job either, and says
  /// so.
  void ChangeRefused(GatedJob& entry);
  /// Call it when the devices have changed: offers refused jobs once more, and waiting jobs anew if
  /// they can use models that did not exist before.
  void OfferAgain();

  /// Takes up objects whose releases were held off.
  void Tick();
  std::int64_t refused() const { return refused_; }
  std::size_t remembered() const { return namespaces_.remembered(); }

 private:
  bool IsChosen(const GatedObject& object) const;
  void Enter(GatedJob& entry);
  std::string LackOf(const GatedJob& entry) const;
  void NoteLack(const GatedJob& entry);
  void Submit(GatedJob& entry);
  void Offer(GatedJob& entry);
  void OfferAsAnother(GatedJob& entry, const char* why);
  core::Job Wanted(const GatedJob& entry) const;
  bool IsChanged(const GatedJob& entry) const;
  void FollowChange(GatedJob& entry);
  void Withdraw(GatedJob& entry, const std::string& why);
  void LetGo(GatedJob& entry);
  void Erase(const GatedJob& entry);

  Ports ports_;
  ChosenNamespaces namespaces_;
  std::set<std::string> changed_;  // uids of objects whose jobs may have changed
  bool begun_ = false;
  std::int64_t refused_ = 0;
};

}  // namespace ebb::kubernetes
