#pragma once
// Loads libcurl when the first request is made. It brings some thirty libraries and 6 MB, which a
// program that only measures or replays a trace never needs. Only http.cc and http_streams.cc use
// it.

#include <curl/curl.h>

#include "base/result.h"

namespace ebb::platform {

struct Curl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_perform) multi_perform;
  decltype(&curl_multi_poll) multi_poll;
  decltype(&curl_multi_wakeup) multi_wakeup;
  decltype(&curl_multi_info_read) multi_info_read;
};

/// The functions of libcurl. Fails if it is not installed. May be called from any thread; the
/// library stays loaded.
Result<const Curl*> LibCurl();

/// True if the same request can only fail in the same way.
bool AskingAgainCannotHelp(CURLcode code);

/// The URL without its query, for messages: a query can carry a token.
std::string WithoutQuery(const std::string& url);

}  // namespace ebb::platform
