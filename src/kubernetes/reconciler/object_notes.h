#pragma once
// Notes for people on an object: annotations with its stage and the reason for it (rewritten when
// something changes, numbers alone not too often), and Events.
//
// Thread contract: one thread, that of the ApiClient.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/event_recorder.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

/// A note on an object.
struct ObjectNote {
  std::string stage, reason, expected_start;
  /// Intensities; the first ones are kept; empty: unknown.
  std::string at_submission{}, at_start{};
  std::string cluster{};  ///< worker cluster where it runs or is expected to; empty: none
  friend bool operator==(const ObjectNote&, const ObjectNote&) = default;
};

class ObjectNotes {
 public:
  struct Ports {
    ApiClient& client;
    EventRecorder& recorder;
    /// The object as last seen; nullptr: it is gone.
    std::function<const GatedObject*(const std::string& uid)> find;
    /// Tells that the object was released through a gate that has not let it through yet: it is
    /// starting.
    std::function<bool(const std::string& uid)> is_awaited;
    std::function<Duration()> since_boot;  ///< a clock that nobody sets
    /// Reports something about an object to people.
    std::function<void(const std::string&)> say;
    bool dry_run = false;
    /// Time between two notes on one object that differ only in numbers.
    Duration every;
  };
  explicit ObjectNotes(Ports ports) : ports_(std::move(ports)) {}

  /// Sets the note that holds from now on. It is written soon, unless the object has it already.
  void Put(const GatedObject& object, ObjectNote note);
  /// Sets a note that is news even if the stage is the same, because the cause differs.
  void PutNews(const GatedObject& object, ObjectNote note);
  /// Writes the note once more, because its text has changed.
  void WriteAgain(const std::string& uid);
  /// Forgets the note, which stays on the object.
  void Forget(const std::string& uid);
  /// Removes the note from the object.
  void Remove(const GatedObject& object);
  /// Writes annotations, given without the prefix, on the object or on all pods of a gang, gated or
  /// not.
  void WriteFigures(const std::string& uid, const std::map<std::string, std::string>& figures);
  /// Writes other annotations in the same way, independently of WriteFigures.
  void WriteOverhead(const std::string& uid, const std::map<std::string, std::string>& figures);
  /// The annotation that Ebb has written on the object; that of a gang is on its first pod. Empty:
  /// none.
  std::string Written(const std::string& uid, const std::string& key) const;
  /// Call it when the object is gone.
  void Drop(const GatedObject& object);
  /// Call it if the parts differ from `before`: a new part has no note yet.
  void FollowParts(const GatedObject& object, const std::vector<ObjectPart>& before);
  /// The last note of the engine; nullptr: none yet.
  const ObjectNote* Of(const std::string& uid) const;

  /// Tells something as an Event. `told_before`: another process has told this text, so it is not
  /// news.
  void Tell(const GatedObject& object, EventReason reason, const std::string& message,
            const std::optional<std::string>& told_before = {});
  /// Tells something as an Event and as a line for people.
  void Say(const GatedObject& object, EventReason reason, const std::string& message);
  /// Tells the problems of the object that it did not have `before`, in the same two ways.
  void TellProblems(const GatedObject& object, const std::vector<std::string>& before);

  /// Writes the notes that are due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;
  std::int64_t written() const { return written_; }
  std::size_t remembered() const { return records_.size(); }

 private:
  struct Record {
    ObjectNote noted, wanted;
    Duration noted_at{};
    bool is_news() const { return wanted.stage != noted.stage || wanted.cluster != noted.cluster; }
  };
  const GatedObject* ToldOn(const GatedObject& object) const;
  void TellStage(const GatedObject& object, const Record& record);
  void Write(const GatedObject& object, Record& record);
  void WriteFiguresAs(const char* what, const std::string& uid,
                      const std::map<std::string, std::string>& figures);
  /// `what`: a later call with the same value replaces one that still waits.
  void Annotate(const GatedObject& object, const ObjectPart& part,
                const std::map<std::string, std::string>& annotations, const char* what = "/note");

  Ports ports_;
  std::map<std::string, Record> records_;  // by uid
  std::set<std::string> due_;              // uids
  std::int64_t written_ = 0;
};

}  // namespace ebb::kubernetes
