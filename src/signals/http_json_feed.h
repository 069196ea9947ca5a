#pragma once
// The latest value of a web address, asked at most once per refresh interval. Nothing is invented:
// an address that cannot be read is an Error of Observe, and a value holds only as long as it is
// valid:
//   a value with its own interval or time: for that interval (an hour where its length is not
//   said), then, marked estimated, for one interval more, since publishers lag; a bare number: for
//   the refresh interval, then, marked estimated, up to an hour after it was read.
// There is no forecast. What was observed is kept for Settled, which asks again when a refresh is
// due, so that a running program is accounted with current values. For live clocks only. Blocks for
// at most the timeout of one request; one thread at a time.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/http.h"
#include "runtime/signal_feed.h"
#include "signals/live_payload.h"
#include "signals/provider.h"
#include "signals/signal_options.h"

namespace ebb::signals {

class HttpJsonFeed : public runtime::SignalFeed {
 public:
  /// Uses url, zone, kind, boundary, refresh, auth_env and auth_header of the options. Fails for an
  /// address that is none, and where the token's environment variable is not set or would be sent
  /// unencrypted. Asks nothing yet.
  static Result<std::unique_ptr<HttpJsonFeed>> Create(const SignalOptions& options,
                                                      HttpGetFunction http_get);

  /// Zone and boundary may become known with the first answer.
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Settled(Interval interval) override;
  Time NextChange(Time now) const override;

 private:
  // A value with the interval it is meant for, and how long it may stand in for the next one.
  struct Kept {
    Interval meant;
    Time holds_until;
    Intensity intensity;
    core::SampleStatus status;
  };
  HttpJsonFeed(platform::HttpRequest request, SignalOptions options, HttpGetFunction http_get);

  void RefreshIfDue(Time now);
  Result<LiveReading> Ask() const;
  Error Refused(int status) const;
  void Keep(const LiveReading& reading, Time now);
  core::IntensitySeries Series() const;

  platform::HttpRequest request_;
  SignalOptions options_;
  HttpGetFunction http_get_;
  std::string shown_url_;
  core::SignalIdentity identity_;
  std::vector<Kept> kept_;
  std::optional<Time> next_refresh_;
  std::optional<Error> failure_;  ///< of the latest request
};

}  // namespace ebb::signals
