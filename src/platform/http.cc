#include "platform/http.h"

#include <curl/curl.h>

#include <memory>

namespace ebb::platform {
namespace {

struct Body {
  std::string bytes;
  std::uint64_t limit_bytes;
};

std::size_t Receive(char* data, std::size_t size, std::size_t count, void* user) {
  auto& body = *static_cast<Body*>(user);
  if (body.bytes.size() + size * count > body.limit_bytes) return 0;
  body.bytes.append(data, size * count);
  return size * count;
}

// A query can carry a token: it stays out of messages.
std::string WithoutQuery(const std::string& url) { return url.substr(0, url.find('?')); }

}  // namespace

Result<HttpResponse> HttpGet(const HttpRequest& request) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  if (initialised != CURLE_OK || !curl)
    return Fail({ExitCode::kUnavailable, "libcurl cannot start", "", ""});
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl_slist_append(list, header.c_str());
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(list, curl_slist_free_all);

  Body body{{}, request.limit_bytes};
  char reason[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "ebb");
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, Receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) {
    const std::string why = reason[0] != '\0' ? reason : curl_easy_strerror(code);
    return Fail({ExitCode::kUnavailable, "request failed: " + why, WithoutQuery(request.url),
                 "check the address and the network"});
  }
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  return HttpResponse{static_cast<int>(status), std::move(body.bytes)};
}

}  // namespace ebb::platform
