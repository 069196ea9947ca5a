#pragma once
// One blocking HTTP request over libcurl: TLS verified, redirects limited, size and time bounded: a
// server that sends slowly, too much or too little costs at most the timeout and the size limit.
// Callers that must not block (the decision path) call it from a thread of their own.

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::platform {

struct HttpRequest {
  std::string url;                     ///< http:// or https:// only
  std::vector<std::string> headers{};  ///< "name: value"; never logged, never sent after a redirect
  Duration timeout = Duration{10'000};  ///< of the whole request, from name look-up to last byte
  std::uint64_t limit_bytes = 8 << 20;
  std::string ca_file{};  ///< PEM; empty: of SSL_CERT_FILE, else the system's authorities
  bool direct = false;    ///< no proxy, no redirect: for an address of this machine's own network
  std::string user_password{};  ///< "user:password"; never logged
  std::string body{};           ///< of PUT and POST
  /// The path of a Unix socket: the request goes there, whatever host the URL names, and to nobody
  /// but a process of user `socket_owner` or of root.
  std::string unix_socket{};
  uid_t socket_owner = 0;
  const std::atomic<bool>* cancelled = nullptr;  ///< set to true, the request ends within a second
};

struct HttpResponse {
  int status = 0;
  std::string body{};
  std::string retry_after{};  ///< the header of that name as it came; "" where there is none
  std::map<std::string, std::string> headers{};  ///< of the last answer; names in lower case
};

/// Any HTTP status is a response; only a failing transport is an Error (its `where` is the URL
/// without query): kUnavailable where it may pass, kConfiguration where asking again cannot help (a
/// certificate that is not trusted, an address that is none, an answer that is too large).
Result<HttpResponse> HttpGet(const HttpRequest& request);
/// The same with PUT: `request.body`, which may be empty, replaces what is there.
Result<HttpResponse> HttpPut(const HttpRequest& request);
/// The same with POST of `request.body`.
Result<HttpResponse> HttpPost(const HttpRequest& request);

}  // namespace ebb::platform
