#include "cli/command_line.h"

namespace ebb::cli {

Result<std::vector<std::string>> UserCommand::Required(const std::string& example) const {
  if (!words.empty()) return words;
  return Fail({ExitCode::kUsage, "no command to run", "", "write it at the end, e.g. " + example});
}

}  // namespace ebb::cli
