#pragma once
// When asking again can help, and how long to wait before. Retried: 408, 429, 5xx and failures of
// the network. Never 401, 403, 404 or another refusal: it would be refused again. Pure.

#include <optional>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "platform/http.h"

namespace ebb::platform {

bool MayRetry(int status);
/// An Error of the transport that may pass; a bad certificate or address does not.
bool MayRetry(const Error& error);

struct BackOff {
  Duration first{std::chrono::seconds{1}};
  Duration longest{std::chrono::minutes{1}};
};
/// Before attempt `failures` + 1: first x 2^(failures - 1) up to the longest, of which a random
/// half to whole is waited, so that many clients do not come back at once.
Duration WaitAfter(int failures, const BackOff& back_off, Random& random);

/// Retry-After in seconds or as an HTTP date (RFC 9110, 10.2.3); nothing where it is neither.
std::optional<Duration> RetryAfter(std::string_view header, Time now);

}  // namespace ebb::platform
