#include "store/database/default_path.h"

#include <filesystem>

namespace ebb::store {

std::vector<platform::Path> OwnStorePaths(const Variables& variable) {
  const auto text = [&](const char* name) {
    const char* value = variable(name);
    return std::string(value ? value : "");
  };
  const auto directory = [&](const char* name) {
    std::string value = text(name);
    if (std::string(name) == "STATE_DIRECTORY") value = value.substr(0, value.find(':'));
    return value.starts_with('/') ? platform::Path(value) : platform::Path();
  };
  if (const std::string path = text("EBB_STORE"); !path.empty()) return {platform::Path(path)};
  if (const auto state = directory("STATE_DIRECTORY"); !state.empty()) return {state / "ebb.db"};
  std::vector<platform::Path> paths;
  const platform::Path home = directory("HOME");
  const auto add = [&](const char* name, const platform::Path& below_home) {
    if (const auto named = directory(name); !named.empty())
      paths.push_back(named / "ebb" / "ebb.db");
    else if (!home.empty())
      paths.push_back(home / below_home / "ebb" / "ebb.db");
  };
  add("XDG_STATE_HOME", ".local/state");
  add("XDG_CONFIG_HOME", ".config");
  return paths;
}

Result<platform::Path> DefaultStorePath(const Variables& variable) {
  const std::vector<platform::Path> paths = OwnStorePaths(variable);
  if (paths.empty())
    return Fail({ExitCode::kUsage, "no store is named, and there is no home directory", "",
                 "name one with --store or EBB_STORE"});
  std::error_code ignored;
  for (const platform::Path& path : paths)
    if (std::filesystem::exists(SocketOf(path.string()), ignored)) return path;
  for (const platform::Path& path : paths)
    if (std::filesystem::exists(path, ignored)) return path;
  return paths.front();
}

std::string SocketOf(const std::string& store) { return store + ".sock"; }

}  // namespace ebb::store
