#pragma once
// Attempts of gated objects: the engine's commands are written on the objects, and what becomes of
// them in the cluster is reported.
//
// Thread contract: one thread, that of the ApiClient.

#include <functional>
#include <set>
#include <string>

#include "base/result.h"
#include "engine/decision.h"
#include "engine/event.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/gates/node_affinities.h"
#include "kubernetes/gates/pod_gang.h"
#include "kubernetes/gates/release_gate.h"
#include "kubernetes/gates/suspend_field.h"
#include "kubernetes/nodes/capacity.h"
#include "kubernetes/reconciler/engine_outbox.h"
#include "kubernetes/reconciler/gated_job.h"
#include "kubernetes/reconciler/held_off_releases.h"
#include "kubernetes/reconciler/object_notes.h"
#include "kubernetes/reconciler/pod_owners.h"

namespace ebb::kubernetes {

class ObjectAttempts {
 public:
  struct Ports {
    GatedJobs& jobs;
    EngineOutbox& outbox;
    ObjectNotes& notes;
    PodOwners& owners;
    HeldOffReleases& held_off;
    NodeAffinities& affinities;
    SuspendField& field;
    PodGangs& gangs;
    Capacity& capacity;
    std::function<Time()> now;
    std::function<void(const std::string&)> say;
    bool dry_run = false;           ///< releases and holds nothing
    Duration holds_younger_than{};  ///< ObjectReconcilerOptions
  };
  explicit ObjectAttempts(Ports ports) : ports_(std::move(ports)) {}

  /// The gate of objects that are `by_kueue`; it must outlive the use of this.
  void SetGate(ReleaseGate& gate) { gate_ = &gate; }

  // Commands of the engine.
  /// An Error (kTryLater): its pods' affinity is being set first, or the object cannot have so many
  /// devices any more.
  Status Start(GatedJob& entry, const engine::StartJob& command);
  Status Pause(GatedJob& entry, const engine::PauseJob& command);
  Status Cancel(GatedJob& entry, const engine::CancelJob& command);
  /// Takes back a release that came to nothing: the object is held again, and released later. A
  /// gang of pods cannot be held again, and only gets an Event.
  void TakeBack(GatedJob& entry, const std::string& why);
  /// Reports unsent releases as failed starts, so that the next controller decides about them.
  void TakeBackReleases();
  /// The engine has given the object up.
  void Leave(const GatedJob& entry);

  // Events of the cluster.
  /// Takes a submitted object that runs: it is held back if it has done next to nothing, and goes
  /// on otherwise.
  void TakeRunning(GatedJob& entry);
  /// Holds an object back that cannot be a job yet, if it was not created suspended and has done
  /// next to nothing.
  void HoldIfNew(GatedJob& entry);
  /// Compares the object with what was asked of it.
  void Follow(GatedJob& entry);
  /// The gate could not carry out a release, which was in vain.
  void NotStarted(GatedJob& entry, const std::string& why);
  /// Notices objects that have stopped.
  void Tick();

  /// Reports on the object's attempt; at an end, the object has kEnded.
  void Report(GatedJob& entry, engine::JobPhase phase, Time since, const std::string& detail = {});

  /// Numbers of releases, and of holds for a pause.
  std::int64_t released() const { return released_; }
  std::int64_t held() const { return held_; }

 private:
  bool IsNew(const GatedObject& object) const;
  void FollowReleased(GatedJob& entry);
  void FollowWidth(GatedJob& entry);
  bool HasStopped(const GatedJob& entry) const;
  void Adopt(GatedJob& entry, Time since);
  void Write(GatedJob& entry, bool suspend);
  void Written(const std::string& uid, bool suspend, const Result<ApiAnswer>& answer);
  void StartRefused(GatedJob& entry, const std::string& why, bool can_be_mended);

  Ports ports_;
  ReleaseGate* gate_ = nullptr;
  std::set<std::string> stopping_;  // uids of objects being paused or cancelled
  std::int64_t released_ = 0, held_ = 0;
};

}  // namespace ebb::kubernetes
