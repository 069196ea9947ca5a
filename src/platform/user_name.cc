#include "platform/user_name.h"

#include <pwd.h>
#include <sys/stat.h>

#include <array>

namespace ebb::platform {

std::optional<uid_t> OwnerIdOf(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return facts.st_uid;
}

std::string OwnerOf(const std::filesystem::path& file) {
  const std::optional<uid_t> owner = OwnerIdOf(file);
  if (!owner) return "";
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(*owner, &entry, buffer.data(), buffer.size(), &found);
  return found ? entry.pw_name : "uid " + std::to_string(*owner);
}

}  // namespace ebb::platform
