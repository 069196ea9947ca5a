#pragma once
// Between http_server.cc and the module that it loads (http_listener.cc). Private to web/.

#include "web/http/http_server.h"

namespace ebb::web {

class HttpListener {
 public:
  /// Ends what is under way.
  virtual ~HttpListener() = default;
  /// Negative: the address cannot be used.
  virtual int port() const = 0;
};

/// The module's one function. nullptr: an Error, in `why`.
inline constexpr const char* kListenFunction = "ebb_http_listen";
using ListenFunction = HttpListener*(const HttpServerOptions*, HttpHandler*, Error* why);

}  // namespace ebb::web
