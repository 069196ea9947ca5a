#include "platform/claimed_name.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace ebb::platform {

std::optional<ClaimedName> ClaimedName::Claim(const std::string& name) {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return ClaimedName(-1);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The name is hashed because it may be longer than an address allows. An address that begins with
  // '\0' is in no directory.
  const std::string text = "ebb-claim-" + std::to_string(std::hash<std::string>()(name));
  std::memcpy(address.sun_path + 1, text.data(), text.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size) == 0)
    return ClaimedName(descriptor);
  const bool taken = errno == EADDRINUSE;
  ::close(descriptor);
  if (taken) return std::nullopt;
  return ClaimedName(-1);
}

ClaimedName::ClaimedName(ClaimedName&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

ClaimedName& ClaimedName::operator=(ClaimedName&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ClaimedName::~ClaimedName() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace ebb::platform
