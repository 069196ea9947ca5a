#include "web/http/peer_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ebb::web {
namespace {

constexpr std::uint64_t kSlowestBytesPerSecond = 50'000;
// The longest time that a thread waits for the end of a head, which is short.
constexpr std::chrono::seconds kForHead{5};
constexpr std::size_t kAtOnce = 16 << 10;
constexpr std::chrono::milliseconds kLingering{1000};
constexpr std::string_view kEndOfHead = "\r\n\r\n";

}  // namespace

PeerStream::Clock::duration PeerStream::TimeFor(std::uint64_t bytes) const {
  return patience_ + std::chrono::milliseconds{1000 * bytes / kSlowestBytesPerSecond};
}

bool PeerStream::Await(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{connection_.socket(), events, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (found > 0) return true;
    if (found == 0 || errno != EINTR) return false;
  }
}

ssize_t PeerStream::TakeSome(char* to, std::size_t size, short& wants) const {
  if (channel_) {
    const ssize_t got = channel_->Receive(to, size);
    wants = channel_->wants();
    return got;
  }
  for (;;) {
    const ssize_t got = ::recv(connection_.socket(), to, size, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    wants = static_cast<short>(got < 0 && errno == EAGAIN ? POLLIN : 0);
    return got;
  }
}

ssize_t PeerStream::GiveSome(const char* from, std::size_t size, short& wants) const {
  if (channel_) {
    const ssize_t put = channel_->Send(from, size);
    wants = channel_->wants();
    return put;
  }
  for (;;) {
    const ssize_t put = ::send(connection_.socket(), from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    wants = static_cast<short>(put < 0 && errno == EAGAIN ? POLLOUT : 0);
    return put;
  }
}

// Returns 0 if the peer has hung up; a negative number if nothing came in time or the connection is
// lost.
ssize_t PeerStream::Receive(char* to, std::size_t size, Clock::time_point deadline) const {
  for (;;) {
    if (Clock::now() > deadline) return -1;
    short wants = 0;
    const ssize_t got = TakeSome(to, size, wants);
    if (got >= 0) return got;
    if (wants == 0 || !Await(wants, deadline)) return -1;
  }
}

bool PeerStream::WaitForRequest(std::chrono::milliseconds time) {
  buffer_.erase(0, std::exchange(taken_, 0));
  connection_.SetIdle();
  const bool began =
      !buffer_.empty() || (channel_ && channel_->HasMore()) || Await(POLLIN, Clock::now() + time);
  began_ = Clock::now();
  deadline_ = began_ + std::min<Clock::duration>(patience_, kForHead);
  if (began) connection_.SetHeldUp(began_);
  return began;
}

PeerStream::Head PeerStream::ReadHead(std::size_t longest) {
  std::array<char, kAtOnce> part;
  for (std::size_t searched = 0;;) {
    const auto end = buffer_.find(kEndOfHead, searched);
    if (end != std::string::npos && end + kEndOfHead.size() <= longest) {
      head_size_ = end + kEndOfHead.size();
      return Head::kWhole;
    }
    if (buffer_.size() >= longest) return Head::kTooLong;
    searched = buffer_.size() < kEndOfHead.size() ? 0 : buffer_.size() - kEndOfHead.size() + 1;
    const ssize_t got = Receive(part.data(), part.size(), deadline_);
    if (got <= 0) return got == 0 || Clock::now() < deadline_ ? Head::kCutOff : Head::kTooLate;
    buffer_.append(part.data(), static_cast<std::size_t>(got));
  }
}

void PeerStream::ReplaceBegin(std::size_t size, std::string_view by) {
  buffer_.replace(taken_, size, by);
  head_size_ = head_size_ - size + by.size();
}

void PeerStream::SetBody(std::uint64_t bytes) {
  body_left_ = bytes;
  deadline_ = began_ + TimeFor(bytes);
}

ssize_t PeerStream::Read(char* to, std::size_t size) {
  if (IsReadToEnd()) return 0;
  const bool in_head = head_size_ > 0;
  size = in_head ? std::min(size, head_size_)
                 : static_cast<std::size_t>(std::min<std::uint64_t>(size, body_left_));
  ssize_t got = 0;
  if (taken_ < buffer_.size()) {
    size = std::min(size, buffer_.size() - taken_);
    std::memcpy(to, buffer_.data() + taken_, size);
    taken_ += size;
    got = static_cast<ssize_t>(size);
  } else {
    got = Receive(to, size, deadline_);
  }
  if (got <= 0) return got;
  if (in_head)
    head_size_ -= static_cast<std::size_t>(got);
  else
    body_left_ -= static_cast<std::uint64_t>(got);
  if (IsReadToEnd()) connection_.SetAtWork();
  return got;
}

ssize_t PeerStream::Write(const char* from, std::size_t size) {
  const auto began = Clock::now();
  std::size_t written = 0;
  while (written < size) {
    short wants = 0;
    const ssize_t put = GiveSome(from + written, size - written, wants);
    if (put >= 0) {
      written += static_cast<std::size_t>(put);
      continue;
    }
    if (wants == 0) return -1;
    connection_.SetHeldUp(began);
    if (!Await(wants, began + TimeFor(size))) return -1;
    connection_.SetAtWork();
  }
  return static_cast<ssize_t>(written);
}

void PeerStream::Linger() {
  ::shutdown(connection_.socket(), SHUT_WR);
  connection_.SetHeldUp(began_);
  std::array<char, kAtOnce> part;
  const auto deadline = Clock::now() + kLingering;
  while (Receive(part.data(), part.size(), deadline) > 0) {
  }
}

}  // namespace ebb::web
