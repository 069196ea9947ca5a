#pragma once
// A name that one process of this machine holds at a time, for as long as it lives: no file stays
// behind, whatever becomes of the process. Names are those of the kernel's abstract Unix sockets,
// so processes in containers with a network of their own do not see each other's.

#include <optional>
#include <string>

namespace ebb::platform {

class ClaimedName {
 public:
  /// Nothing: another process holds it (or this one does). Where the kernel has no such names the
  /// claim is granted, since nobody can contradict it.
  static std::optional<ClaimedName> Claim(const std::string& name);
  ClaimedName(ClaimedName&& other) noexcept;
  ClaimedName& operator=(ClaimedName&& other) noexcept;
  ~ClaimedName();

 private:
  explicit ClaimedName(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace ebb::platform
