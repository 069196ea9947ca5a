#pragma once
// Asks the API server: requests, changes at a limited rate, and watches, all in one thread.
//
// A change that the server has no time for (429, 5xx, a transport that fails) is made again later,
// with a wait that doubles, until it is answered or overtaken by a later one for the same object.
//
// Thread contract: that of platform::HttpStreams.

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "kubernetes/api_server.h"
#include "platform/http_streams.h"
#include "platform/token_bucket.h"

namespace ebb::kubernetes {

struct ApiAnswer {
  int status = 0;
  std::string body;
};

struct ApiClientOptions {
  platform::Rate changes{.per_minute = 50 * 60, .burst = 100};
  Duration timeout{30'000};
  Duration first_wait{500}, longest_wait{30'000};  ///< before a change is made again
  std::uint64_t seed = 1;                          ///< of the waits' scatter
};

/// What was asked of the server since the start.
struct ApiCounts {
  std::int64_t reads = 0, watches = 0, changes = 0, repeated = 0;
};

class ApiClient {
 public:
  using Done = std::function<void(const Result<ApiAnswer>&)>;
  using WatchId = platform::HttpStreams::Id;

  /// `streams` outlives the client. `now` is a clock that nobody sets.
  ApiClient(platform::HttpStreams& streams, ApiServer server, std::function<Duration()> now,
            ApiClientOptions options = {});

  /// GET of a path with its query. Answered once; not repeated.
  void Get(const std::string& path, Done done);

  /// A GET among them is a question that is asked until it is answered.
  struct Change {
    std::string method = "PATCH", path, content_type = "application/merge-patch+json", body;
    /// Changes with one key are made in order, and a later one takes the place of one that waits.
    std::string key;
    bool urgent = true;  ///< goes before those that are not
    bool once = false;   ///< at once, past all that wait, and whatever the answer is
    /// Where nobody knows whether it was made it is an Error (kUnavailable), and 409 an answer.
    bool at_most_once = false;
    int failures = 0;  ///< so often it has failed already: it is made after a wait
    /// So long it is made again; then it is an Error (kUnavailable).
    Duration patience{std::chrono::hours{24}};
  };
  /// `done`: the answer with a status below 500 but 429, or an Error that asking again cannot mend;
  /// not called for a change that was overtaken.
  void Make(Change change, Done done);

  struct WatchEvents {
    std::function<void(int status)> on_open;  ///< the server answers; may be empty
    /// One line of a 200. False: enough.
    std::function<bool(std::string_view line)> on_line;
    /// The status and, unless it was 200, the answer; an Error where the transport failed.
    Done on_end;
  };
  WatchId Watch(const std::string& path, Duration timeout, WatchEvents events);
  void StopWatch(WatchId id) { streams_.Cancel(id); }

  /// A change of this key that is not on its way yet.
  bool IsWaiting(const std::string& key) const { return by_key_.contains(key); }
  /// A change of this key that is made at most once, and has not been tried yet, is not made, and
  /// not answered. False: there is none.
  bool TakeBack(const std::string& key);

  /// Sends what is due. Call it before each wait.
  void Tick();
  /// When to call it next; nothing: not before something happens.
  std::optional<Duration> NextDue() const;

  const ApiServer& server() const { return server_; }
  const ApiCounts& counts() const { return counts_; }

 private:
  struct Waiting {
    Change change;
    Done done;
    Duration due{}, since{};
    int failures = 0;
  };
  Result<platform::StreamRequest> RequestFor(const std::string& method, const std::string& path,
                                             Duration timeout);
  std::list<Waiting>& ListOf(const Change& change) { return change.urgent ? urgent_ : others_; }
  Waiting TakeOut(std::list<Waiting>::iterator waiting);
  bool MaySend(const Waiting& waiting) const;
  bool TakeToken();
  static std::string PathOf(const Change& change);
  void Send(Waiting waiting);
  void Answered(Waiting waiting, const platform::StreamEnd& end, std::string body);
  void Repeat(Waiting waiting, const std::map<std::string, std::string>& headers);
  Duration WaitAfter(int failures);
  Result<ApiAnswer> NotAnswered() const;

  platform::HttpStreams& streams_;
  ApiServer server_;
  std::function<Duration()> now_;
  ApiClientOptions options_;
  platform::TokenBucket bucket_;
  // In the order in which they came: the urgent ones, and the others.
  std::list<Waiting> urgent_, others_;
  std::unordered_map<std::string, std::list<Waiting>::iterator> by_key_;  // in one of the two
  std::map<std::string, int> under_way_;                                  // by key
  bool has_token_ = false;  // the next change's, for which it waits until next_token_
  Duration next_token_{};
  Random random_;
  ApiCounts counts_;
};

}  // namespace ebb::kubernetes
