#pragma once
// What people are told of an object, on the object itself: annotations that say where it stands and
// why (rewritten when something changes, numbers alone not too often), and Events.
//
// Thread contract: one thread, that of the ApiClient.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/api_client.h"
#include "kubernetes/event_recorder.h"
#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

/// What is written on an object.
struct ObjectNote {
  std::string stage, reason, expected_start;
  /// Intensities, of which the first ones stay; empty: not known.
  std::string at_submission{}, at_start{};
  friend bool operator==(const ObjectNote&, const ObjectNote&) = default;
};

class ObjectNotes {
 public:
  struct Ports {
    ApiClient& client;
    EventRecorder& recorder;
    /// As it was last seen; nullptr: it is not there.
    std::function<const GatedObject*(const std::string& uid)> find;
    /// Released through a gate that has not let it through yet: until then it is starting.
    std::function<bool(const std::string& uid)> is_awaited;
    std::function<Duration()> since_boot;  ///< a clock that nobody sets
    bool dry_run = false;
    /// Between two notes on one object that say nothing new but numbers.
    Duration every;
  };
  explicit ObjectNotes(Ports ports) : ports_(std::move(ports)) {}

  /// What holds of it from now on. Written soon, if it is not there already.
  void Put(const GatedObject& object, ObjectNote note);
  /// The same stage for another cause is news.
  void PutNews(const GatedObject& object, ObjectNote note);
  /// Writes it once more, since it is to be put otherwise.
  void WriteAgain(const std::string& uid);
  /// What was said before is over, though it stands there.
  void Forget(const std::string& uid);
  /// Takes it off the object.
  void Remove(const GatedObject& object);
  /// Annotations without the prefix. `what`: a later one of the same replaces it while it waits.
  void WriteFigures(const GatedObject& object, const std::map<std::string, std::string>& figures,
                    const char* what);
  /// As it stands on the object; of a gang on its first pod.
  std::string Written(const GatedObject& object, const std::string& key) const;
  /// The object is gone.
  void Drop(const GatedObject& object);
  /// Where `before` is not what there is now: what is new has no note yet.
  void FollowParts(const GatedObject& object, const std::vector<ObjectPart>& before);
  /// What the engine last said of it; nullptr: nothing yet.
  const ObjectNote* Of(const std::string& uid) const;

  /// As an Event. `told_before`: how another process has told it, so that it is no news.
  void Tell(const GatedObject& object, EventReason reason, const std::string& message,
            const std::optional<std::string>& told_before = {});
  /// What of it cannot be had, and could not `before`.
  void TellProblems(const GatedObject& object, const std::vector<std::string>& before);

  /// Writes what is due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;
  std::int64_t written() const { return written_; }
  std::size_t remembered() const { return records_.size(); }

 private:
  struct Record {
    ObjectNote noted, wanted;
    Duration noted_at{};
    bool is_news() const { return wanted.stage != noted.stage; }
  };
  const GatedObject* ToldOn(const GatedObject& object) const;
  void TellStage(const GatedObject& object, const Record& record);
  void Write(const GatedObject& object, Record& record);
  /// `what`: as for WriteFigures.
  void Annotate(const GatedObject& object, const ObjectPart& part,
                const std::map<std::string, std::string>& annotations, const char* what = "/note");

  Ports ports_;
  std::map<std::string, Record> records_;  // by uid
  std::set<std::string> due_;              // uids
  std::int64_t written_ = 0;
};

}  // namespace ebb::kubernetes
