#include "web/http/connections.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace ebb::web {
namespace {

std::string PeerOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  const void* bytes = nullptr;
  if (address.ss_family == AF_INET)
    bytes = &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr;
  else if (address.ss_family == AF_INET6)
    bytes = &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr;
  if (!bytes || !::inet_ntop(address.ss_family, bytes, text.data(), text.size())) return "";
  return text.data();
}

}  // namespace

void Connection::Set(Does does, Clock::time_point since) {
  const std::lock_guard guard(all_.mutex_);
  does_ = does;
  since_ = since;
}

void Connection::SetIdle() { Set(Does::kIdle, Clock::now()); }
void Connection::SetHeldUp(Clock::time_point since) { Set(Does::kHeldUp, since); }
void Connection::SetAtWork() { Set(Does::kWorks, Clock::now()); }

Connections::Connections(const ConnectionsOptions& options, Serve serve)
    : options_(options), serve_(std::move(serve)) {
  for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Work(); });
}

Connections::~Connections() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    for (const Connection* one : served_)
      ::shutdown(one->socket_, one->does_ == Connection::Does::kWorks ? SHUT_RD : SHUT_RDWR);
  }
  came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (const auto& one : waiting_) ::close(one->socket_);
}

void Connections::Add(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  {
    const std::lock_guard guard(mutex_);
    if (stopping_ || (served_.size() + waiting_.size() >= options_.most && !MakeRoom())) {
      ::close(socket);
      return;
    }
    waiting_.push_back(std::unique_ptr<Connection>(new Connection(*this, socket, PeerOf(socket))));
    HangUpForOthers();
  }
  came_.notify_one();
}

// Closes the connection that has waited longest without a request: it has had the most time to send
// one.
bool Connections::MakeRoom() {
  if (!options_.has_request) return false;
  const auto silent = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) {
    return !options_.has_request(one->socket_);
  });
  if (silent == waiting_.end()) return false;
  ::close((*silent)->socket_);
  waiting_.erase(silent);
  return true;
}

std::unique_ptr<Connection> Connections::TakeNext() {
  auto next = waiting_.begin();
  if (options_.has_request && waiting_.size() > 1) {
    next = std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const auto& one) { return options_.has_request(one->socket_); });
    if (next == waiting_.end()) next = waiting_.begin();
  }
  std::unique_ptr<Connection> taken = std::move(*next);
  waiting_.erase(next);
  return taken;
}

void Connections::Relieve() {
  const std::lock_guard guard(mutex_);
  HangUpForOthers();
}

bool Connections::SomeWait() const {
  const std::lock_guard guard(mutex_);
  return served_.size() + waiting_.size() > options_.threads;
}

// Hangs up on as many connections as wait beyond the threads that are free or about to be.
void Connections::HangUpForOthers() {
  std::size_t staying = 0;
  std::map<std::string, int> of_peer;
  for (const Connection* one : served_) {
    staying += one->hung_up_ ? 0 : 1;
    of_peer[one->peer_] += one->hung_up_ ? 0 : 1;
  }
  const auto now = Connection::Clock::now();
  for (; staying + waiting_.size() > options_.threads; --staying) {
    // Chooses a connection of the address with the most, then one between requests, then the one
    // that took longest.
    using Rank = std::tuple<int, bool, Connection::Clock::duration>;
    Connection* worst = nullptr;
    Rank worst_rank;
    for (Connection* one : served_) {
      const bool idle = one->does_ == Connection::Does::kIdle;
      const auto least = idle ? options_.least_idle : options_.least_held_up;
      if (one->hung_up_ || one->does_ == Connection::Does::kWorks || now - one->since_ < least)
        continue;
      const Rank rank{of_peer[one->peer_], idle, now - one->since_};
      if (!worst || rank > worst_rank) std::tie(worst, worst_rank) = std::tie(one, rank);
    }
    if (!worst) return;
    worst->hung_up_ = true;
    --of_peer[worst->peer_];
    ::shutdown(worst->socket_, SHUT_RDWR);
  }
}

void Connections::Close(Connection& connection) {
  const std::lock_guard guard(mutex_);
  served_.erase(&connection);
  ::close(connection.socket_);
}

void Connections::Work() {
  for (;;) {
    std::unique_ptr<Connection> mine;
    {
      std::unique_lock guard(mutex_);
      came_.wait(guard, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      mine = TakeNext();
      mine->since_ = Connection::Clock::now();
      served_.insert(mine.get());
    }
    serve_(*mine);
    Close(*mine);
  }
}

}  // namespace ebb::web
