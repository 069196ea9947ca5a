#include "report/run/seal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "platform/digest.h"
#include "platform/file.h"
#include "platform/shared_file.h"
#include "report/run/chained_lines.h"
#include "report/run/outlook_file.h"
#include "report/run/run_directory.h"

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

// Programs append to this file, so the seal covers only its present beginning.
constexpr std::string_view kGrows = kProgressFile;

bool IsSummary(const std::string& name) {
  return name.starts_with("summary_") && name.ends_with(".json");
}

// The files to seal by name, in order. Other files (logs, checkpoints) are left out because no
// figure is made from them.
Result<std::set<std::string>> FilesToSeal(const Path& directory) {
  static const std::set<std::string> kNames{kRunFile,         "options.json", kSignalFile,
                                            kPricesFile,      kOutlookFile,   kProgressFile,
                                            kTrainResultFile, kSummaryFile,   kEmissionsFile};
  std::set<std::string> names;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(directory, code)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file(code) && (kNames.contains(name) || IsSummary(name)))
      names.insert(name);
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory / kSignalsFolder, code))
    if (entry.path().extension() == ".csv")
      names.insert(std::string(kSignalsFolder) + "/" + entry.path().filename().string());
  return names;
}

Json HeadsOf(const Path& directory, const std::string& digest, Status& status) {
  Json heads = Json::object();
  std::error_code code;
  for (const char* name : kChainedFiles) {
    if (!std::filesystem::exists(directory / name, code)) continue;
    const auto text = platform::ReadSharedFile(directory / name, kLinesLimitBytes);
    if (!text) {
      status = Fail(text.error());
      return heads;
    }
    heads[name] = {{"lines", std::count(text->begin(), text->end(), '\n')},
                   {"bytes", text->size()},
                   {"head", HeadOf(*text, name, digest)}};
  }
  return heads;
}

}  // namespace

Status SealRun(const Path& directory, Time now) {
  EBB_ASSIGN_OR_RETURN(const std::string digest, RunDigest(directory));
  EBB_ASSIGN_OR_RETURN(const auto names, FilesToSeal(directory));
  Json seal{{"sealed_at_ms", Milliseconds(now)}, {"ebb", EBB_VERSION}};
  Status read;
  seal["heads"] = HeadsOf(directory, digest, read);
  EBB_RETURN_IF_ERROR(read);
  seal["files"] = Json::object();
  for (const std::string& name : names) {
    EBB_ASSIGN_OR_RETURN(const std::string text,
                         platform::ReadSharedFile(directory / name, kLinesLimitBytes));
    seal["files"][name] = {{"sha256", platform::Sha256Hex(text)}};
    if (name == kGrows) seal["files"][name]["bytes"] = text.size();
  }
  EBB_ASSIGN_OR_RETURN(auto lines, ChainedLines::Open(directory / kSealsFile, digest));
  return lines.Append(seal.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ebb::report
