#include "platform/user_name.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace ebb::platform {

namespace {

// Empty: the system has no name for the user.
std::string NameOf(uid_t user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return found ? entry.pw_name : "";
}

}  // namespace

std::optional<uid_t> OwnerIdOf(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return facts.st_uid;
}

std::string OwnerOf(const std::filesystem::path& file) {
  const std::optional<uid_t> owner = OwnerIdOf(file);
  if (!owner) return "";
  const std::string name = NameOf(*owner);
  return name.empty() ? "uid " + std::to_string(*owner) : name;
}

std::string UserOfProcess() {
  const std::string name = NameOf(::geteuid());
  return name.empty() ? std::to_string(::geteuid()) : name;
}

}  // namespace ebb::platform
