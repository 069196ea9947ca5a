#pragma once
// An HTTP/1.1 server on one address, with limits: the only file that knows the library. Handlers
// are plain functions from a request to a response.
//
// Limits: bodies (413), header and line lengths (the library's), reading and writing time per
// request, requests in a row per connection, connections at a time (threads), live streams
// (stream_limiter.h).
//
// Thread contract: the handler is called from many threads at a time.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ebb::web {

struct HttpRequest {
  std::string method;
  std::string path;                            ///< decoded, without the query
  std::map<std::string, std::string> query;    ///< decoded; of several equal names the first
  std::map<std::string, std::string> headers;  ///< names in lower case; of equal names the first
  std::string body;
  std::string peer;  ///< the address it came from
};

/// Writes a part of a response that goes on; false once nobody reads it.
using StreamWriter = std::function<bool(std::string_view)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Instead of a body: called again and again until it returns false.
  std::function<bool(const StreamWriter&)> stream{};
  bool with_token = false;  ///< of a stream: its reader has the service's token
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

/// What a server proves itself with (tls.h).
struct TlsFiles {
  std::string certificate, key;
  /// What a person should know: the pair was replaced, or the new one cannot be used. Called by
  /// the server's thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  ///< 0: any that is free
  /// A socket that listens beside it (platform/unix_socket.h), taken over; its peers have no
  /// address.
  int also_listening = -1;
  std::optional<TlsFiles> tls{};  ///< nothing: plain HTTP
  std::size_t longest_body = 8 << 20;
  std::chrono::seconds patience{10};   ///< for a peer that reads or writes slowly
  std::chrono::seconds kept_alive{5};  ///< a connection between two requests
  int threads = 64;                    ///< connections at a time
  std::size_t streams = 32;            ///< of them, responses that go on
};

class HttpServer {
 public:
  /// Listens when it returns. An Error: the address, or the certificate, cannot be used.
  static Result<HttpServer> Start(const HttpServerOptions& options, HttpHandler handler);
  HttpServer(HttpServer&&) noexcept;
  /// Ends what is under way.
  ~HttpServer();

  int port() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::web
