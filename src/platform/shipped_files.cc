#include "platform/shipped_files.h"

#include <vector>

namespace ebb::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeries = "data/carbon";

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool IsRelative(const std::string& path) { return !path.empty() && !fs::path(path).is_absolute(); }

}  // namespace

fs::path ShippedFolder() {
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  if (code) return {};
  const fs::path prefix = program.parent_path().parent_path();
  // The programs of a clone lie in BUILD/PRESET/bin.
  for (const fs::path& folder : {prefix / "share/ebb", prefix.parent_path().parent_path()})
    if (IsThere(folder / "configs") && IsThere(folder / kSeries)) return folder;
  return {};
}

std::string ShippedIn(const fs::path& folder, const std::string& path) {
  if (folder.empty() || !IsRelative(path) || IsThere(path)) return path;
  const fs::path shipped = folder / path;
  return IsThere(shipped) ? shipped.string() : path;
}

std::string ShippedSeriesIn(const fs::path& folder, const std::string& path) {
  const std::string named = ShippedIn(folder, path);
  if (named != path || folder.empty() || !IsRelative(path) || IsThere(path)) return named;
  std::vector<std::string> of_zone;
  std::error_code ended;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / kSeries, ended))
    if (entry.path().filename().string().starts_with(path + "_"))
      of_zone.push_back(entry.path().string());
  return of_zone.size() == 1 ? of_zone.front() : path;
}

std::string Shipped(const std::string& path) { return ShippedIn(ShippedFolder(), path); }
std::string ShippedSeries(const std::string& path) {
  return ShippedSeriesIn(ShippedFolder(), path);
}

}  // namespace ebb::platform
