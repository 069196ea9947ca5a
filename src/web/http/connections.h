#pragma once
// The open connections of a server; each is served by one of a fixed number of threads. A peer that
// hangs cannot keep others out: if a new connection finds no free thread, the server hangs up on
// the connection that its peer has held up longest, first of the address with the most connections.
// The server never hangs up on a connection whose request is being worked on. Of the connections
// that wait for a thread, those whose request has come go first.
//
// Thread contract: any thread.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ebb::web {

class Connections;

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  int socket() const { return socket_; }
  const std::string& peer() const { return peer_; }
  /// The connection is between requests from now on.
  void SetIdle();
  /// The connection waits for its peer, which has had since `since` to read or to write.
  void SetHeldUp(Clock::time_point since);
  void SetAtWork();

 private:
  friend class Connections;
  enum class Does { kIdle, kHeldUp, kWorks };
  Connection(Connections& all, int socket, std::string peer)
      : all_(all), socket_(socket), peer_(std::move(peer)) {}
  void Set(Does does, Clock::time_point since);

  Connections& all_;
  const int socket_;
  const std::string peer_;
  Does does_ = Does::kWorks;  // the value until it is served
  Clock::time_point since_{};
  bool hung_up_ = false;
};

struct ConnectionsOptions {
  std::size_t threads = 64;
  std::size_t most = 256;  ///< most open connections, including those that wait for a thread
  /// Looks for a complete request without reading it. Empty if that is impossible (TLS).
  std::function<bool(int socket)> has_request{};
  std::chrono::milliseconds least_idle{100};     ///< idle time before a connection is closed for
                                                 ///< others
  std::chrono::milliseconds least_held_up{500};  ///< time in the middle of a request before it is
                                                 ///< closed for others
};

class Connections {
 public:
  using Serve = std::function<void(Connection&)>;
  /// `serve` returns when the connection may be closed.
  Connections(const ConnectionsOptions& options, Serve serve);
  /// Hangs up on all connections; requests in progress are answered first.
  ~Connections();

  /// Takes ownership of the socket. Beyond the limit, the connection that has waited longest
  /// without a request is closed to make room; if there is none, the new socket is closed.
  void Add(int socket);
  /// Gives threads to connections that have waited meanwhile. Call it from time to time.
  void Relieve();
  /// True if there are more connections than threads.
  bool SomeWait() const;

 private:
  friend class Connection;
  void Work();
  // These functions need the mutex.
  void HangUpForOthers();
  bool MakeRoom();
  std::unique_ptr<Connection> TakeNext();
  void Close(Connection& connection);

  const ConnectionsOptions options_;
  const Serve serve_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::unique_ptr<Connection>> waiting_;
  std::set<Connection*> served_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last, because threads use the members above
};

}  // namespace ebb::web
