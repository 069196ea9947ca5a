#include "audit/evidence/energy_files.h"

#include "local/files/attempt_files.h"

namespace ebb::audit {
namespace {

namespace fs = std::filesystem;

void CheckLines(const local::AttemptPaths& paths, const std::string& where, Check& check) {
  local::EnergyTail tail(paths.energy());
  do tail.Read();
  while (tail.has_more());
  if (tail.disbelieved_lines() > 0)
    check.Differ(where + ": " + std::to_string(tail.disbelieved_lines()) +
                 " lines are not believed (" + tail.why_disbelieved() +
                 "): somebody else than its supervisor wrote there");
  if (tail.damaged_lines() > 0)
    check.Differ(where + ": " + std::to_string(tail.damaged_lines()) + " lines are damaged");
}

}  // namespace

std::int64_t CheckEnergyFiles(const fs::path& folder, const std::string& whose, Check& check) {
  std::int64_t files = 0;
  const int last = local::LastAttempt(folder);
  for (int attempt = 1; attempt <= last; ++attempt) {
    const local::AttemptPaths paths{folder, attempt};
    std::error_code code;
    const fs::file_type type = fs::symlink_status(paths.energy(), code).type();
    if (type == fs::file_type::not_found || type == fs::file_type::none) continue;
    ++files;
    const std::string where = whose + ", " + paths.energy().filename().string();
    if (type == fs::file_type::regular)
      CheckLines(paths, where, check);
    else
      check.Differ(where + " is not a regular file: its program put something in its place");
  }
  return files;
}

}  // namespace ebb::audit
