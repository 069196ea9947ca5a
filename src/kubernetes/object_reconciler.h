#pragma once
// The gated objects of a cluster and the jobs that the engine knows them as: reports of the
// reflectors become submissions, job reports and cancellations; decisions of the engine become
// patches.
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

/// Releases and holds objects that have no field of their own for that.
class ReleaseGate {
 public:
  virtual ~ReleaseGate() = default;
  virtual void Release(const std::string& uid) = 0;
  /// Ends the running object.
  virtual void Hold(const std::string& uid) = 0;
  /// Takes back a release without effect so far. False: it has had an effect, or may have had one.
  virtual bool TakeBack(const std::string& uid) = 0;
  /// Called when the engine has given the object up.
  virtual void Leave(const std::string& uid) = 0;
};

class ObjectReconciler {
 public:
  /// `now` is the wall clock; `say` reports something about an object to people.
  ObjectReconciler(ApiClient& client, Capacity& capacity, EventRecorder& recorder, PodGangs& gangs,
                   std::function<Time()> now, std::function<void(const std::string&)> say,
                   ObjectReconcilerOptions options);

  /// The gate of objects that are `by_kueue`; it must outlive the use of the reconciler.
  void SetGate(ReleaseGate& gate) { gate_ = &gate; }

  // Reports of the reflectors.
  void TakeObject(const GatedKind& kind, const JsonNode& object);
  void TakeObject(GatedObject object);
  void DropObject(const std::string& uid);
  /// The gate could not carry out a release, which was in vain.
  void NotStarted(const std::string& uid, const std::string& why);
  void TakeNamespace(const JsonNode& name_space);
  void DropNamespace(const std::string& uid);
  /// Call it when other policies of namespaces are in force (ObjectDefaults::policy_of). Gangs
  /// report that themselves.
  void PoliciesChanged();
  /// Call it when claims of objects ask for something else. Gangs report that themselves.
  void ReadAgainWhere(const std::function<bool(const GatedObject&)>& concerned);
  /// Call it when all existing objects were reported: jobs get their numbers, the oldest first.
  void Begin();
  bool begun() const { return begun_; }
  /// Tells if a pod with these labels belongs to a released object.
  bool Holds(const PodOwner& owner) const;
  /// The object under way to which a pod with these labels belongs, and its attempt; nothing: none.
  struct PodsObject {
    std::string uid;
    int attempt = 0;
    bool by_kueue = false;
  };
  std::optional<PodsObject> ObjectOf(const PodOwner& owner) const;

  // Interface for the engine.
  std::vector<engine::Event> TakeEvents(Time now);
  bool has_events() const { return !events_.empty() || !changed_.empty(); }
  std::vector<engine::JobReport> TakeReports();
  bool has_reports() const { return !reports_.empty(); }
  std::vector<engine::JobReport> Observe() const;
  /// Starts a job. An Error (kTryLater): its pods' affinity is being set first.
  Status Start(const engine::StartJob& command);
  Status Pause(const engine::PauseJob& command);
  Status Cancel(const engine::CancelJob& command);
  void Forget(core::JobId job);
  /// Call it if the engine did not take the submission.
  void Refused(core::JobId job, const Error& why);
  /// Call it if the engine did not take the change: it does not take such a job either, and says
  /// so.
  void ChangeRefused(core::JobId job);
  /// Call it when the devices have changed: offers refused jobs once more, and waiting jobs anew if
  /// they can use models that did not exist before.
  void OfferAgain();
  void Note(core::JobId job, ObjectNote note);
  /// Sets the function for a text beside the reason of a job that waits or is under way; empty: no
  /// text.
  void SetHint(std::function<std::string(core::JobId)> hint) { hint_ = std::move(hint); }
  void HintChanged(core::JobId job);
  /// Takes back a release that came to nothing: the object is held again, and released later. A
  /// gang of pods cannot be held again, and only gets an Event.
  void TakeBack(core::JobId job, const std::string& why);
  /// Call it when this controller ends: unsent releases are reported as failed starts, so that the
  /// next controller decides about them.
  void TakeBackReleases();
  /// Writes annotations, given without the prefix, on the object or on all pods of a gang, gated or
  /// not.
  void WriteFigures(const std::string& uid, const std::map<std::string, std::string>& figures);
  /// Writes other annotations in the same way, independently of WriteFigures.
  void WriteOverhead(const std::string& uid, const std::map<std::string, std::string>& figures);
  /// The annotation that Ebb has written on the object; empty: none.
  std::string WrittenOn(const std::string& uid, const std::string& key) const;
  /// Writes the notes that are due, and notices ended objects.
  void Tick();
  std::optional<Duration> NextDue() const { return notes_.NextDue(); }

  const GatedObject* Find(core::JobId job) const;
  /// The object as last seen, gated or not; nullptr: it is gone.
  const GatedObject* FindObject(const std::string& uid) const;
  /// The last note of the engine; nullptr: none yet.
  const ObjectNote* NoteOf(const std::string& uid) const { return notes_.Of(uid); }
  const ObjectCounts& counts() const { return counts_; }
  std::size_t size() const { return by_job_.size(); }
  /// Number of objects, gated or not.
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
    kRefused,  // refused by the engine
  };
  struct Entry {
    GatedObject object;
    core::JobId job = 0;  // 0: not gated
    core::Job told{};     // the job as the engine knows it
    Course course = Course::kOffered;
    int attempt = 0;
    int pool = -1;
    std::optional<engine::JobReport> last;
    bool holding = false;  // asked to be suspended, and not yet seen as such
    bool awaited = false;  // released through a gate, and not yet seen as such
    bool deleted = false;
    bool let_go = false;               // runs, and must not be held back any more
    bool done = false;                 // ended, and forgotten by the engine
    std::string placed;                // version for which its affinity was requested
    std::string unplaced;              // why the affinity was refused; empty: it was not
    ObjectNote note{};                 // without the hint
    ReleaseBackoff release_backoff{};  // another process keeps suspending it after releases
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
  std::set<std::string> changed_;   // uids of objects whose jobs may have changed
  std::set<std::string> stopping_;  // uids of objects being paused or cancelled
  std::set<std::string> held_off_;  // uids of objects that wait for their release_backoff
  /// "namespace/label=value" of the pods of objects under way, with the object's uid, in both
  /// directions. Entries of `owners_changed_` are corrected at the next query.
  mutable std::set<std::pair<std::string, std::string>> held_pods_;
  mutable std::unordered_map<std::string, std::string> pods_of_;
  mutable std::set<std::string> owners_changed_;
  core::JobId last_job_ = 0;
  bool begun_ = false;
  ObjectCounts counts_;
};

}  // namespace ebb::kubernetes
