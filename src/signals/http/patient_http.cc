#include "signals/http/patient_http.h"

#include <algorithm>

#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

bool CanPass(const Result<platform::HttpResponse>& answer) {
  return answer ? platform::MayRetry(answer->status) : platform::MayRetry(answer.error());
}

Error Stopped(const platform::HttpRequest& request) {
  return {ExitCode::kUnavailable, "asking was stopped", ShownUrl(request.url), ""};
}

}  // namespace

PatientHttp::PatientHttp(HttpGetFunction http_get, FetchTime& time, PatienceOptions options)
    : http_get_(std::move(http_get)),
      time_(time),
      options_(options),
      bucket_(options.rate),
      breaker_(options.breaker),
      random_(options.seed) {}

Result<platform::HttpResponse> PatientHttp::Get(const platform::HttpRequest& request) {
  // While half open, the breaker lets only one probe through.
  const bool probe = state() == CircuitBreaker::State::kHalfOpen;
  const int attempts = probe ? 1 : options_.attempts;
  for (int failures = 0;;) {
    EBB_RETURN_IF_ERROR(Admit(request));
    auto answer = Attempt(request);
    if (!CanPass(answer) || ++failures >= attempts) return answer;
    const Duration wait = WaitBeforeNext(answer, failures);
    if (wait > options_.back_off.longest) return answer;
    if (!time_.Wait(wait)) return Fail(Stopped(request));
  }
}

// Waits for the rate; fails at once while the service must not be asked.
Status PatientHttp::Admit(const platform::HttpRequest& request) {
  const Time now = Steady();
  const bool open = breaker_.StateAt(now) == CircuitBreaker::State::kOpen;
  if (open || now < not_before_) {
    const Time until = std::max(not_before_, open ? breaker_.open_until() : Time{});
    return Fail({ExitCode::kUnavailable,
                 (open ? "the service failed several times in a row, the last time: "
                       : "the service asked to be left alone: ") +
                     last_failure_,
                 ShownUrl(request.url),
                 "it is asked again at " + FormatTime(time_.Now() + (until - now))});
  }
  const Duration wait = bucket_.Take(now);
  if (wait > Duration::zero() && !time_.Wait(wait)) return Fail(Stopped(request));
  return {};
}

Result<platform::HttpResponse> PatientHttp::Attempt(const platform::HttpRequest& request) {
  auto answer = http_get_(request);
  if (CanPass(answer)) {
    NoteFailure(answer);
    breaker_.Failed(Steady());
  } else {
    breaker_.Succeeded();  // even a refusal shows that the service is there
  }
  return answer;
}

void PatientHttp::NoteFailure(const Result<platform::HttpResponse>& answer) {
  last_failure_ = answer ? "it answered with HTTP status " + std::to_string(answer->status)
                         : answer.error().what;
}

Duration PatientHttp::WaitBeforeNext(const Result<platform::HttpResponse>& answer, int failures) {
  const Duration own = platform::WaitAfter(failures, options_.back_off, random_);
  const auto asked = answer ? platform::RetryAfter(answer->retry_after, time_.Now()) : std::nullopt;
  if (!asked) return own;
  not_before_ = Steady() + *asked;
  return std::max(own, *asked);
}

}  // namespace ebb::signals
