#pragma once
// The gated objects of a cluster and the jobs that the engine knows them as: reports of the
// reflectors become submissions, job reports and cancellations; decisions of the engine become
// patches. This class connects what decides about them:
//
//   gated_job.h       an object, the job of it, and where it stands
//   object_offers.h   which objects are jobs, and what the engine is told of them
//   object_attempts.h the engine's commands, and what becomes of them in the cluster
//   engine_outbox.h   what the engine has not taken yet
//   object_notes.h    what people read on the objects
//   pod_owners.h      which pods belong to which object
//
// Thread contract: one thread, that of the ApiClient.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "engine/decision.h"
#include "engine/event.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/gates/node_affinities.h"
#include "kubernetes/gates/pod_gang.h"
#include "kubernetes/gates/release_gate.h"
#include "kubernetes/gates/suspend_field.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/objects/gated_object.h"
#include "kubernetes/objects/pod_owner.h"
#include "kubernetes/reconciler/engine_outbox.h"
#include "kubernetes/reconciler/gated_job.h"
#include "kubernetes/reconciler/held_off_releases.h"
#include "kubernetes/reconciler/object_attempts.h"
#include "kubernetes/reconciler/object_notes.h"
#include "kubernetes/reconciler/object_offers.h"
#include "kubernetes/reconciler/pod_owners.h"

namespace ebb::kubernetes {

struct ObjectReconcilerOptions {
  ObjectDefaults defaults;
  /// A clock that nobody sets.
  std::function<Duration()> since_boot;
  bool dry_run = false;  ///< writes annotations and releases and holds nothing
  /// An object that is already released when it is first seen is held back if it is younger than
  /// this: it has done next to nothing.
  Duration holds_younger_than{std::chrono::minutes{1}};
  /// Time between two notes on one object that differ only in numbers.
  Duration notes_every{std::chrono::seconds{30}};
  /// A release that takes longer than this to come through would come at an unplanned time.
  Duration late_release{std::chrono::seconds{30}};
  /// Wait of the next release after another process has undone two within minutes
  /// (release_backoff.h).
  Duration first_backoff{std::chrono::minutes{5}};
};

struct ObjectCounts {
  std::int64_t released = 0, held = 0, refused = 0;
};

class ObjectReconciler {
 public:
  /// `now` is the wall clock; `say` reports something about an object to people.
  ObjectReconciler(ApiClient& client, Capacity& capacity, EventRecorder& recorder, PodGangs& gangs,
                   std::function<Time()> now, std::function<void(const std::string&)> say,
                   ObjectReconcilerOptions options);

  /// The gate of objects that are `by_kueue`; it must outlive the use of the reconciler.
  void SetGate(ReleaseGate& gate) { attempts_.SetGate(gate); }

  // Reports of the reflectors.
  void TakeObject(const GatedKind& kind, const JsonNode& object);
  void TakeObject(GatedObject object);
  void DropObject(const std::string& uid);
  /// The gate could not carry out a release, which was in vain.
  void NotStarted(const std::string& uid, const std::string& why);
  void TakeNamespace(const JsonNode& name_space) { offers_.TakeNamespace(name_space); }
  void DropNamespace(const std::string& uid) { offers_.DropNamespace(uid); }
  /// Call it when other policies of namespaces are in force (ObjectDefaults::policy_of). Gangs
  /// report that themselves.
  void PoliciesChanged();
  /// Call it when claims of objects ask for something else. Gangs report that themselves.
  void ReadAgainWhere(const std::function<bool(const GatedObject&)>& concerned);
  /// Call it when all existing objects were reported: jobs get their numbers, the oldest first.
  void Begin() { offers_.Begin(); }
  bool begun() const { return offers_.begun(); }
  /// Tells if a pod with these labels belongs to a released object.
  bool Holds(const PodOwner& owner) const;
  /// The object under way to which a pod with these labels belongs, and its attempt; nothing: none.
  std::optional<PodsObject> ObjectOf(const PodOwner& owner) const;

  // Interface for the engine.
  std::vector<engine::Event> TakeEvents(Time now);
  bool has_events() const { return outbox_.has_events() || offers_.has_changes(); }
  std::vector<engine::JobReport> TakeReports();
  bool has_reports() const { return outbox_.has_reports(); }
  std::vector<engine::JobReport> Observe() const;
  /// Devices that the start gives the job's object; 0: there is no such job.
  int DevicesFor(const engine::StartJob& command) const;
  /// Starts, pauses or cancels a job. An Error (kTryLater) for a start: its pods' affinity is being
  /// set first.
  Status Execute(const engine::Command& command);
  void Forget(core::JobId job);
  /// Call it if the engine did not take the submission.
  void Refused(core::JobId job, const Error& why);
  /// Call it if the engine did not take the change: it does not take such a job either, and says
  /// so.
  void ChangeRefused(core::JobId job);
  /// Call it when the devices have changed: offers refused jobs once more, and waiting jobs anew if
  /// they can use models that did not exist before.
  void OfferAgain() { offers_.OfferAgain(); }
  void Note(core::JobId job, ObjectNote note);
  /// Sets the function for a text beside the reason of a job that waits or is under way; empty: no
  /// text.
  void SetHint(std::function<std::string(core::JobId)> hint) { hint_ = std::move(hint); }
  void HintChanged(core::JobId job);
  /// GatedJob::KeptWidth of a job's object; it is also written beside the reason.
  std::string KeptWidth(core::JobId job) const;
  /// Takes back a release that came to nothing: the object is held again, and released later. A
  /// gang of pods cannot be held again, and only gets an Event.
  void TakeBack(core::JobId job, const std::string& why);
  /// Call it when this controller ends: unsent releases are reported as failed starts, so that the
  /// next controller decides about them.
  void TakeBackReleases() { attempts_.TakeBackReleases(); }
  /// The notes for people on the objects. Those with a job's stage are set by Note.
  ObjectNotes& notes() { return notes_; }
  /// Writes the notes that are due, and notices ended objects.
  void Tick();
  std::optional<Duration> NextDue() const { return notes_.NextDue(); }

  const GatedObject* Find(core::JobId job) const;
  /// The object as last seen, gated or not; nullptr: it is gone.
  const GatedObject* FindObject(const std::string& uid) const;
  ObjectCounts counts() const {
    return {attempts_.released(), attempts_.held(), offers_.refused()};
  }
  std::size_t size() const { return jobs_.size(); }
  /// Number of objects, gated or not, and of what is known about them and their namespaces.
  std::size_t remembered() const {
    return jobs_.remembered() + offers_.remembered() + notes_.remembered() + owners_.remembered();
  }

 private:
  ObjectReconcilerOptions options_;
  std::function<Time()> now_;
  std::function<std::string(core::JobId)> hint_ = [](core::JobId) { return ""; };
  GatedJobs jobs_;
  EngineOutbox outbox_;
  PodOwners owners_;
  SuspendField field_;
  ObjectNotes notes_;
  HeldOffReleases held_off_;
  NodeAffinities affinities_;
  ObjectAttempts attempts_;
  ObjectOffers offers_;
};

}  // namespace ebb::kubernetes
