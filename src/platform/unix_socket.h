#pragma once
// Unix domain sockets by path, of any length: a way to a process of this machine that no other user
// can stand in. The kernel says who listens, whoever may write to the directory. Requests over one:
// http.h.

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

class Descriptor;

/// A path as an address of the kernel's, which holds about a hundred bytes: of a longer one, the
/// directory is kept open while this lives, and named by its descriptor.
class SocketName {
 public:
  /// An Error: the directory cannot be opened, or the last part alone is too long.
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

/// Listens at `path`, for processes of this user only (mode 600). A socket that is there already is
/// replaced: the caller knows that nobody listens at it. The caller closes the descriptor. An
/// Error: something else than a socket is there, or the file system has none.
Result<int> ListenAt(const Path& path);

/// Whether a process of user `owner`, or of root, is at the other end of a connected socket. An
/// Error that says who is; `path` is for it.
Status CheckPeer(int socket, uid_t owner, const Path& path);

}  // namespace ebb::platform
