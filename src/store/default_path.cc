#include "store/default_path.h"

namespace ebb::store {

Result<platform::Path> DefaultStorePath(const std::function<const char*(const char*)>& variable) {
  const auto text = [&](const char* name) {
    const char* value = variable(name);
    return std::string(value ? value : "");
  };
  const auto directory = [&](const char* name) {
    std::string value = text(name);
    if (std::string(name) == "STATE_DIRECTORY") value = value.substr(0, value.find(':'));
    return value.starts_with('/') ? platform::Path(value) : platform::Path();
  };
  if (const std::string path = text("EBB_STORE"); !path.empty()) return platform::Path(path);
  if (const auto state = directory("STATE_DIRECTORY"); !state.empty()) return state / "ebb.db";
  if (const auto state = directory("XDG_STATE_HOME"); !state.empty())
    return state / "ebb" / "ebb.db";
  if (const auto home = directory("HOME"); !home.empty())
    return home / ".local" / "state" / "ebb" / "ebb.db";
  return Fail({ExitCode::kUsage, "no store is named, and there is no home directory", "",
               "name one with --store or EBB_STORE"});
}

}  // namespace ebb::store
