#pragma once
// The open connections of a server, each served by a thread of its own out of a fixed number. A
// peer that hangs cannot keep the others out: where no thread is free for one that has come, the
// connection that was held up longest by its peer is hung up on, first of the address that has the
// most. A connection whose request is being worked on is never hung up on. Of those that wait for a
// thread, one whose request has come goes before those that have not said yet what they want.
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
  /// Between requests; since now.
  void SetIdle();
  /// Waits for its peer, who has had the time since `since` to read or to write.
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
  Does does_ = Does::kWorks;  // until it is served
  Clock::time_point since_{};
  bool hung_up_ = false;
};

struct ConnectionsOptions {
  std::size_t threads = 64;
  std::size_t most = 256;  ///< open at a time, those that wait for a thread included
  /// Looks whether a request has come whole without taking it; nothing: it cannot be seen (TLS).
  std::function<bool(int socket)> has_request{};
  std::chrono::milliseconds least_idle{100};     ///< before one is hung up on for others
  std::chrono::milliseconds least_held_up{500};  ///< the same in the middle of a request
};

class Connections {
 public:
  using Serve = std::function<void(Connection&)>;
  /// `serve` returns once the connection may be closed.
  Connections(const ConnectionsOptions& options, Serve serve);
  /// Hangs up on all; requests that are worked on are answered first.
  ~Connections();

  /// Takes the socket over. Beyond the limit the one that waits longest without a request is closed
  /// for it; where there is none, it is closed itself.
  void Add(int socket);
  /// To be called now and then: those that have waited meanwhile may get a thread.
  void Relieve();
  /// There are more than there are threads.
  bool SomeWait() const;

 private:
  friend class Connection;
  void Work();
  // Under the mutex:
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
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace ebb::web
