// The part of the server that uses the HTTP library. It is a module that the first server loads,
// because the library brings OpenSSL, which a program that only measures does not need.

#include "web/http/http_listener.h"

#include <fcntl.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "base/text.h"
#include "web/http/connections.h"
#include "web/http/content_encoding.h"
#include "web/http/peer_stream.h"
#include "web/http/request_head.h"
#include "web/http/stream_limiter.h"
#include "web/http/tls.h"

namespace ebb::web {
namespace {

constexpr int kMostWaiting = 1024;
constexpr std::size_t kThreadsBeside = 32;
constexpr int kMostRequests = 100'000;  // most requests on one connection
constexpr std::size_t kLongestHead = 64 << 10;
constexpr std::chrono::milliseconds kAcceptAgain{100};
constexpr const char* kForm = "application/x-www-form-urlencoded";
constexpr const char* kAnyPath = R"([\s\S]*)";  // a dot matches no line break
// The methods for which the library can have a handler, which reads the body first. It refuses
// methods that it does not know with 400. So every other method goes to it as the stand-in, which
// it knows, and gets its own name back before the request is handled.
constexpr std::array<std::string_view, 7> kRouted{"GET",   "HEAD",   "POST",   "PUT",
                                                  "PATCH", "DELETE", "OPTIONS"};
constexpr std::string_view kStandIn = "TRACE";

bool IsRouted(std::string_view method) {
  return std::find(kRouted.begin(), kRouted.end(), method) != kRouted.end();
}

HttpRequest RequestFrom(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) request.headers.emplace(Lowercase(name), value);
  request.body = from.body;
  request.peer = from.remote_addr;
  return request;
}

// The return type: void, or from version 0.17 on a bool (false if there was no room).
using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

// Receives the connections that the library accepts; the threads are in connections.h.
class NoQueue final : public httplib::TaskQueue {
 public:
  NoQueue(Connections& connections, Connections& beside, TlsIdentity* identity)
      : connections_(connections), beside_(beside), identity_(identity) {}
  Enqueued enqueue(std::function<void()> fn) override {
    if (identity_) identity_->Refresh();
    fn();
    return static_cast<Enqueued>(true);
  }
  void shutdown() override {}
  void on_idle() override {
    if (identity_) identity_->Refresh();
    connections_.Relieve();
    beside_.Relieve();
  }

 private:
  Connections& connections_;
  Connections& beside_;
  TlsIdentity* const identity_;  // nullptr for plain HTTP
};

// Peeks at the bytes that have come without reading them.
bool HasWholeHead(int socket) {
  std::array<char, 16 << 10> part;
  const ssize_t got = ::recv(socket, part.data(), part.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0) return false;
  const std::string_view text(part.data(), static_cast<std::size_t>(got));
  return text.size() == part.size() || text.find("\r\n\r\n") != std::string_view::npos;
}

// The connection in the form that the library needs.
class LibraryStream final : public httplib::Stream {
 public:
  explicit LibraryStream(PeerStream& stream) : stream_(stream) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override { return stream_.Read(to, size); }
  ssize_t write(const char* from, std::size_t size) override { return stream_.Write(from, size); }
  void get_remote_ip_and_port(std::string& ip, int&) const override {
    ip = stream_.connection().peer();
  }
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return stream_.connection().socket(); }

 private:
  PeerStream& stream_;
};

// The library's server with its own reading and serving of connections replaced.
class Server final : public httplib::Server {
 public:
  Server(const HttpServerOptions& options, std::unique_ptr<TlsIdentity> identity)
      : options_(options),
        identity_(std::move(identity)),
        connections_({.threads = static_cast<std::size_t>(options.threads),
                      .has_request = options.tls ? nullptr : HasWholeHead},
                     [this](Connection& connection) { Serve(connection, connections_); }),
        beside_({.threads = options.also_listening >= 0 ? kThreadsBeside : 0},
                [this](Connection& connection) { Serve(connection, beside_); }) {
    new_task_queue = [this] { return new NoQueue(connections_, beside_, identity_.get()); };
    set_idle_interval(std::chrono::milliseconds{250});
  }
  /// Takes a connection from the Unix socket, whose peers have a limit of their own.
  void Take(socket_t socket) { beside_.Add(socket); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    connections_.Add(socket);
    return true;
  }

  void Serve(Connection& connection, const Connections& all) {
    PeerStream stream(connection, options_.patience,
                      identity_ ? identity_->Open(connection.socket()) : nullptr);
    for (int left = kMostRequests; left > 0 && stream.WaitForRequest(options_.kept_alive); --left) {
      if (!ServeOne(stream, left == 1 || all.SomeWait())) break;
    }
  }

  // Serves one request; false if nothing more is read from the connection.
  bool ServeOne(PeerStream& stream, bool is_last) {
    switch (stream.ReadHead(kLongestHead)) {
      case PeerStream::Head::kCutOff:
        return false;
      case PeerStream::Head::kTooLate:
        return Refuse(stream, 408, "did not come in time");
      case PeerStream::Head::kTooLong:
        return Refuse(stream, 431, "has too long headers");
      case PeerStream::Head::kWhole:
        break;
    }
    const RequestHead head = CheckHead(stream.head());
    if (head.refusal != 0) return Refuse(stream, head.refusal, head.why);
    if (head.body_bytes > options_.longest_body) return Refuse(stream, 413, "has too long a body");
    const std::string method(head.method);
    if (!IsRouted(method)) stream.ReplaceBegin(method.size(), kStandIn);
    stream.SetBody(head.body_bytes);
    bool closed = false;
    const auto prepare = [&](httplib::Request& request) {
      request.method = method;
      // Answers are sent whole: many overlapping ranges would make an answer larger than the
      // document.
      request.ranges.clear();
      // `curl --data` declares every body as a form, and the library accepts only 8 kB of a form.
      if (request.get_header_value("Content-Type").starts_with(kForm))
        request.headers.erase("Content-Type");
      const std::string accepted = request.get_header_value("Accept-Encoding");
      request.headers.erase("Accept-Encoding");
      const auto encoding = ContentEncodingFor(accepted, stream.connection().peer());
      if (!encoding.empty()) request.set_header("Accept-Encoding", std::string(encoding));
    };
    LibraryStream library(stream);
    if (!Process(*this, library, is_last, closed, prepare) || closed || is_last) return false;
    if (stream.IsReadToEnd()) return true;
    stream.Linger();
    return false;
  }

  // Later versions of the library take both addresses as arguments; earlier ones ask the stream.
  template <typename Self, typename Prepare>
  static bool Process(Self& self, LibraryStream& library, bool is_last, bool& closed,
                      const Prepare& prepare) {
    if constexpr (requires { self.process_request(library, is_last, closed, prepare); }) {
      return self.process_request(library, is_last, closed, prepare);
    } else {
      std::string peer;
      int no_port = 0;
      library.get_remote_ip_and_port(peer, no_port);
      return self.process_request(library, peer, no_port, "", no_port, is_last, closed, prepare);
    }
  }

  static bool Refuse(PeerStream& stream, int status, const std::string& why) {
    const std::string body = "{\"error\":{\"what\":\"the request " + why + "\"}}\n";
    const std::string answer = "HTTP/1.1 " + std::to_string(status) +
                               " Refused\r\nConnection: close\r\n"
                               "Content-Type: application/json\r\nContent-Length: " +
                               std::to_string(body.size()) + "\r\n\r\n" + body;
    if (stream.Write(answer.data(), answer.size()) > 0) stream.Linger();
    return false;
  }

  const HttpServerOptions options_;
  const std::unique_ptr<TlsIdentity> identity_;
  Connections connections_;
  Connections beside_;
};

class Listener final : public HttpListener {
 public:
  Listener(const HttpServerOptions& options, HttpHandler to_call,
           std::unique_ptr<TlsIdentity> identity);
  ~Listener() override;
  int port() const override { return port_; }

 private:
  HttpHandler handler;
  StreamLimiter room;
  std::atomic<bool> stopping{false};
  std::atomic<bool> listened{false};
  socket_t listening = INVALID_SOCKET;
  int port_ = -1;
  Server server;
  std::thread listener;
  const int also_listening;
  std::thread also_listener;

  void AcceptOthers() {
    while (!stopping) {
      const int socket = ::accept4(also_listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket >= 0)
        server.Take(socket);
      else if (!stopping && errno != EINTR && errno != ECONNABORTED)
        std::this_thread::sleep_for(kAcceptAgain);  // no file descriptor is free
    }
  }

  void Answer(const httplib::Request& from, httplib::Response& to) {
    HttpResponse response = handler(RequestFrom(from));
    to.status = response.status;
    for (const auto& [name, value] : response.headers) to.set_header(name.c_str(), value);
    if (!response.stream) {
      // The library's set_content copies the body, and a queue may be tens of megabytes.
      to.body = std::move(response.body);
      to.set_header("Content-Type", response.content_type.c_str());
    } else if (auto place =
                   room.Enter(from.remote_addr, response.with_token || from.remote_addr.empty());
               !place) {
      to.status = 503;
      to.set_content("{\"error\":{\"what\":\"too many live views are open\"}}\n",
                     "application/json");
    } else {
      Stream(std::move(response), std::move(place), to);
    }
  }

  void Stream(HttpResponse response, std::shared_ptr<StreamLimiter::Place> place,
              httplib::Response& to) {
    to.set_chunked_content_provider(
        response.content_type.c_str(),
        [this, stream = std::move(response.stream), place](std::size_t, httplib::DataSink& sink) {
          const StreamWriter write = [&](std::string_view text) {
            return sink.write(text.data(), text.size());
          };
          if (stopping || place->is_over || !stream(write)) sink.done();
          return true;
        },
        [this, place](bool) { room.Leave(place); });
  }
};

Listener::Listener(const HttpServerOptions& options, HttpHandler to_call,
                   std::unique_ptr<TlsIdentity> identity)
    : handler(std::move(to_call)),
      room(options.streams),
      server(options, std::move(identity)),
      also_listening(options.also_listening) {
  server.set_payload_max_length(options.longest_body);
  server.set_keep_alive_timeout(options.kept_alive.count());  // announced to peers
  server.set_keep_alive_max_count(kMostRequests);
  server.set_tcp_nodelay(true);
  server.set_socket_options([this](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // Child processes must not inherit the socket: a program that outlives the service would hold
    // its address.
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    listening = socket;
  });
  const auto answer = [this](const httplib::Request& from, httplib::Response& to) {
    Answer(from, to);
  };
  server.Get(kAnyPath, answer);
  server.Post(kAnyPath, answer);
  server.Put(kAnyPath, answer);
  server.Patch(kAnyPath, answer);
  server.Delete(kAnyPath, answer);
  server.Options(kAnyPath, answer);
  server.set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& to) {
    using enum httplib::Server::HandlerResponse;
    if (IsRouted(from.method)) return Unhandled;
    Answer(from, to);
    return Handled;
  });
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& to, const std::exception_ptr&) {
        to.status = 500;
        to.set_content("{\"error\":{\"what\":\"a bug in Ebb\"}}\n", "application/json");
      });
  const char* address = options.address.c_str();
  port_ = options.port == 0 ? server.bind_to_any_port(address)
                            : (server.bind_to_port(address, options.port) ? options.port : -1);
  // The library lets five peers wait in the backlog; a sixth would try again only a second later.
  if (port_ < 0) return;
  ::listen(listening, kMostWaiting);
  if (also_listening >= 0) also_listener = std::thread([this] { AcceptOthers(); });
  listener = std::thread([this] {
    server.listen_after_bind();
    listened = true;
  });
  // The library forgets a stop that comes before it listens, and would then listen for ever.
  while (!server.is_running() && !listened)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

Listener::~Listener() {
  stopping = true;
  server.stop();
  if (also_listening >= 0) ::shutdown(also_listening, SHUT_RDWR);
  if (also_listener.joinable()) also_listener.join();
  if (also_listening >= 0) ::close(also_listening);
  if (listener.joinable()) listener.join();
}

}  // namespace
}  // namespace ebb::web

extern "C" ebb::web::HttpListener* ebb_http_listen(const ebb::web::HttpServerOptions* options,
                                                   ebb::web::HttpHandler* handler,
                                                   ebb::Error* why) {
  std::unique_ptr<ebb::web::TlsIdentity> identity;
  if (options->tls) {
    auto loaded = ebb::web::TlsIdentity::Load(*options->tls);
    if (!loaded) {
      *why = std::move(loaded).error();
      return nullptr;
    }
    identity = *std::move(loaded);
  }
  return new ebb::web::Listener(*options, std::move(*handler), std::move(identity));
}
