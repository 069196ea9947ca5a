#pragma once
// libcurl, loaded when the first request is made: it brings some thirty libraries and 6 MB, and a
// program that only measures, or replays a trace, never needs it. For http.cc and http_streams.cc
// alone.

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

/// An Error: it is not installed. From any thread; the library stays loaded.
Result<const Curl*> LibCurl();

/// Whether the same request can only fail the same way.
bool AskingAgainCannotHelp(CURLcode code);

/// A query can carry a token: it stays out of messages.
std::string WithoutQuery(const std::string& url);

}  // namespace ebb::platform
