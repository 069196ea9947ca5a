#pragma once
// The client of the API server: requests, changes at a limited rate, and watches, all in one
// thread.
//
// A change that the server cannot take (429, 5xx, a transport that fails) is made again later, with
// a wait that doubles, until it is answered or overtaken by a later one for the same object.
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
#include "kubernetes/api/api_server.h"
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
  Duration first_wait{500}, longest_wait{30'000};  ///< wait before a change is repeated
  std::uint64_t seed = 1;                          ///< seed for the random part of waits
};

/// Number of requests since the start.
struct ApiCounts {
  std::int64_t reads = 0, watches = 0, changes = 0, repeated = 0;
};

class ApiClient {
 public:
  using Done = std::function<void(const Result<ApiAnswer>&)>;
  using WatchId = platform::HttpStreams::Id;

  /// `streams` must outlive the client. `now` is a clock that nobody sets.
  ApiClient(platform::HttpStreams& streams, ApiServer server, std::function<Duration()> now,
            ApiClientOptions options = {});

  /// Sends a GET with path and query. It is answered once and not repeated.
  void Get(const std::string& path, Done done);

  /// A change of an object. With the method GET it is a question that is repeated until it is
  /// answered.
  struct Change {
    std::string method = "PATCH", path, content_type = "application/merge-patch+json", body;
    /// Changes with the same key are made in order, and a later one replaces one that still waits.
    std::string key;
    bool urgent = true;  ///< sent before changes that are not urgent
    bool once = false;   ///< sent immediately, before all that wait, and never repeated
    /// The change is sent at most once: if nobody knows whether it was made, that is an Error
    /// (kUnavailable), and 409 is an answer.
    bool at_most_once = false;
    int failures = 0;  ///< number of earlier failures: the change waits first
    /// How long the change is repeated before that is an Error (kUnavailable).
    Duration patience{std::chrono::hours{24}};
  };
  /// Makes the change. `done` gets the answer with a status below 500 except 429, or an Error that
  /// repeating cannot mend. It is not called for a change that was replaced.
  void Make(Change change, Done done);

  struct WatchEvents {
    std::function<void(int status)> on_open;  ///< called when the server answers; may be empty
    /// Takes one line of a 200. Returns false to end the watch.
    std::function<bool(std::string_view line)> on_line;
    /// Gets the status and, unless it was 200, the answer; an Error if the transport failed.
    Done on_end;
  };
  WatchId Watch(const std::string& path, Duration timeout, WatchEvents events);
  void StopWatch(WatchId id) { streams_.Cancel(id); }

  /// Tells that a change of this key has not been sent yet.
  bool IsWaiting(const std::string& key) const { return by_key_.contains(key); }
  /// Cancels a change of this key that is made at most once and was not sent yet; it gets no
  /// answer. False: there is none.
  bool TakeBack(const std::string& key);

  /// Sends the requests that are due. Call it before each wait.
  void Tick();
  /// When to call Tick next; nothing: not before something happens.
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
  // Waiting changes in the order in which they came.
  std::list<Waiting> urgent_, others_;
  std::unordered_map<std::string, std::list<Waiting>::iterator> by_key_;  // in either list
  std::map<std::string, int> under_way_;                                  // by key
  bool has_token_ = false;  // for the next change, otherwise it waits until next_token_
  Duration next_token_{};
  Random random_;
  ApiCounts counts_;
};

}  // namespace ebb::kubernetes
