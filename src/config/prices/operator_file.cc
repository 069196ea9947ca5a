#include "config/prices/operator_file.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "platform/file.h"
#include "signals/traces/operator_text.h"

namespace ebb::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPublishedBy = "Europe/Brussels";
constexpr std::chrono::hours kPublishedAt{18};
constexpr std::size_t kMostFiles = 1000;

// The files of a folder in the order of their names.
Result<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return std::vector{path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path, failed))
    if (entry.is_regular_file(failed) && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path().string());
  if (failed || files.empty() || files.size() > kMostFiles)
    return Fail({ExitCode::kConfiguration,
                 files.size() > kMostFiles
                     ? "has more than " + std::to_string(kMostFiles) + " files"
                     : std::string("is a folder without files that can be read"),
                 path, "name the folder with what operators expect, and nothing else in it"});
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<signals::OperatorForecast> LoadOperators(const std::string& path, const std::string& zone) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(kPublishedBy));
  signals::OperatorParts parts(prices::Publication{clock, kPublishedAt});
  EBB_ASSIGN_OR_RETURN(const auto files, FilesOf(path));
  for (const std::string& file : files) {
    EBB_ASSIGN_OR_RETURN(std::string text, platform::ReadFileMaybeGzip(file));
    EBB_RETURN_IF_ERROR(signals::ReadOperatorText(std::move(text), file, zone, parts));
  }
  return parts.ByHour(path);
}

}  // namespace ebb::config
