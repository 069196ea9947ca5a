#include "platform/web_address.h"

#include <algorithm>
#include <cctype>

namespace ebb::platform {

std::string ShownUrl(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto host = scheme + 3;
  const auto path = std::min(url.find('/', host), url.size());
  const auto user_end = url.substr(0, path).rfind('@');
  if (user_end == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(user_end + 1));
}

bool IsThisMachine(std::string_view url) {
  for (const std::string_view host : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string begin = "http://" + std::string(host);
    if (!url.starts_with(begin)) continue;
    const std::string_view rest = url.substr(begin.size());
    if (rest.empty() || rest.front() == '/' || rest.front() == ':') return true;
  }
  return false;
}

Status CheckAddress(std::string_view url, bool carries_secret) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return Fail({ExitCode::kConfiguration, "\"" + std::string(url) + "\" is not a web address", "",
                 "it begins with https:// or http://"});
  if (carries_secret && !url.starts_with("https://") && !IsThisMachine(url))
    return Fail({ExitCode::kConfiguration, "a token is not sent unencrypted", ShownUrl(url),
                 "use an https:// address"});
  return {};
}

std::string UrlEscape(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) || std::string_view("-_.~").find(character) != std::string_view::npos) {
      escaped += character;
    } else {
      escaped += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return escaped;
}

}  // namespace ebb::platform
