#include "platform/byte_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "platform/system_clock.h"

namespace ebb::platform {
namespace {

constexpr std::size_t kAtOnce = 256 << 10;

tl::unexpected<Error> Broken(const std::string& why) {
  return Fail({ExitCode::kUnavailable, "the connection broke: " + why, "", ""});
}

// Waits until the descriptor is ready. False: the time is over.
bool WaitFor(int descriptor, short events, Duration patience) {
  const Duration until = SinceBoot() + patience;
  for (;;) {
    const Duration left = std::max(until - SinceBoot(), Duration::zero());
    pollfd look{descriptor, events, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

// A process that writes into a pipe without a reader would be ended by SIGPIPE.
ssize_t WriteSome(int descriptor, std::string_view bytes) {
  const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return ::write(descriptor, bytes.data(), bytes.size());
}

}  // namespace

ByteChannel::ByteChannel(int input, int output) : input_(input), output_(output) {
  ::signal(SIGPIPE, SIG_IGN);
  ::fcntl(output, F_SETFL, ::fcntl(output, F_GETFL) | O_NONBLOCK);
}

Status ByteChannel::Write(std::string_view bytes, Duration patience) {
  while (!bytes.empty()) {
    if (!WaitFor(output_.get(), POLLOUT, patience)) return Broken("nothing is taken any more");
    const ssize_t written = WriteSome(output_.get(), bytes);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return Broken(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status ByteChannel::ReadMore(Duration patience) {
  if (!WaitFor(input_.get(), POLLIN, patience)) return Broken("nothing comes any more");
  const std::size_t before = ahead_.size();
  ahead_.resize(before + kAtOnce);
  const ssize_t size = ::read(input_.get(), ahead_.data() + before, kAtOnce);
  const int why = errno;
  ahead_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size < 0 && (why == EINTR || why == EAGAIN)) return {};
  if (size < 0) return Broken(std::strerror(why));
  if (size == 0) return Broken("the other end closed it");
  return {};
}

Result<std::string> ByteChannel::ReadLine(std::size_t limit_bytes, Duration patience) {
  std::size_t looked = 0;
  for (;;) {
    const std::size_t end = ahead_.find('\n', looked);
    if (end != std::string::npos) {
      std::string line = ahead_.substr(0, end);
      ahead_.erase(0, end + 1);
      return line;
    }
    looked = ahead_.size();
    if (looked > limit_bytes) return Broken("a line is longer than agreed");
    EBB_RETURN_IF_ERROR(ReadMore(patience));
  }
}

Result<std::string> ByteChannel::ReadBytes(std::size_t size, Duration patience) {
  while (ahead_.size() < size) EBB_RETURN_IF_ERROR(ReadMore(patience));
  std::string bytes = ahead_.substr(0, size);
  ahead_.erase(0, size);
  return bytes;
}

}  // namespace ebb::platform
