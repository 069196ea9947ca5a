#include "platform/temporary_directory.h"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

namespace ebb::platform {

Result<TemporaryDirectory> TemporaryDirectory::Make(const std::string& name) {
  std::error_code ignored;
  std::filesystem::path base = std::filesystem::temp_directory_path(ignored);
  if (base.empty()) base = "/tmp";
  std::string path = (base / (name + "-XXXXXX")).string();
  if (!::mkdtemp(path.data()))
    return Fail({ExitCode::kUnavailable,
                 "cannot make a directory: " + std::generic_category().message(errno), path,
                 "set TMPDIR to one that can be written"});
  return TemporaryDirectory(path);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace ebb::platform
