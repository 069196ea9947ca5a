#pragma once
// One blocking HTTP GET over libcurl: TLS verified, redirects limited, size and time bounded.
// Callers that must not block (the decision path) call it from a thread of their own.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::platform {

struct HttpRequest {
  std::string url;                   ///< http:// or https:// only
  std::vector<std::string> headers;  ///< "name: value"; never logged
  Duration timeout = Duration{10'000};
  std::uint64_t limit_bytes = 8 << 20;
};

struct HttpResponse {
  int status = 0;
  std::string body;
};

/// Any HTTP status is a response; only a failing transport is an Error (its `where` is the URL
/// without query).
Result<HttpResponse> HttpGet(const HttpRequest& request);

}  // namespace ebb::platform
