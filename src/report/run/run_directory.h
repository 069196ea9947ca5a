#pragma once
// The run directory as a store: everything Ebb knows about one run, in files that a kill -9 at any
// moment leaves readable. Small facts that never change are one JSON file written atomically;
// growing data is JSON lines, one write(2) per line. Every double reads back as the same double.
//
// File formats: docs/run-directory.md and docs/ledger.md.
//
// One writer at a time, which holds the directory's lock. Readers may read while a run is being
// written: an incomplete last line is dropped with a notice; a damaged line before it is an error
// with file and line.

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run/run.h"

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

/// Files that only grow, line by line, with chained lines (report/run/chained_lines.h).
inline constexpr std::array kChainedFiles{kDecisionsFile, kGateInputsFile, kAttemptsFile,
                                          kLedgerFile,    kBudgetFile,     kSignalVersionsFile};

/// Writes a run. The data of each call has reached the kernel when the call returns.
class RunDirectory {
 public:
  /// Creates the directory with its parents; refuses one that already holds a run.
  static Result<RunDirectory> Create(const Path& path, const core::RunSpec& spec);
  /// Continues a run that was paused or killed. Cuts off lines that a kill left half written and
  /// names them in notices().
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
  /// Appends the limits of the attempt that begins.
  Status AppendBudget(const core::Budget& budget, int attempt);
  Status AppendBudgetEvent(const core::BudgetEvent& event);
  Status AppendRow(const core::LedgerRow& row);
  Status AppendRows(std::span<const core::LedgerRow> rows);
  /// Calls AddSignalVersion for this directory.
  Status WriteSignal(const core::IntensitySeries& signal, Time asked_at, bool is_final);
  /// Replaces the electricity prices of the run.
  Status WritePrices(const core::PriceSeries& prices);

 private:
  struct State;
  explicit RunDirectory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Makes `signal` the newest version of the run's settled signal, asked for at `asked_at` (wall
/// time). Earlier versions are kept. A signal that equals the newest version confirms it.
Status AddSignalVersion(const Path& directory, const core::IntensitySeries& signal, Time asked_at,
                        bool is_final);

/// True if the directory holds a run, readable or not.
bool HoldsRun(const Path& path);

/// True if a process is writing the run now. Versions of Ebb that took no lock are not detected:
/// false.
bool IsBeingWritten(const Path& path);

/// The folder itself if it holds a run; otherwise the folders below it that hold one, in order.
/// Runs inside of runs (members of a merged one) are not looked for. Fails if there is none.
Result<std::vector<Path>> FindRunDirectories(const Path& folder);

/// The results of a search for runs, in order.
struct FoundRuns {
  std::vector<Path> runs;
  std::vector<Path> broken;  ///< folders with parts of a run, but without run.json
  std::vector<Path> closed;  ///< folders that cannot be searched
};
/// FindRunDirectories, except that an empty result or an unreadable folder is not an error.
FoundRuns SearchForRuns(const Path& folder);

/// SHA-256 of run.json, with which the chains of the directory begin.
Result<std::string> RunDigest(const Path& directory);

/// True if Ebb itself writes a file or folder of this name into a run directory; false for files of
/// its program.
bool IsFileOfRun(std::string_view name);

/// Removes the contents of a run directory except files that its program wrote, so that a new run
/// can be made there.
Status RemoveRun(const Path& directory);

/// Reads a run back, together with the files that its training program wrote (progress.jsonl and
/// train_result.json). `notices` receives one sentence for each dropped part.
Result<core::RunRecord> ReadRun(const Path& path, std::vector<std::string>* notices = nullptr);

/// Reads again the parts that are asked for after a run has been read: its settled signal, the
/// versions of that signal, and its prices.
Status ReadSignalAnew(const Path& path, core::RunRecord& run);

/// Reads the request of a run and the times of its attempts, without its ledger. An attempt without
/// an end is kRunning and ends at its beginning.
Result<core::RunRecord> ReadRunHead(const Path& path);

}  // namespace ebb::report
