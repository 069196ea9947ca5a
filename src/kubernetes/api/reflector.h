#pragma once
// Follows all objects of one resource: a list, then a watch from there, for as long as the process
// lives. It reports the server's state: after a watch that was cut off, a version that is too old
// (410, usual after each restart of the server) or a server that was away, the difference is
// reported, and no change twice.
//
// Where the server can, the list comes as the beginning of the watch (sendInitialEvents), which
// costs it less; otherwise in pages.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json_node.h"
#include "kubernetes/api/api_client.h"

namespace ebb::kubernetes {

struct ReflectorEvents {
  /// Called for an object that is new or has changed.
  std::function<void(const JsonNode& object)> on_object;
  /// Called for an object that is gone, with its metadata.uid.
  std::function<void(const std::string& uid)> on_gone;
  /// Reports to people that the server refuses, or cannot be reached. Once for each reason.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct ReflectorOptions {
  Duration watch_for{std::chrono::minutes{5}};  ///< the server ends a watch after this time
  Duration first_wait{500}, longest_wait{30'000};
  int page = 500;
  std::uint64_t seed = 1;
};

struct ReflectorCounts {
  std::int64_t lists = 0, watches = 0, failures = 0;
};

class Reflector {
 public:
  /// `path` is a collection such as "/apis/batch/v1/jobs"; it may select objects:
  /// "...?fieldSelector=...". The client must outlive the reflector.
  Reflector(ApiClient& client, std::string path, std::function<Duration()> now,
            ReflectorEvents events, ReflectorOptions options = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Begins the requests that are due. Call it before each wait.
  void Tick();
  /// When to call Tick next; nothing: a request is under way.
  std::optional<Duration> NextDue() const;

  /// Tells that the whole list was reported at least once.
  bool synced() const { return synced_; }
  /// Tells that the server does not have this resource (404); the reflector looks again from time
  /// to time.
  bool absent() const { return absent_; }
  /// Since when the server has given no answer; nothing: it answers.
  std::optional<Duration> away_since() const { return away_since_; }
  const ReflectorCounts& counts() const { return counts_; }
  /// Number of objects; those of a list that is under way count twice.
  std::size_t remembered() const { return known_.size() + seen_.size(); }

 private:
  enum class Phase { kIdle, kListing, kWatching };
  bool IsListing() const { return phase_ != Phase::kWatching || in_stream_; }
  void List(const std::string& token);
  void TakePage(const Result<ApiAnswer>& answer);
  void Watch(bool from_the_beginning);
  bool TakeLine(std::string_view line);
  void TakeEvent(const JsonNode& event);
  void TakeBookmark(const JsonNode& object);
  void TakeWatchEnd(const Result<ApiAnswer>& answer);
  void TakeObject(const JsonNode& object);
  void EndOfList();
  void ListAgain();
  void Failed(const std::string& why, int status = 0);
  void Worked();

  ApiClient& client_;
  std::string path_;
  std::function<Duration()> now_;
  ReflectorEvents events_;
  ReflectorOptions options_;
  Phase phase_ = Phase::kIdle;
  ApiClient::WatchId watch_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come too late
  std::string version_;                       // where the next watch begins; empty: list first
  std::map<std::string, std::string> known_;  // uid -> resourceVersion
  std::set<std::string> seen_;                // uids in the list that is being reported
  bool streams_lists_ = true, in_stream_ = false;
  bool synced_ = false, absent_ = false, restart_ = false;
  std::optional<Duration> away_since_;
  Duration due_{};
  int failures_ = 0;
  std::string said_, error_;  // error_: reported by the watch, which it ended
  Duration watch_began_{};
  Random random_;
  ReflectorCounts counts_;
};

}  // namespace ebb::kubernetes
