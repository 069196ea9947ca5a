#include "sites/files/file_fact.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::sites {
namespace {

constexpr std::size_t kLongestName = 4000;
constexpr std::size_t kDigestLength = 64;

tl::unexpected<Error> Refused(const std::string& what, const std::string& name) {
  return Fail({ExitCode::kUsage, what, name.substr(0, 200), ""});
}

}  // namespace

Status CheckName(const std::string& path) {
  const bool is_odd = path.empty() || path.size() > kLongestName || path.front() == '/' ||
                      path.find('\0') != std::string::npos;
  if (is_odd) return Refused("is not a name of a file below a folder", path);
  for (const std::string_view name : Split(path, '/'))
    if (name.empty() || name == "." || name == "..")
      return Refused("is not a name of a file below a folder", path);
  return {};
}

Status CheckDigest(const std::string& sha256) {
  const bool is_hex = std::ranges::all_of(
      sha256, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return sha256.size() == kDigestLength && is_hex ? Status{}
                                                  : Refused("is not a SHA-256 digest", sha256);
}

const FileFact* FindFile(const std::vector<FileFact>& files, const std::string& path) {
  const auto found = std::ranges::find(files, path, &FileFact::path);
  return found == files.end() ? nullptr : &*found;
}

}  // namespace ebb::sites
