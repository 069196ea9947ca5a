#include "platform/waker.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstdint>

namespace ebb::platform {

Waker::Waker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Waker::Wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
}

bool Waker::Wait(Duration timeout, int descriptor) {
  constexpr Duration kLongest{std::chrono::hours{1}};
  pollfd descriptors[] = {{event_.get(), POLLIN, 0}, {descriptor, POLLIN, 0}};
  ::poll(descriptors, 2, static_cast<int>(std::clamp(timeout, Duration{0}, kLongest).count()));
  std::uint64_t wakes = 0;
  return ::read(event_.get(), &wakes, sizeof wakes) > 0;
}

}  // namespace ebb::platform
