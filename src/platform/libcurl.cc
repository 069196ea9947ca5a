#include "platform/libcurl.h"

#include <dlfcn.h>

#include <optional>

#include "platform/shared_library.h"

namespace ebb::platform {
namespace {

std::optional<Curl> LoadCurl() {
  void* library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  Curl curl{};
  const bool complete =
      FindFunction(library, "curl_global_init", curl.global_init) &&
      FindFunction(library, "curl_easy_init", curl.easy_init) &&
      FindFunction(library, "curl_easy_cleanup", curl.easy_cleanup) &&
      FindFunction(library, "curl_easy_setopt", curl.easy_setopt) &&
      FindFunction(library, "curl_easy_perform", curl.easy_perform) &&
      FindFunction(library, "curl_easy_getinfo", curl.easy_getinfo) &&
      FindFunction(library, "curl_easy_strerror", curl.easy_strerror) &&
      FindFunction(library, "curl_slist_append", curl.slist_append) &&
      FindFunction(library, "curl_slist_free_all", curl.slist_free_all) &&
      FindFunction(library, "curl_multi_init", curl.multi_init) &&
      FindFunction(library, "curl_multi_cleanup", curl.multi_cleanup) &&
      FindFunction(library, "curl_multi_add_handle", curl.multi_add_handle) &&
      FindFunction(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
      FindFunction(library, "curl_multi_perform", curl.multi_perform) &&
      FindFunction(library, "curl_multi_poll", curl.multi_poll) &&
      FindFunction(library, "curl_multi_wakeup", curl.multi_wakeup) &&
      FindFunction(library, "curl_multi_info_read", curl.multi_info_read);
  if (!complete || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return std::nullopt;
  return curl;
}

}  // namespace

Result<const Curl*> LibCurl() {
  static const std::optional<Curl> curl = LoadCurl();
  if (!curl)
    return Fail({ExitCode::kConfiguration, "libcurl.so.4 cannot be loaded", "",
                 "install libcurl (Debian: libcurl4)"});
  return &*curl;
}

bool AskingAgainCannotHelp(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_TOO_MANY_REDIRECTS;
}

std::string WithoutQuery(const std::string& url) { return url.substr(0, url.find('?')); }

}  // namespace ebb::platform
