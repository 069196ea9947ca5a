#pragma once
// One connection as it is read and written, with what the HTTP library lacks: a time by which a
// whole request must have come and a whole answer must have gone, however the peer spreads its
// bytes; and the end of a request, beyond which nothing is read as part of it.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "web/http/connections.h"
#include "web/http/tls.h"

namespace ebb::web {

class PeerStream {
 public:
  /// `channel`: nullptr for plain HTTP.
  PeerStream(Connection& connection, std::chrono::milliseconds patience,
             std::unique_ptr<TlsChannel> channel = nullptr)
      : connection_(connection), patience_(patience), channel_(std::move(channel)) {}

  /// False: none begins within the time, or the peer has hung up.
  bool WaitForRequest(std::chrono::milliseconds time);
  enum class Head { kWhole, kTooLate, kTooLong, kCutOff };
  /// Up to the empty line; then head() is what the library reads first.
  Head ReadHead(std::size_t longest);
  std::string_view head() const { return std::string_view(buffer_).substr(taken_, head_size_); }
  /// After a whole head, that so many bytes belong to it.
  void SetBody(std::uint64_t bytes);
  /// The library has read all of the request.
  bool IsReadToEnd() const { return head_size_ == 0 && body_left_ == 0; }
  /// So that the peer can read the last answer although it goes on writing (a connection that is
  /// closed with unread bytes is reset): for a moment, whatever comes is thrown away.
  void Linger();

  /// As recv: 0 at the end of the request, too.
  ssize_t Read(char* to, std::size_t size);
  /// All of it, or a negative number.
  ssize_t Write(const char* from, std::size_t size);
  const Connection& connection() const { return connection_; }

 private:
  using Clock = Connection::Clock;
  bool Await(short events, Clock::time_point deadline) const;
  // As recv and send, at once: negative is less than nothing, and then what to wait for, or 0.
  ssize_t TakeSome(char* to, std::size_t size, short& wants) const;
  ssize_t GiveSome(const char* from, std::size_t size, short& wants) const;
  ssize_t Receive(char* to, std::size_t size, Clock::time_point deadline) const;
  Clock::duration TimeFor(std::uint64_t bytes) const;

  Connection& connection_;
  const std::chrono::milliseconds patience_;
  const std::unique_ptr<TlsChannel> channel_;
  std::string buffer_;         // what came: the head, then what was read beyond it
  std::size_t taken_ = 0;      // of it, by the library
  std::size_t head_size_ = 0;  // that the library has not read yet
  std::uint64_t body_left_ = 0;
  Clock::time_point began_{}, deadline_{};  // of the request
};

}  // namespace ebb::web
