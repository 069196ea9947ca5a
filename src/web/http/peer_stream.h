#pragma once
// Reads and writes one connection, with two things that the HTTP library lacks. There is a deadline
// for a whole request and for a whole answer, however the peer spreads its bytes. And a request has
// an end, beyond which no byte is read as part of it.

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

  /// Waits for the first byte of a request; false if none comes in time or the peer has hung up.
  bool WaitForRequest(std::chrono::milliseconds time);
  enum class Head { kWhole, kTooLate, kTooLong, kCutOff };
  /// Reads up to the empty line; head() then has the part that the library reads first.
  Head ReadHead(std::size_t longest);
  std::string_view head() const { return std::string_view(buffer_).substr(taken_, head_size_); }
  /// Replaces the first `size` bytes of head() before the library reads them.
  void ReplaceBegin(std::size_t size, std::string_view by);
  /// Sets the number of body bytes after a whole head.
  void SetBody(std::uint64_t bytes);
  /// True if the library has read all of the request.
  bool IsReadToEnd() const { return head_size_ == 0 && body_left_ == 0; }
  /// Throws away incoming bytes for a moment. A connection that is closed with unread bytes is
  /// reset, and a peer that is still writing could not read the last answer.
  void Linger();

  /// As recv; also 0 at the end of the request.
  ssize_t Read(char* to, std::size_t size);
  /// Writes all bytes, or returns a negative number.
  ssize_t Write(const char* from, std::size_t size);
  const Connection& connection() const { return connection_; }

 private:
  using Clock = Connection::Clock;
  bool Await(short events, Clock::time_point deadline) const;
  // As recv and send, without waiting. A negative number means that no byte was moved; `wants` is
  // then the event to wait for, or 0.
  ssize_t TakeSome(char* to, std::size_t size, short& wants) const;
  ssize_t GiveSome(const char* from, std::size_t size, short& wants) const;
  ssize_t Receive(char* to, std::size_t size, Clock::time_point deadline) const;
  Clock::duration TimeFor(std::uint64_t bytes) const;

  Connection& connection_;
  const std::chrono::milliseconds patience_;
  const std::unique_ptr<TlsChannel> channel_;
  std::string buffer_;         // received bytes: the head, then bytes beyond it
  std::size_t taken_ = 0;      // bytes of it that the library has read
  std::size_t head_size_ = 0;  // bytes of the head that the library has not read
  std::uint64_t body_left_ = 0;
  Clock::time_point began_{}, deadline_{};  // begin and deadline of the request
};

}  // namespace ebb::web
