#pragma once
// A name that one process of this machine holds at a time, for as long as it lives. No file stays
// behind, however the process ends. The names are the kernel's abstract Unix sockets, so processes
// in containers with a network of their own do not see each other's.

#include <optional>
#include <string>

namespace ebb::platform {

class ClaimedName {
 public:
  /// Returns nullopt if another process, or this one, holds the name. If the kernel has no abstract
  /// sockets, the claim succeeds, because no other process can hold the name.
  static std::optional<ClaimedName> Claim(const std::string& name);
  ClaimedName(ClaimedName&& other) noexcept;
  ClaimedName& operator=(ClaimedName&& other) noexcept;
  ~ClaimedName();

 private:
  explicit ClaimedName(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace ebb::platform
