#pragma once
// The interface between http_server.cc and the module that it loads (http_listener.cc). Private to
// web/.

#include "web/http/http_server.h"

namespace ebb::web {

class HttpListener {
 public:
  /// Ends the requests that are under way.
  virtual ~HttpListener() = default;
  /// The port; negative if the address cannot be used.
  virtual int port() const = 0;
};

/// The module's only function. It returns nullptr and an Error in `why` if it fails.
inline constexpr const char* kListenFunction = "ebb_http_listen";
using ListenFunction = HttpListener*(const HttpServerOptions*, HttpHandler*, Error* why);

}  // namespace ebb::web
