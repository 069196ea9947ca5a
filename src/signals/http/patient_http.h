#pragma once
// The one way to ask a service that may be down, slow, or tired of us: retries that can succeed
// (platform/retry.h), a rate (platform/token_bucket.h), and a circuit breaker (circuit_breaker.h),
// one of each per provider. It waits, so it is called on the thread that fetches and never on one
// that decides.

#include <cstdint>

#include "platform/retry.h"
#include "platform/token_bucket.h"
#include "signals/http/circuit_breaker.h"
#include "signals/provider.h"

namespace ebb::signals {

/// Time on the thread that fetches; a fake one in tests.
class FetchTime {
 public:
  virtual ~FetchTime() = default;
  virtual Time Now() const = 0;
  /// Time that nobody sets, see runtime::Clock.
  virtual Duration SinceBoot() const = 0;
  /// False: stop, the caller is going away.
  virtual bool Wait(Duration duration) = 0;
};

struct PatienceOptions {
  int attempts = 4;
  platform::BackOff back_off;
  platform::Rate rate;
  BreakerOptions breaker;
  std::uint64_t seed = 1;  ///< of the back-off's jitter
};

class PatientHttp {
 public:
  /// `time` must outlive it.
  PatientHttp(HttpGetFunction http_get, FetchTime& time, PatienceOptions options);

  /// A status that cannot be retried, or still is there after the last attempt, is a response.
  Result<platform::HttpResponse> Get(const platform::HttpRequest& request);
  CircuitBreaker::State state() const { return breaker_.StateAt(Steady()); }

 private:
  /// A moment for differences: the wall clock may be set meanwhile.
  Time Steady() const { return Time{time_.SinceBoot()}; }
  Status Admit(const platform::HttpRequest& request);
  void NoteFailure(const Result<platform::HttpResponse>& answer);
  Result<platform::HttpResponse> Attempt(const platform::HttpRequest& request);
  Duration WaitBeforeNext(const Result<platform::HttpResponse>& answer, int failures);

  const HttpGetFunction http_get_;
  FetchTime& time_;
  const PatienceOptions options_;
  platform::TokenBucket bucket_;
  CircuitBreaker breaker_;
  Random random_;
  std::string last_failure_;  ///< what the latest failure was, for people
  Time not_before_{};         ///< Steady: the service asked to be left alone until then
};

}  // namespace ebb::signals
