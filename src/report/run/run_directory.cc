#include "report/run/run_directory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/field_text.h"
#include "base/text.h"
#include "core/run/power_choice_fields.h"
#include "platform/digest.h"
#include "platform/file.h"
#include "platform/file_lock.h"
#include "platform/shared_file.h"
#include "report/run/budget_file.h"
#include "report/run/chained_lines.h"
#include "report/run/ledger_file.h"
#include "report/run/outlook_file.h"
#include "report/run/run_json.h"
#include "report/run/signal_file.h"
#include "report/run/training_files.h"

namespace ebb::report {
namespace {

using LineReader = std::function<Status(std::string_view line, std::string where)>;

Result<std::string> ReadIfThere(const Path& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return std::string();
  return platform::ReadSharedFile(path, kLinesLimitBytes);
}

bool IsWhole(std::string_view line) { return ParsedText(line).root().IsObject(); }

// The position at which a half-written last line begins (left by a kill); text.size() if the text
// ends with a whole line.
std::size_t EndOfWholeLines(std::string_view text) {
  if (text.empty() || text.ends_with('\n')) return text.size();
  const auto newline = text.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return IsWhole(text.substr(begin)) ? text.size() : begin;
}

std::string DroppedNotice(const Path& path, std::size_t bytes) {
  return path.string() + ": dropped " + std::to_string(bytes) +
         " bytes of a last line that was not finished (still being written, or its writer was "
         "killed)";
}

// Calls `read` for every whole line.
Status ReadLines(const Path& path, std::vector<std::string>* notices, const LineReader& read) {
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadIfThere(path));
  const std::size_t end = EndOfWholeLines(text);
  if (end < text.size() && notices) notices->push_back(DroppedNotice(path, text.size() - end));
  std::size_t number = 0;
  for (const std::string_view line : Split(std::string_view(text).substr(0, end), '\n')) {
    ++number;
    if (Trim(line).empty()) continue;
    auto status = read(line, path.string() + ":" + std::to_string(number));
    if (status) continue;
    Error error = status.error();
    error.next = "the file was changed or the disk lost data; restore it or remove the line";
    return Fail(std::move(error));
  }
  return {};
}

// Cuts off a half-written last line, so that the next line does not continue it.
Status CutHalfLine(const Path& path, std::vector<std::string>& notices) {
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadIfThere(path));
  const std::size_t end = EndOfWholeLines(text);
  if (end == text.size()) return {};
  std::error_code code;
  std::filesystem::resize_file(path, end, code);
  if (code)
    return Fail({ExitCode::kUnavailable, "cannot cut off a half-written line: " + code.message(),
                 path.string(), "check the permissions"});
  notices.push_back(DroppedNotice(path, text.size() - end));
  return {};
}

Result<core::RunSpec> ReadSpec(const Path& directory) {
  const Path file = directory / kRunFile;
  if (!HoldsRun(directory))
    return Fail({ExitCode::kUnavailable, "holds no run (there is no run.json)", directory.string(),
                 "name the directory that ebb printed at the end of the run"});
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadSharedFile(file));
  return RunSpecFromJson(text, file.string());
}

// "signals/20261122T193000Z-1.csv"
std::string VersionFile(Time asked_at, std::size_t number) {
  std::string stamp;
  for (const char c : FormatTime(std::chrono::floor<std::chrono::seconds>(asked_at)))
    if (c != '-' && c != ':') stamp += c;
  return std::string(kSignalsFolder) + "/" + stamp + "-" + std::to_string(number) + ".csv";
}

Status ReadSignalVersions(const Path& directory, std::vector<std::string>* notices,
                          core::RunRecord& run) {
  return ReadLines(directory / kSignalVersionsFile, notices, [&](auto line, auto where) {
    return AddSignalVersionLine(line, std::move(where), run);
  });
}

Status ReadSettled(const Path& directory, core::RunRecord& run) {
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadIfThere(directory / kSignalFile));
  EBB_ASSIGN_OR_RETURN(run.signal, text.empty() ? core::IntensitySeries::Create(run.spec.signal, {})
                                                : ParseSignal(text, run.spec.signal,
                                                              (directory / kSignalFile).string()));
  // Merged runs of several zones were once written without their mark. Their zone is a list.
  if (run.signal.empty() && run.spec.signal.zone.find(", ") != std::string::npos)
    run.spec.zones = std::max(run.spec.zones, 2);
  return {};
}

Status ReadPrices(const Path& directory, core::RunRecord& run) {
  if (!run.spec.prices) return {};
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadIfThere(directory / kPricesFile));
  if (text.empty()) return {};
  EBB_ASSIGN_OR_RETURN(
      run.prices, ParsePrices(text, run.spec.prices->identity, (directory / kPricesFile).string()));
  return {};
}

// Reads the settled intensity and electricity prices of a run.
Status ReadSignal(const Path& directory, std::vector<std::string>* notices, core::RunRecord& run) {
  EBB_RETURN_IF_ERROR(ReadSettled(directory, run));
  EBB_RETURN_IF_ERROR(ReadSignalVersions(directory, notices, run));
  return ReadPrices(directory, run);
}

// An attempt without an end was killed with Ebb: it ends at its last ledger row.
void EndKilledAttempts(core::RunRecord& run) {
  std::map<int, core::Attempt*> open;
  for (core::Attempt& attempt : run.attempts)
    if (attempt.outcome == core::AttemptOutcome::kRunning) open[attempt.number] = &attempt;
  for (const core::LedgerRow& row : run.ledger) {
    const auto it = open.find(row.attempt);
    if (it == open.end()) continue;
    it->second->wall.end = std::max(it->second->wall.end, row.wall.end);
    it->second->grid.end = std::max(it->second->grid.end, row.grid.end);
  }
}

Status ReadTrainingFiles(const Path& directory, core::RunRecord& run,
                         std::vector<std::string>* notices) {
  EBB_ASSIGN_OR_RETURN(const std::string progress, ReadIfThere(directory / kProgressFile));
  Progress reported = ReadProgress(progress);
  run.epochs = std::move(reported.epochs);
  run.work = reported.work;
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadIfThere(directory / kTrainResultFile));
  if (text.empty()) return {};
  const auto result = ParseTrainResult(text);
  if (!result) {
    if (notices)
      notices->push_back((directory / kTrainResultFile).string() +
                         ": is not an ebb.train-result/1; its figures are left out");
    return {};
  }
  run.training = result->outcome;
  if (!run.spec.training) run.spec.training = result->settings;
  return {};
}

}  // namespace

Result<std::string> RunDigest(const Path& directory) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadSharedFile(directory / kRunFile));
  return platform::Sha256Hex(text);
}

struct RunDirectory::State {
  Path path;
  core::RunSpec spec;
  std::vector<std::string> notices;
  std::string run_digest;
  platform::FileLock lock;
  ChainedLines decisions, attempts, ledger;

  // The file gets few lines, and in most runs none, so it is opened for each line.
  Status AppendToBudget(const std::string& line) const {
    EBB_ASSIGN_OR_RETURN(auto writer, ChainedLines::Open(path / kBudgetFile, run_digest));
    return writer.Append(line);
  }
};

RunDirectory::RunDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunDirectory::RunDirectory(RunDirectory&&) noexcept = default;
RunDirectory& RunDirectory::operator=(RunDirectory&&) noexcept = default;
RunDirectory::~RunDirectory() = default;

Result<RunDirectory> RunDirectory::Create(const Path& path, const core::RunSpec& spec) {
  if (HoldsRun(path))
    return Fail({ExitCode::kConfiguration, "already holds a run", path.string(),
                 "choose another directory, or continue it with ebb resume"});
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(path));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(path / kRunFile, RunSpecToJson(spec)));
  return Open(path);
}

Result<RunDirectory> RunDirectory::Open(const Path& path) {
  EBB_ASSIGN_OR_RETURN(core::RunSpec spec, ReadSpec(path));
  auto lock = platform::FileLock::Take(path / kLockFile);
  if (!lock) {
    if (lock.error().code == ExitCode::kTryLater)
      lock.error().next = "another process writes this run: wait until it has ended";
    return Fail(lock.error());
  }
  std::vector<std::string> notices;
  for (const char* file : kChainedFiles) EBB_RETURN_IF_ERROR(CutHalfLine(path / file, notices));
  EBB_RETURN_IF_ERROR(CutHalfLine(path / kSealsFile, notices));
  EBB_ASSIGN_OR_RETURN(std::string digest, RunDigest(path));
  EBB_ASSIGN_OR_RETURN(auto decisions, ChainedLines::Open(path / kDecisionsFile, digest));
  EBB_ASSIGN_OR_RETURN(auto attempts, ChainedLines::Open(path / kAttemptsFile, digest));
  EBB_ASSIGN_OR_RETURN(auto ledger, ChainedLines::Open(path / kLedgerFile, digest));
  return RunDirectory(std::unique_ptr<State>(
      new State{path, std::move(spec), std::move(notices), std::move(digest), *std::move(lock),
                std::move(decisions), std::move(attempts), std::move(ledger)}));
}

const Path& RunDirectory::path() const { return state_->path; }
const core::RunSpec& RunDirectory::spec() const { return state_->spec; }
const std::vector<std::string>& RunDirectory::notices() const { return state_->notices; }

Status RunDirectory::AppendDecision(const core::GateDecision& decision) {
  return state_->decisions.Append(DecisionToJson(decision));
}
Status RunDirectory::AppendSkippedWait(const core::SkippedWait& wait) {
  return state_->decisions.Append(SkippedWaitToJson(wait));
}
Status RunDirectory::BeginAttempt(const core::Attempt& attempt) {
  return state_->attempts.Append(AttemptBeginToJson(attempt));
}
Status RunDirectory::EndAttempt(const core::Attempt& attempt) {
  return state_->attempts.Append(AttemptEndToJson(attempt));
}
Status RunDirectory::AppendBudget(const core::Budget& budget, int attempt) {
  return state_->AppendToBudget(BudgetToJson(budget, attempt));
}
Status RunDirectory::AppendBudgetEvent(const core::BudgetEvent& event) {
  return state_->AppendToBudget(BudgetEventToJson(event));
}
Status RunDirectory::AppendRow(const core::LedgerRow& row) {
  return state_->ledger.Append(FormatLedgerLine(row));
}
Status RunDirectory::AppendRows(std::span<const core::LedgerRow> rows) {
  for (const core::LedgerRow& row : rows) EBB_RETURN_IF_ERROR(AppendRow(row));
  return {};
}
Status RunDirectory::WriteSignal(const core::IntensitySeries& signal, Time asked_at,
                                 bool is_final) {
  return AddSignalVersion(path(), signal, asked_at, is_final);
}
Status RunDirectory::WritePrices(const core::PriceSeries& prices) {
  return platform::WriteFileAtomically(state_->path / kPricesFile, FormatPrices(prices));
}

Status AddSignalVersion(const Path& directory, const core::IntensitySeries& signal, Time asked_at,
                        bool is_final) {
  core::RunRecord known;
  EBB_RETURN_IF_ERROR(ReadSignalVersions(directory, nullptr, known));
  const std::vector<core::SignalVersion>& versions = known.signal_versions;
  const std::string text = FormatSignal(signal);
  core::SignalVersion version{asked_at, is_final, VersionFile(asked_at, versions.size() + 1),
                              platform::Sha256Hex(text)};
  if (!versions.empty() && versions.back().sha256 == version.sha256)
    version.file = versions.back().file;
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory / kSignalsFolder));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory / version.file, text));
  EBB_ASSIGN_OR_RETURN(const std::string digest, RunDigest(directory));
  EBB_ASSIGN_OR_RETURN(auto lines, ChainedLines::Open(directory / kSignalVersionsFile, digest));
  EBB_RETURN_IF_ERROR(lines.Append(SignalVersionToJson(version)));
  return platform::WriteFileAtomically(directory / kSignalFile, text);
}

bool HoldsRun(const Path& path) {
  std::error_code code;
  return std::filesystem::exists(path / kRunFile, code);
}

namespace {

constexpr std::array kOtherFiles{kRunFile,   kSignalFile,  kSignalsFolder, kPricesFile,
                                 kSealsFile, kSummaryFile, kEmissionsFile, core::kPowerChoiceFile,
                                 kLockFile};

}  // namespace

bool IsFileOfRun(std::string_view name) {
  return std::ranges::find(kOtherFiles, name) != kOtherFiles.end() ||
         std::ranges::find(kChainedFiles, name) != kChainedFiles.end();
}

Status RemoveRun(const Path& directory) {
  std::error_code code;
  // The file that makes the directory a run comes first.
  std::vector<Path> paths;
  for (const char* name : kOtherFiles) paths.push_back(directory / name);
  for (const char* name : kChainedFiles) paths.push_back(directory / name);
  for (const Path& path : paths) {
    std::filesystem::remove_all(path, code);
    if (code)
      return Fail({ExitCode::kUnavailable, "cannot be removed: " + code.message(), path.string(),
                   "check the permissions"});
  }
  return {};
}

bool IsBeingWritten(const Path& path) { return platform::FileLock::IsHeld(path / kLockFile); }

namespace {

bool HoldsPartsOfRun(const Path& path) {
  std::error_code code;
  return std::any_of(kChainedFiles.begin(), kChainedFiles.end(),
                     [&](const char* name) { return std::filesystem::exists(path / name, code); });
}

void Search(const Path& folder, std::map<Path, std::size_t>& places, FoundRuns& found) {
  std::error_code code;
  std::vector<std::filesystem::directory_entry> entries;
  for (std::filesystem::directory_iterator item(folder, code), end; !code && item != end;
       item.increment(code))
    if (std::error_code unseen; item->is_directory(unseen)) entries.push_back(*item);
  if (code) return found.closed.push_back(folder);
  for (const auto& entry : entries) {
    if (!HoldsRun(entry.path())) {
      if (HoldsPartsOfRun(entry.path()))
        found.broken.push_back(entry.path());
      else if (!entry.is_symlink(code))
        Search(entry.path(), places, found);
      continue;
    }
    const auto [place, is_new] =
        places.emplace(std::filesystem::canonical(entry.path(), code), found.runs.size());
    if (is_new)
      found.runs.push_back(entry.path());
    else if (entry.is_symlink(code))
      found.runs[place->second] = entry.path();
  }
}

}  // namespace

FoundRuns SearchForRuns(const Path& folder) {
  FoundRuns found;
  if (HoldsRun(folder)) {
    found.runs.push_back(folder);
    return found;
  }
  // A run to which a link points as well is listed once, under the link's name.
  std::map<Path, std::size_t> places;
  Search(folder, places, found);
  for (auto* paths : {&found.runs, &found.broken, &found.closed})
    std::sort(paths->begin(), paths->end());
  return found;
}

Result<std::vector<Path>> FindRunDirectories(const Path& folder) {
  FoundRuns found = SearchForRuns(folder);
  if (!found.closed.empty())
    return Fail({ExitCode::kUnavailable, "cannot be searched", found.closed.front().string(),
                 "check the name and the permissions"});
  if (found.runs.empty())
    return Fail({ExitCode::kUnavailable, "holds no run, nor does a folder in it", folder.string(),
                 "name run directories, folders of them, or stores"});
  return std::move(found.runs);
}

Result<core::RunRecord> ReadRun(const Path& path, std::vector<std::string>* notices) {
  core::RunRecord run;
  EBB_ASSIGN_OR_RETURN(run.spec, ReadSpec(path));
  EBB_RETURN_IF_ERROR(ReadLines(path / kDecisionsFile, notices, [&](auto line, auto where) {
    return AddDecisionLine(line, std::move(where), run);
  }));
  EBB_RETURN_IF_ERROR(ReadLines(path / kAttemptsFile, notices, [&](auto line, auto where) {
    return AddAttemptLine(line, std::move(where), run);
  }));
  EBB_RETURN_IF_ERROR(ReadLines(path / kLedgerFile, notices, [&](auto line, auto where) -> Status {
    EBB_ASSIGN_OR_RETURN(core::LedgerRow row, ParseLedgerLine(line, std::move(where)));
    run.ledger.push_back(std::move(row));
    return {};
  }));
  EBB_RETURN_IF_ERROR(ReadLines(path / kBudgetFile, notices, [&](auto line, auto where) {
    return AddBudgetLine(line, std::move(where), run.budget);
  }));
  EBB_RETURN_IF_ERROR(
      ReadLines(path / core::kPowerChoiceFile, notices, [&](auto line, auto where) -> Status {
        auto choice =
            FromFieldText<core::PowerChoice>(line, std::move(where), FieldStyle::kComplete);
        if (!choice) return Fail(std::move(choice).error());
        run.power_choices.push_back(*std::move(choice));
        return {};
      }));
  EBB_RETURN_IF_ERROR(ReadSignal(path, notices, run));
  run.outlook = ReadOutlook(path);
  EndKilledAttempts(run);
  EBB_RETURN_IF_ERROR(ReadTrainingFiles(path, run, notices));
  return run;
}

Status ReadSignalAnew(const Path& path, core::RunRecord& run) {
  run.signal_versions.clear();
  return ReadSignal(path, nullptr, run);
}

Result<core::RunRecord> ReadRunHead(const Path& path) {
  core::RunRecord run;
  EBB_ASSIGN_OR_RETURN(run.spec, ReadSpec(path));
  EBB_RETURN_IF_ERROR(ReadLines(path / kAttemptsFile, nullptr, [&](auto line, auto where) {
    return AddAttemptLine(line, std::move(where), run);
  }));
  return run;
}

}  // namespace ebb::report
