#include "platform/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "platform/descriptor.h"
#include "platform/system.h"

namespace ebb::platform {
namespace {

constexpr const char* kVariable = "NOTIFY_SOCKET";

}  // namespace

ServiceManager::ServiceManager() {
  if (const char* socket = std::getenv(kVariable)) socket_ = socket;
  ForgetVariable(kVariable);
}

void ServiceManager::Tell(std::string what, const std::string& status) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  std::copy(socket_.begin(), socket_.end(), address.sun_path);
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // an abstract name, which is not a file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  for (const char c : status) what += c == '\n' ? ' ' : c;
  const Descriptor sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ::sendto(sender.get(), what.data(), what.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address), length);
}

}  // namespace ebb::platform
