#include "signals/http/web_request.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace ebb::signals {

std::string ShortDigest(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  for (const char character : text)
    digest = (digest ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  std::string shown;
  for (int shift = 60; shift >= 0; shift -= 4) shown += kHex[digest >> shift & 15];
  return shown;
}

std::string BasicAuthorization(std::string_view user, std::string_view password) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string plain = std::string(user) + ":" + std::string(password);
  std::string encoded;
  for (std::size_t i = 0; i < plain.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return k < plain.size() ? static_cast<unsigned>(static_cast<unsigned char>(plain[k])) : 0U;
    };
    const unsigned group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    encoded += kDigits[group >> 18];
    encoded += kDigits[group >> 12 & 63];
    encoded += i + 1 < plain.size() ? kDigits[group >> 6 & 63] : '=';
    encoded += i + 2 < plain.size() ? kDigits[group & 63] : '=';
  }
  return "Authorization: Basic " + encoded;
}

Error RefusedBy(std::string_view url, int status, const std::string& hint) {
  std::string next = "check the address with curl";
  if (status == 401 || status == 403) next = hint;
  if (status == 404) next = "check the address and the zone";
  if (status == 429) next = "ask less often: raise --refresh or scheduler.check_interval";
  if (status >= 500) next = "the service has a problem of its own; it is asked again later";
  return {ExitCode::kUnavailable, "the address answered with HTTP status " + std::to_string(status),
          ShownUrl(url), std::move(next)};
}

Result<std::string> GetBody(const HttpGetFunction& http_get, const platform::HttpRequest& request,
                            const std::string& hint) {
  EBB_ASSIGN_OR_RETURN(platform::HttpResponse response, http_get(request));
  if (response.status != 200) return Fail(RefusedBy(request.url, response.status, hint));
  return std::move(response.body);
}

}  // namespace ebb::signals
