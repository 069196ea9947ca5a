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
  std::map<std::string, std::string> query;    ///< decoded; the first value if a name occurs twice
  std::map<std::string, std::string> headers;  ///< names in lower case; the first value if a name
                                               ///< occurs twice
  std::string body;
  std::string peer;  ///< address of the peer
};

/// Writes a part of a stream; false when nobody reads it any more.
using StreamWriter = std::function<bool(std::string_view)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers{};
  /// The body of a stream: called again and again until it returns false.
  std::function<bool(const StreamWriter&)> stream{};
  bool with_token = false;  ///< streams only: the reader has the service's token
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

/// The certificate and private key of a server (tls.h).
struct TlsFiles {
  std::string certificate, key;
  /// Reports to people that the pair was replaced, or that the new one cannot be used. Called on
  /// the server's thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  ///< 0 for any free port
  /// A second socket that listens (platform/unix_socket.h). The server takes ownership; its peers
  /// have no address.
  int also_listening = -1;
  std::optional<TlsFiles> tls{};  ///< nullopt for plain HTTP
  std::size_t longest_body = 8 << 20;
  std::chrono::seconds patience{10};   ///< time for a peer that reads or writes slowly
  std::chrono::seconds kept_alive{5};  ///< time that a connection stays open between two requests
  int threads = 64;                    ///< served connections at a time
  std::size_t streams = 32;            ///< streams among these connections
};

class HttpServer {
 public:
  /// Returns when the server listens. An Error if the address or the certificate cannot be used.
  static Result<HttpServer> Start(const HttpServerOptions& options, HttpHandler handler);
  HttpServer(HttpServer&&) noexcept;
  /// Ends the requests that are under way.
  ~HttpServer();

  int port() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::web
