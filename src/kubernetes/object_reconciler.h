#pragma once
// The gated objects of a cluster and the jobs that the engine knows them as: what the reflectors
// tell becomes submissions, reports and cancellations; what the engine decides becomes patches.
//
// An object's job has a number of this process; its times count from the object's creation and its
// attempts stand on the object, so that another process goes on where this one ends.
//
// Thread contract: one thread, that of the ApiClient.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_node.h"
#include "engine/decision.h"
#include "engine/event.h"
#include "kubernetes/api_client.h"
#include "kubernetes/capacity.h"
#include "kubernetes/gated_object.h"
#include "kubernetes/object_notes.h"
#include "kubernetes/pod_gang.h"
#include "kubernetes/release_backoff.h"
#include "kubernetes/suspend_field.h"

namespace ebb::kubernetes {

struct ObjectReconcilerOptions {
  ObjectDefaults defaults;
  /// A clock that nobody sets.
  std::function<Duration()> since_boot;
  bool dry_run = false;  ///< writes annotations and releases and holds nothing
  /// An object that is released when it is first seen is held back where it is younger: what it has
  /// done is next to nothing.
  Duration holds_younger_than{std::chrono::minutes{1}};
  /// Between two notes on one object that say nothing new but numbers.
  Duration notes_every{std::chrono::seconds{30}};
  /// A release that has not come through in so long would come at an hour that nobody chose.
  Duration late_release{std::chrono::seconds{30}};
  /// How long the next release waits after somebody else has undone two within minutes
  /// (release_backoff.h).
  Duration first_backoff{std::chrono::minutes{5}};
};

struct ObjectCounts {
  std::int64_t released = 0, held = 0, refused = 0;
};

/// Releases and holds what has no field of its own for that.
class ReleaseGate {
 public:
  virtual ~ReleaseGate() = default;
  virtual void Release(const std::string& uid) = 0;
  /// What runs is to end.
  virtual void Hold(const std::string& uid) = 0;
  /// Takes a release back that nothing has come of. False: something has, or may have.
  virtual bool TakeBack(const std::string& uid) = 0;
  /// The engine has given the object up.
  virtual void Leave(const std::string& uid) = 0;
};

class ObjectReconciler {
 public:
  /// `now`: the wall clock; `say`: what a person should know of an object.
  ObjectReconciler(ApiClient& client, Capacity& capacity, EventRecorder& recorder, PodGangs& gangs,
                   std::function<Time()> now, std::function<void(const std::string&)> say,
                   ObjectReconcilerOptions options);

  /// Of objects that are `by_kueue`; outlives the reconciler's use.
  void SetGate(ReleaseGate& gate) { gate_ = &gate; }

  // What the reflectors tell.
  void TakeObject(const GatedKind& kind, const JsonNode& object);
  void TakeObject(GatedObject object);
  void DropObject(const std::string& uid);
  /// The gate could do nothing with a release: it was in vain.
  void NotStarted(const std::string& uid, const std::string& why);
  void TakeNamespace(const JsonNode& name_space);
  void DropNamespace(const std::string& uid);
  /// Other policies of namespaces are in force (ObjectDefaults::policy_of). Gangs tell it
  /// themselves.
  void PoliciesChanged();
  /// Their claims ask for something else. Gangs tell it themselves.
  void ReadAgainWhere(const std::function<bool(const GatedObject&)>& concerned);
  /// Everything that was there at the beginning has been told: jobs get their numbers, the oldest
  /// first.
  void Begin();
  bool begun() const { return begun_; }
  /// Whether a pod with these labels is of an object that is released.
  bool Holds(const PodOwner& owner) const;
  /// The object under way that a pod with these labels is of, and its attempt; nothing: of none.
  struct PodsObject {
    std::string uid;
    int attempt = 0;
    bool by_kueue = false;
  };
  std::optional<PodsObject> ObjectOf(const PodOwner& owner) const;

  // For the engine.
  std::vector<engine::Event> TakeEvents(Time now);
  bool has_events() const { return !events_.empty() || !changed_.empty(); }
  std::vector<engine::JobReport> TakeReports();
  bool has_reports() const { return !reports_.empty(); }
  std::vector<engine::JobReport> Observe() const;
  /// An Error (kTryLater): its pods' affinity is being set first.
  Status Start(const engine::StartJob& command);
  Status Pause(const engine::PauseJob& command);
  Status Cancel(const engine::CancelJob& command);
  void Forget(core::JobId job);
  /// The engine did not take the submission.
  void Refused(core::JobId job, const Error& why);
  /// The engine did not take the change: then it does not take such a job either, and says so.
  void ChangeRefused(core::JobId job);
  /// There are other devices now: offers what was refused once more, and what waits anew where it
  /// can have devices of models that were not there before.
  void OfferAgain();
  void Note(core::JobId job, ObjectNote note);
  /// What is said beside the reason of a job that waits or is under way, as `hint` says it now;
  /// empty: nothing.
  void SetHint(std::function<std::string(core::JobId)> hint) { hint_ = std::move(hint); }
  void HintChanged(core::JobId job);
  /// The release of a job has come to nothing: it is held back again, and is released later. A gang
  /// of pods cannot be held back any more, and is only told of.
  void TakeBack(core::JobId job, const std::string& why);
  /// This controller ends: releases that have not been sent are reported as failed starts, for the
  /// next one to decide about.
  void TakeBackReleases();
  /// Annotations without the prefix, on the object or all pods of a gang, gated any more or not.
  void WriteFigures(const std::string& uid, const std::map<std::string, std::string>& figures);
  /// Others, in the same way: neither waits for the other.
  void WriteOverhead(const std::string& uid, const std::map<std::string, std::string>& figures);
  /// What Ebb has written on the object; empty: nothing.
  std::string WrittenOn(const std::string& uid, const std::string& key) const;
  /// Writes the notes that are due, and sees what has ended meanwhile.
  void Tick();
  std::optional<Duration> NextDue() const { return notes_.NextDue(); }

  const GatedObject* Find(core::JobId job) const;
  /// As it was last seen, gated or not; nullptr: it is not there.
  const GatedObject* FindObject(const std::string& uid) const;
  /// What the engine last said of it; nullptr: nothing yet.
  const ObjectNote* NoteOf(const std::string& uid) const { return notes_.Of(uid); }
  const ObjectCounts& counts() const { return counts_; }
  std::size_t size() const { return by_job_.size(); }
  /// Objects, gated or not.
  std::size_t remembered() const {
    return entries_.size() + by_job_.size() + chosen_namespaces_.size() + mistyped_.size() +
           notes_.remembered() + pods_of_.size();
  }

 private:
  enum class Course {
    kOffered,   // submitted, or about to be
    kReleased,  // an attempt is under way
    kPausing,
    kCancelling,
    kPaused,
    kEnded,
    kRefused,  // by the engine
  };
  struct Entry {
    GatedObject object;
    core::JobId job = 0;  // 0: not gated
    core::Job told{};     // as the engine knows it
    Course course = Course::kOffered;
    int attempt = 0;
    int pool = -1;
    std::optional<engine::JobReport> last;
    bool holding = false;  // asked to be suspended, and not yet seen so
    bool awaited = false;  // released through a gate, and not yet seen so
    bool deleted = false;
    bool let_go = false;               // it runs, and is not to be held back any more
    bool done = false;                 // ended, and forgotten by the engine
    std::string placed;                // the version for which its affinity was asked for
    std::string unplaced;              // why that was refused; empty: it was not
    ObjectNote note{};                 // without the hint
    ReleaseBackoff release_backoff{};  // somebody else keeps suspending what is released
  };
  using Entries = std::map<std::string, Entry>;  // by uid

  bool IsChosen(const GatedObject& object) const;
  std::vector<std::string> ModelsFor(const GatedObject& object) const;
  void HoldWhatLacks(Entry& entry);
  bool IsBeingPlaced(Entry& entry);
  std::string LackOf(const Entry& entry) const;
  void NoteLack(const Entry& entry);
  void EndBackoffs();
  static bool IsUnderWay(const Entry& entry);
  void Enter(Entry& entry);
  core::Job Wanted(const Entry& entry) const;
  void Submit(Entry& entry);
  void Offer(Entry& entry);
  void OfferAsAnother(Entry& entry, const char* why);
  bool IsChanged(const Entry& entry) const;
  void FollowChange(Entry& entry);
  bool HasReports(core::JobId job) const;
  void Withdraw(Entry& entry, const std::string& why);
  void LetGo(Entry& entry);
  void SayProblems(const Entry& entry, const std::vector<std::string>& said);
  void SayMistypedOf(const JsonNode& name_space);
  void SayMistyped(const Entry& entry, const std::vector<std::string>& said);
  void EnterReleased(Entry& entry);
  void Follow(Entry& entry);
  void FollowReleased(Entry& entry);
  bool HasStopped(const Entry& entry) const;
  static bool SawRelease(const Entry& entry);
  void Adopt(Entry& entry, Time since);
  void Report(Entry& entry, engine::JobPhase phase, Time since, const std::string& detail = {});
  void Write(Entry& entry, bool suspend);
  void Written(const std::string& uid, bool suspend, const Result<ApiAnswer>& answer);
  void StartRefused(Entry& entry, const std::string& why, bool can_be_mended);
  Result<Entry*> EntryOf(core::JobId job);
  Entry* KnownEntry(core::JobId job);
  void OwnersChanged(const GatedObject& object);
  void FollowOwners() const;
  static std::string PodsKey(const Entry& entry);
  void Drop(const Entry& entry);

  Capacity& capacity_;
  PodGangs& gangs_;
  SuspendField field_;
  ObjectNotes notes_;
  ReleaseGate* gate_ = nullptr;
  std::function<std::string(core::JobId)> hint_ = [](core::JobId) { return ""; };
  std::function<Time()> now_;
  std::function<void(const std::string&)> say_;
  ObjectReconcilerOptions options_;
  Entries entries_;
  std::unordered_map<core::JobId, std::string> by_job_;    // -> uid
  std::map<std::string, std::string> chosen_namespaces_;   // name -> uid
  std::map<std::string, std::set<std::string>> mistyped_;  // of namespaces, by uid
  std::vector<engine::Event> events_;
  std::vector<engine::JobReport> reports_;
  std::set<std::string> changed_;   // uids of objects whose jobs the engine may know otherwise
  std::set<std::string> stopping_;  // uids of what is being paused or cancelled
  std::set<std::string> held_off_;  // uids of what waits for the end of its release_backoff
  /// "namespace/label=value" of the pods of what is under way, with its uid, in both directions;
  /// those of `owners_changed_` are put right once somebody asks.
  mutable std::set<std::pair<std::string, std::string>> held_pods_;
  mutable std::unordered_map<std::string, std::string> pods_of_;
  mutable std::set<std::string> owners_changed_;
  core::JobId last_job_ = 0;
  bool begun_ = false;
  ObjectCounts counts_;
};

}  // namespace ebb::kubernetes
