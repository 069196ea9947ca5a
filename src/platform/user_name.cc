#include "platform/user_name.h"

#include <pwd.h>
#include <sys/stat.h>

#include <array>

namespace ebb::platform {

std::string OwnerOf(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return "";
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(facts.st_uid, &entry, buffer.data(), buffer.size(), &found);
  return found ? entry.pw_name : "uid " + std::to_string(facts.st_uid);
}

}  // namespace ebb::platform
