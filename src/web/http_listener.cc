// The part of the server that knows the library, as a module that is loaded by the first server:
// the library brings OpenSSL, and a program that only measures never needs it.

#include "web/http_listener.h"

#include <fcntl.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace ebb::web {
namespace {

constexpr int kMostWaiting = 1024;

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpRequest RequestFrom(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) request.headers.emplace(LowerCase(name), value);
  request.body = from.body;
  request.peer = from.remote_addr;
  return request;
}

bool IsToken(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// A request that a proxy before us may read otherwise than we do (RFC 9112, sections 5.1, 5.2, 6.3;
// RFC 9110, 7.2): where it ends, or for which host it is. Empty: it is plain.
std::string WhyAmbiguous(const httplib::Request& request) {
  const std::size_t lengths = request.headers.count("Content-Length");
  if (lengths > 1) return "has more than one Content-Length";
  if (lengths == 1) {
    const std::string length = request.get_header_value("Content-Length");
    if (length.empty() || length.find_first_not_of("0123456789") != std::string::npos)
      return "has a Content-Length that is no number";
  }
  if (request.headers.count("Transfer-Encoding") > 0) {
    if (lengths > 0) return "has a Content-Length and a Transfer-Encoding";
    if (request.headers.count("Transfer-Encoding") > 1 ||
        LowerCase(request.get_header_value("Transfer-Encoding")) != "chunked")
      return "has a Transfer-Encoding other than chunked";
  }
  if (request.headers.count("Host") > 1) return "has more than one Host";
  for (const auto& [name, value] : request.headers)
    if (!IsToken(name)) return "has a header whose name is no name";
  return "";
}

class Listener final : public HttpListener {
 public:
  Listener(const HttpServerOptions& options, HttpHandler to_call);
  ~Listener() override;
  int port() const override { return port_; }

 private:
  httplib::Server server;
  HttpHandler handler;
  std::size_t most_streams = 0;
  std::atomic<std::size_t> streams{0};
  std::atomic<bool> stopping{false};
  socket_t listening = INVALID_SOCKET;
  int port_ = -1;
  std::thread listener;

  // Nothing that comes after it on this connection is read.
  static void RefuseAndClose(const std::string& why, httplib::Response& to) {
    to.status = 400;
    to.set_header("Connection", "close");
    const std::string text = "{\"error\":{\"what\":\"the request " + why + "\"}}\n";
    to.set_content_provider(
        text.size(), "application/json",
        [text](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          sink.write(text.data() + offset, length);
          return false;
        });
  }

  void Answer(const httplib::Request& from, httplib::Response& to) {
    if (const std::string why = WhyAmbiguous(from); !why.empty()) return RefuseAndClose(why, to);
    HttpResponse response = handler(RequestFrom(from));
    to.status = response.status;
    for (const auto& [name, value] : response.headers) to.set_header(name.c_str(), value);
    if (!response.stream) {
      to.set_content(std::move(response.body), response.content_type.c_str());
    } else if (streams.fetch_add(1) >= most_streams) {
      --streams;
      to.status = 503;
      to.set_content("{\"error\":{\"what\":\"too many live views are open\"}}\n",
                     "application/json");
    } else {
      Stream(std::move(response), to);
    }
  }

  void Stream(HttpResponse response, httplib::Response& to) {
    to.set_chunked_content_provider(
        response.content_type.c_str(),
        [this, stream = std::move(response.stream)](std::size_t, httplib::DataSink& sink) {
          const StreamWriter write = [&](std::string_view text) {
            return sink.write(text.data(), text.size());
          };
          if (stopping || !stream(write)) sink.done();
          return true;
        },
        [this](bool) { --streams; });
  }
};

Listener::Listener(const HttpServerOptions& options, HttpHandler to_call)
    : handler(std::move(to_call)), most_streams(options.streams) {
  server.new_task_queue = [threads = options.threads] {
    return new httplib::ThreadPool(static_cast<std::size_t>(threads));
  };
  server.set_payload_max_length(options.longest_body);
  server.set_read_timeout(options.patience);
  server.set_write_timeout(options.patience);
  server.set_keep_alive_timeout(5);
  server.set_keep_alive_max_count(100'000);
  server.set_tcp_nodelay(true);
  server.set_socket_options([this](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // A program that outlives the service does not hold its address.
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    listening = socket;
  });
  const auto answer = [this](const httplib::Request& from, httplib::Response& to) {
    Answer(from, to);
  };
  server.Get(".*", answer);
  server.Post(".*", answer);
  server.Put(".*", answer);
  server.Patch(".*", answer);
  server.Delete(".*", answer);
  server.Options(".*", answer);
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& to, const std::exception_ptr&) {
        to.status = 500;
        to.set_content("{\"error\":{\"what\":\"a bug in Ebb\"}}\n", "application/json");
      });
  const char* address = options.address.c_str();
  port_ = options.port == 0 ? server.bind_to_any_port(address)
                            : (server.bind_to_port(address, options.port) ? options.port : -1);
  // The library lets five peers wait; the sixth would try again a second later.
  if (port_ >= 0) ::listen(listening, kMostWaiting);
  if (port_ >= 0) listener = std::thread([this] { server.listen_after_bind(); });
}

Listener::~Listener() {
  stopping = true;
  server.stop();
  if (listener.joinable()) listener.join();
}

}  // namespace
}  // namespace ebb::web

extern "C" ebb::web::HttpListener* ebb_http_listen(const ebb::web::HttpServerOptions* options,
                                                   ebb::web::HttpHandler* handler) {
  return new ebb::web::Listener(*options, std::move(*handler));
}
