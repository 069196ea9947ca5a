#include "platform/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "platform/descriptor.h"
#include "platform/path_facts.h"

namespace ebb::platform {
namespace {

constexpr int kMostWaiting = 1024;

Error SystemError(const Path& path, std::string_view what) {
  return {ExitCode::kUnavailable, std::string(what) + ": " + std::strerror(errno), path.string(),
          ""};
}

}  // namespace

SocketName::SocketName(std::string text, std::unique_ptr<Descriptor> directory)
    : text_(std::move(text)), directory_(std::move(directory)) {}
SocketName::SocketName(SocketName&&) noexcept = default;
SocketName& SocketName::operator=(SocketName&&) noexcept = default;
SocketName::~SocketName() = default;

Result<SocketName> SocketName::Of(const Path& path) {
  constexpr std::size_t kRoom = sizeof(sockaddr_un::sun_path) - 1;
  if (path.string().size() <= kRoom) return SocketName(path.string(), nullptr);
  const Path parent = AbsolutePath(path).parent_path();
  auto directory =
      std::make_unique<Descriptor>(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory->valid()) return Fail(SystemError(parent, "cannot be opened"));
  std::string text =
      "/proc/self/fd/" + std::to_string(directory->get()) + "/" + path.filename().string();
  if (text.size() > kRoom)
    return Fail({ExitCode::kConfiguration, "is too long a name for a socket", path.string(),
                 "give the store a shorter one"});
  return SocketName(std::move(text), std::move(directory));
}

Result<int> ListenAt(const Path& path) {
  constexpr std::string_view kWhat = "cannot listen";
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0) {
    if (!S_ISSOCK(facts.st_mode))
      return Fail({ExitCode::kConfiguration, "is in the way and is not a socket", path.string(),
                   "move it away"});
    if (::unlink(path.c_str()) != 0) return Fail(SystemError(path, kWhat));
  }
  EBB_ASSIGN_OR_RETURN(const SocketName name, SocketName::Of(path));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.text().data(), name.text().size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return Fail(SystemError(path, kWhat));
  // The mode applies to the file that bind makes, so the socket is never open to others, not even
  // for a moment.
  ::fchmod(socket.get(), S_IRUSR | S_IWUSR);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kMostWaiting) != 0)
    return Fail(SystemError(path, kWhat));
  return socket.Release();
}

Status CheckPeer(int socket, uid_t owner, const Path& path) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return Fail(SystemError(path, "does not say who listens"));
  if (peer.uid == owner || peer.uid == 0) return {};
  return Fail({ExitCode::kConfiguration,
               "user " + std::to_string(peer.uid) + " listens there, not user " +
                   std::to_string(owner) + ", whose it is",
               path.string(), "keep the store in a directory that only its owner can write to"});
}

}  // namespace ebb::platform
