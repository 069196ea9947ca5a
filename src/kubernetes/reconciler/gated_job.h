#pragma once
// A gated object together with the job that the engine knows it as, and the table of them.
//
// An object's job has a number of this process; its times count from the object's creation and its
// attempts stand on the object, so that another process goes on where this one ends.
//
// Values.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/jobs/job.h"
#include "engine/event.h"
#include "kubernetes/objects/gated_object.h"
#include "kubernetes/reconciler/object_notes.h"

namespace ebb::kubernetes {

/// Where an object stands between the engine and the cluster.
enum class Course {
  kApart,     ///< the engine has no job of it
  kOffered,   ///< submitted, or about to be
  kRefused,   ///< refused by the engine
  kReleased,  ///< an attempt is under way
  kPausing,
  kCancelling,
  kPaused,
  kEnded,
  kLetGo,      ///< its job was cancelled, and the object runs on and must not be held back any more
  kForgotten,  ///< ended, and forgotten by the engine: it is never offered again
};

/// A request to the cluster whose effect was not seen on the object yet.
enum class Unseen {
  kNothing,
  kSuspension,  ///< by the field that suspends it
  kAdmission,   ///< by a gate (ReleaseGate)
};

struct GatedJob {
  GatedObject object;
  core::JobId job = 0;  ///< 0: kApart or kForgotten
  core::Job told{};     ///< the job as the engine knows it
  Course course = Course::kApart;
  Unseen unseen = Unseen::kNothing;
  bool deleted = false;  ///< the object is gone, and the engine does not know that yet
  int attempt = 0;
  int pool = -1;
  int devices = 0;  ///< of the attempt under way, as asked for; later as they are on the object
  /// The API server's reason for not giving the object another width; empty: it has not refused.
  std::string width_refused{};
  std::optional<engine::JobReport> last;
  ObjectNote note{};  ///< without the hint

  bool has_job() const { return job != 0; }
  bool IsUnderWay() const { return course == Course::kReleased || IsStopping(); }
  bool IsStopping() const { return course == Course::kPausing || course == Course::kCancelling; }
  bool HasEnded() const { return course == Course::kEnded || course == Course::kLetGo; }
  /// The object was released through a gate that has not let it through yet, as far as is known.
  bool IsAwaited() const { return unseen == Unseen::kAdmission; }
  /// Tells if `what` was waited for, which has come or cannot come any more.
  bool Saw(Unseen what);
  /// Devices with which the object is to start: those `planned`, or its own ones (0).
  int DevicesFor(int planned) const {
    if (planned > 0) return planned;
    return width_refused.empty() ? object.width.own : object.width.now;
  }
  /// Sentence for people about an object that keeps its width although it asks for several.
  std::string KeptWidth() const;
  /// Tells if the object is known as it was after its release, and not before it. The release
  /// itself carries the number of the attempt; one through a gate is seen or not.
  bool SawRelease() const { return object.by_kueue ? !IsAwaited() : object.attempt >= attempt; }
};

class GatedJobs {
 public:
  /// The entry of an object that was just reported; a new one is kApart and has no object yet.
  GatedJob& Take(const std::string& uid) { return entries_[uid]; }
  /// nullptr: no such object is known.
  GatedJob* Find(const std::string& uid);
  const GatedJob* Find(const std::string& uid) const;
  /// nullptr: the engine has no such job, or not any more.
  GatedJob* FindJob(core::JobId job);
  const GatedJob* FindJob(core::JobId job) const;

  /// Makes the object a job, kOffered, with a number of its own unless it has one.
  void Offer(GatedJob& entry);
  /// Takes the number away. `course`: kApart or kForgotten.
  void Withdraw(GatedJob& entry, Course course);
  void Erase(const GatedJob& entry);

  /// All objects, gated or not, by uid.
  std::map<std::string, GatedJob>& all() { return entries_; }
  const std::map<std::string, GatedJob>& all() const { return entries_; }
  /// Number of jobs.
  std::size_t size() const { return by_job_.size(); }
  /// Number of objects, gated or not, and of jobs.
  std::size_t remembered() const { return entries_.size() + by_job_.size(); }

 private:
  std::map<std::string, GatedJob> entries_;              // by uid
  std::unordered_map<core::JobId, std::string> by_job_;  // -> uid
  core::JobId last_job_ = 0;
};

}  // namespace ebb::kubernetes
