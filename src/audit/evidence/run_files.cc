#include "audit/evidence/run_files.h"

#include <set>

#include "platform/file.h"
#include "platform/shared_file.h"

namespace ebb::audit {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLimitBytes = 4ULL << 30;

bool IsAudited(const std::string& name) {
  static const std::set<std::string> kNames{
      "run.json",          "options.json", "decisions.jsonl", "gate_inputs.jsonl",
      "attempts.jsonl",    "ledger.jsonl", "budget.jsonl",    "signal_versions.jsonl",
      "signal.csv",        "prices.csv",   "outlook.json",    "progress.jsonl",
      "train_result.json", "summary.json", "emissions.csv",   "seals.jsonl"};
  return kNames.contains(name) || (name.starts_with("summary_") && name.ends_with(".json"));
}

}  // namespace

std::string WithoutNonFinite(std::string_view line) {
  std::string text(line);
  for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, word.size(), "null");
  return text;
}

Result<RunFiles> ReadRunFiles(const fs::path& directory) {
  RunFiles files{directory, {}};
  const auto read = [&](const fs::path& path, const std::string& name) -> Status {
    EBB_ASSIGN_OR_RETURN(files.texts[name], platform::ReadSharedFile(path, kLimitBytes));
    return {};
  };
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(directory, code)) {
    const std::string name = entry.path().filename().string();
    if (IsAudited(name)) EBB_RETURN_IF_ERROR(read(entry.path(), name));
  }
  for (const auto& entry : fs::directory_iterator(directory / "signals", code))
    if (entry.path().extension() == ".csv")
      EBB_RETURN_IF_ERROR(read(entry.path(), "signals/" + entry.path().filename().string()));
  if (files.Has("run.json")) return files;
  return Fail({ExitCode::kUnavailable, "holds no run (there is no run.json)", directory.string(),
               "name a run directory, or the service's store"});
}

}  // namespace ebb::audit
