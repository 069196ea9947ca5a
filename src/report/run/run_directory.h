#pragma once
// The run directory as a store: everything Ebb knows about one run, in files that a kill -9 at any
// moment leaves readable. Small facts that never change are one JSON file written atomically; what
// grows is JSON lines, one write(2) per line. Every double reads back as the same double.
//
// File formats: docs/run-directory.md and docs/ledger.md.
//
// One writer at a time, which holds the directory's lock. Readers may read while a run is being
// written: a last line that is not whole yet is dropped and said so; a damaged line before it is an
// error with file and line.

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run.h"

namespace ebb::report {

using Path = std::filesystem::path;

/// Names of the files inside a run directory.
inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kDecisionsFile = "decisions.jsonl";
inline constexpr const char* kAttemptsFile = "attempts.jsonl";
inline constexpr const char* kBudgetFile = "budget.jsonl";
inline constexpr const char* kLedgerFile = "ledger.jsonl";
inline constexpr const char* kSignalFile = "signal.csv";
inline constexpr const char* kSignalVersionsFile = "signal_versions.jsonl";
inline constexpr const char* kSignalsFolder = "signals";
inline constexpr const char* kPricesFile = "prices.csv";
using core::kProgressFile;
inline constexpr const char* kTrainResultFile = "train_result.json";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kEmissionsFile = "emissions.csv";
inline constexpr const char* kGateInputsFile = "gate_inputs.jsonl";
inline constexpr const char* kSealsFile = "seals.jsonl";
inline constexpr const char* kLockFile = "lock";

/// What only grows, line by line, chained (report/run/chained_lines.h).
inline constexpr std::array kChainedFiles{kDecisionsFile, kGateInputsFile, kAttemptsFile,
                                          kLedgerFile,    kBudgetFile,     kSignalVersionsFile};

/// Writes a run. Each call has reached the kernel when it returns.
class RunDirectory {
 public:
  /// Creates the directory with its parents; refuses one that already holds a run.
  static Result<RunDirectory> Create(const Path& path, const core::RunSpec& spec);
  /// Continues a run that was paused or killed; cuts off what a kill left half written and names it
  /// in notices().
  static Result<RunDirectory> Open(const Path& path);
  RunDirectory(RunDirectory&&) noexcept;
  RunDirectory& operator=(RunDirectory&&) noexcept;
  ~RunDirectory();

  const Path& path() const;
  const core::RunSpec& spec() const;
  const std::vector<std::string>& notices() const;

  Status AppendDecision(const core::GateDecision& decision);
  Status AppendSkippedWait(const core::SkippedWait& wait);
  /// Stores the attempt's number and the beginnings of its intervals.
  Status BeginAttempt(const core::Attempt& attempt);
  /// Stores everything about the attempt; its number must have begun.
  Status EndAttempt(const core::Attempt& attempt);
  /// The limits of the attempt that begins.
  Status AppendBudget(const core::Budget& budget, int attempt);
  Status AppendBudgetEvent(const core::BudgetEvent& event);
  Status AppendRow(const core::LedgerRow& row);
  Status AppendRows(std::span<const core::LedgerRow> rows);
  /// AddSignalVersion to it.
  Status WriteSignal(const core::IntensitySeries& signal, Time asked_at, bool is_final);
  /// Replaces the electricity prices of the run.
  Status WritePrices(const core::PriceSeries& prices);

 private:
  struct State;
  explicit RunDirectory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Makes `signal` the newest version of the run's settled signal, asked for at `asked_at` (wall
/// time); earlier ones are kept. One that equals the newest confirms it.
Status AddSignalVersion(const Path& directory, const core::IntensitySeries& signal, Time asked_at,
                        bool is_final);

/// True if the directory holds a run (a readable one or not).
bool HoldsRun(const Path& path);

/// Whether a process writes the run now. Of a run of a version that took no lock: false.
bool IsBeingWritten(const Path& path);

/// The folder itself if it holds a run; else those below it that do, in order. Runs inside of runs
/// (members of a merged one) are not looked for. Fails where there is none.
Result<std::vector<Path>> FindRunDirectories(const Path& folder);

/// What a search for runs came upon, in order.
struct FoundRuns {
  std::vector<Path> runs;
  std::vector<Path> broken;  ///< hold parts of a run, and no run.json
  std::vector<Path> closed;  ///< folders that cannot be searched
};
/// The same, and finding none, or what cannot be read, is no failure.
FoundRuns SearchForRuns(const Path& folder);

/// SHA-256 of run.json: what the chains of the directory begin with.
Result<std::string> RunDigest(const Path& directory);

/// Whether Ebb writes a file, or a folder, of this name into a run directory; not its program.
bool IsFileOfRun(std::string_view name);

/// Removes what a run directory holds but for what its program wrote, so that a run can be made
/// there again.
Status RemoveRun(const Path& directory);

/// Reads a run back, together with what its training program wrote (progress.jsonl and
/// train_result.json). `notices` receives one sentence for each thing that was dropped.
Result<core::RunRecord> ReadRun(const Path& path, std::vector<std::string>* notices = nullptr);

/// Reads anew what is asked for after a run has been read: its settled signal, the versions of
/// that, its prices.
Status ReadSignalAnew(const Path& path, core::RunRecord& run);

/// What was asked for and when its attempts ran, without its ledger: an attempt that has no end yet
/// is kRunning and ends where it begins.
Result<core::RunRecord> ReadRunHead(const Path& path);

}  // namespace ebb::report
