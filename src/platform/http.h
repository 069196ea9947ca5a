#pragma once
// One blocking HTTP request over libcurl: TLS verified, redirects limited, size and time bounded. A
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
  /// Time limit of the whole request, from name look-up to last byte.
  Duration timeout = Duration{10'000};
  std::uint64_t limit_bytes = 8 << 20;
  std::string ca_file{};  ///< PEM file; empty: SSL_CERT_FILE, else the system's authorities
  bool direct = false;    ///< no proxy, no redirect: for an address of this machine's own network
  std::string user_password{};  ///< "user:password"; never logged
  std::string body{};           ///< body of PUT and POST
  /// The path of a Unix socket: the request goes there, whatever host the URL names, but only to a
  /// process of user `socket_owner` or of root.
  std::string unix_socket{};
  uid_t socket_owner = 0;
  /// If another thread sets it to true, the request ends within a second.
  const std::atomic<bool>* cancelled = nullptr;
};

struct HttpResponse {
  int status = 0;
  std::string body{};
  std::string retry_after{};  ///< value of the header Retry-After; "" if there is none
  /// Headers of the last answer; names in lower case.
  std::map<std::string, std::string> headers{};
};

/// Any HTTP status is a response; only a failing transport is an Error, whose `where` is the URL
/// without the query: kUnavailable if the failure may pass, kConfiguration if asking again cannot
/// help (an untrusted certificate, an invalid address, an answer that is too large).
Result<HttpResponse> HttpGet(const HttpRequest& request);
/// Sends `request.body`, which may be empty, with PUT. Errors are as in HttpGet.
Result<HttpResponse> HttpPut(const HttpRequest& request);
/// Sends `request.body` with POST. Errors are as in HttpGet.
Result<HttpResponse> HttpPost(const HttpRequest& request);
/// DELETE, without a body. Errors are as in HttpGet.
Result<HttpResponse> HttpDelete(const HttpRequest& request);

}  // namespace ebb::platform
