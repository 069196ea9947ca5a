#pragma once
// Decides whether a request is worth repeating, and how long to wait before that. Repeated are 408,
// 429, 5xx and failures of the network; never 401, 403, 404 or another refusal, because the server
// would refuse again. Pure.

#include <optional>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "platform/http.h"

namespace ebb::platform {

bool MayRetry(int status);
/// True for an Error of the transport that may pass. A bad certificate or address does not pass.
bool MayRetry(const Error& error);

struct BackOff {
  Duration first{std::chrono::seconds{1}};
  Duration longest{std::chrono::minutes{1}};
};
/// The wait before attempt `failures` + 1: first x 2^(failures - 1), at most the longest, times a
/// random number from 0.5 to 1, so that many clients do not come back at once.
Duration WaitAfter(int failures, const BackOff& back_off, Random& random);

/// Parses Retry-After, in seconds or as an HTTP date (RFC 9110, 10.2.3); nullopt if it is neither.
std::optional<Duration> RetryAfter(std::string_view header, Time now);

}  // namespace ebb::platform
