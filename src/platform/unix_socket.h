#pragma once
// Unix domain sockets by paths of any length. No other user can pretend to be the listening
// process, because the kernel says who listens, whoever may write to the directory. HTTP requests
// over such a socket: http.h.

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class Descriptor;

/// A path as a socket address. An address holds about a hundred bytes. For a longer path, this
/// object keeps the directory open and names it by its descriptor.
class SocketName {
 public:
  /// Fails if the directory cannot be opened or the last part alone is too long.
  static Result<SocketName> Of(const Path& path);
  SocketName(SocketName&&) noexcept;
  SocketName& operator=(SocketName&&) noexcept;
  ~SocketName();
  const std::string& text() const { return text_; }

 private:
  SocketName(std::string text, std::unique_ptr<Descriptor> directory);
  std::string text_;
  std::unique_ptr<Descriptor> directory_;
};

/// Listens at `path`, for processes of this user only (mode 600). Replaces an existing socket: the
/// caller knows that nobody listens on it. The caller closes the descriptor. Fails if something
/// other than a socket is there, or if the file system does not support sockets.
Result<int> ListenAt(const Path& path);

/// Checks that a process of user `owner` or of root is at the other end of a connected socket. The
/// Error names the other user; `path` is for its message.
Status CheckPeer(int socket, uid_t owner, const Path& path);

}  // namespace ebb::platform
