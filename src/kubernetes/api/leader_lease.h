#pragma once
// Decides which of several controllers acts: the one that holds a Lease (coordination.k8s.io/v1)
// and renews it. Another controller takes the Lease once it was not renewed for the duration in it,
// by that controller's own clock: the clocks of two machines are never compared. After client-go's
// leader election.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api/api_client.h"

namespace ebb::kubernetes {

struct LeaseOptions {
  std::string name_space = "default", name = "ebb-controller";
  std::string identity;  ///< unique to this process
  /// Time after the last renewal in which no other process takes the lease. Whole seconds, as in
  /// the Lease.
  std::chrono::seconds holds_for{10};
  /// Time after the last successful renewal after which the holder stops acting. Less than
  /// `holds_for`.
  Duration acts_for{7000};
  Duration renews_every{2'000};
};

class LeaderLease {
 public:
  /// `now` is the wall clock, for people who read the Lease; `since_boot` is a clock that nobody
  /// sets.
  LeaderLease(ApiClient& client, std::function<Time()> now, std::function<Duration()> since_boot,
              std::function<void(const std::string&)> say, LeaseOptions options);
  ~LeaderLease();
  LeaderLease(const LeaderLease&) = delete;
  LeaderLease& operator=(const LeaderLease&) = delete;

  /// Reads, takes or renews the Lease if that is due. Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;
  /// Tells if this process may act now.
  bool holds() const;
  /// Tells that this process held the Lease once, and does not any more.
  bool lost() const { return held_once_ && !holds(); }
  /// The holder when the Lease was last seen; "" if nobody.
  const std::string& holder() const { return holder_; }
  /// Gives the Lease back, so that another process need not wait. Does not wait for the answer.
  void Release();

 private:
  void Look();
  void TakeLease(const Result<ApiAnswer>& answer);
  void Write(bool exists, bool release);
  void TakeWritten(const Result<ApiAnswer>& answer, Duration asked_at);
  void Say(const std::string& what);
  std::string Path() const;

  ApiClient& client_;
  std::function<Time()> now_;
  std::function<Duration()> since_boot_;
  std::function<void(const std::string&)> say_;
  LeaseOptions options_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come too late
  std::string holder_, renewed_, version_;                      // as last seen
  std::string acquired_;                                        // when this process took it
  std::int64_t transitions_ = 0;
  std::chrono::seconds others_hold_for_{15};
  Duration seen_at_{};  // since when holder_ and renewed_ are unchanged
  std::optional<Duration> renewed_at_;
  bool held_once_ = false, under_way_ = false;
  Duration due_{};
  std::string said_;
};

}  // namespace ebb::kubernetes
