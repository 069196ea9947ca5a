#pragma once
// The one way to ask a service that may be down, slow, or overloaded: retries of failures that can
// pass (platform/retry.h), a rate (platform/token_bucket.h), and a circuit breaker
// (circuit_breaker.h), one of each per provider. Requests wait, so they are made on the thread that
// fetches and never on one that decides.

#include <cstdint>

#include "platform/retry.h"
#include "platform/token_bucket.h"
#include "signals/http/circuit_breaker.h"
#include "signals/provider.h"

namespace ebb::signals {

/// The clock of the thread that fetches; tests use a fake.
class FetchTime {
 public:
  virtual ~FetchTime() = default;
  virtual Time Now() const = 0;
  /// A clock that nobody can set, see runtime::Clock.
  virtual Duration SinceBoot() const = 0;
  /// Returns false if the wait was cut short because the caller is going away.
  virtual bool Wait(Duration duration) = 0;
};

struct PatienceOptions {
  int attempts = 4;
  platform::BackOff back_off;
  platform::Rate rate;
  BreakerOptions breaker;
  std::uint64_t seed = 1;  ///< for the back-off's jitter
};

class PatientHttp {
 public:
  /// `time` must outlive the PatientHttp.
  PatientHttp(HttpGetFunction http_get, FetchTime& time, PatienceOptions options);

  /// A status that a retry cannot change, or the status of the last attempt, is a response.
  Result<platform::HttpResponse> Get(const platform::HttpRequest& request);
  CircuitBreaker::State state() const { return breaker_.StateAt(Steady()); }

 private:
  /// A moment of the clock that nobody can set, for differences: the wall clock may be set
  /// meanwhile.
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
  std::string last_failure_;  ///< the latest failure, for people
  Time not_before_{};         ///< on Steady's clock: the service must not be asked before then
};

}  // namespace ebb::signals
