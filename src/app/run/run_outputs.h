#pragma once
// Writes a run's figures outside its run directory: a shared emissions.csv at the end, and
// Prometheus metrics during the run. A failure is reported and does not harm the run: the run
// directory has everything, and `ebb summary RUN_DIR --emissions-file FILE` writes the row later.

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/result.h"
#include "core/run/run.h"
#include "report/run/prometheus_text.h"
#include "report/run/summary.h"

namespace ebb::app {

/// Checks the outputs before a run begins. An Error if a directory cannot be written, so that this
/// does not show only after hours.
Status CheckOutputs(const RunOptions& options);

/// Adds the run to the shared emissions.csv, if one is wanted. Returns a sentence for each thing
/// that was done beside writing the row, or the reason why the row could not be written.
std::vector<std::string> PublishEmissions(const RunOptions& options, const core::RunRecord& run,
                                          const report::Summary& summary,
                                          const std::filesystem::path& run_directory);

/// Writes a run's figures for Prometheus every ten seconds. One thread.
class PrometheusExport {
 public:
  /// `before`: the measurements of earlier attempts of the run.
  PrometheusExport(const RunOptions& options, const core::RunSpec& spec,
                   const core::RunRecord& before);
  void OnRows(std::span<const core::LedgerRow> rows);
  /// Writes if it is time to; reports a failure once.
  std::optional<std::string> OnTick(Duration elapsed);
  /// Writes a last time at the end of the run.
  std::optional<std::string> OnEnd(Duration elapsed);

 private:
  bool wanted() const { return !file_.empty() || !url_.empty(); }
  std::optional<std::string> Write(Duration elapsed);
  Status Push(const std::string& text) const;

  std::string file_, url_, project_name_, run_id_;
  Duration ran_before_{};
  report::PrometheusTotals totals_, written_;
  std::chrono::steady_clock::time_point next_{};
  std::chrono::seconds pause_;
  bool failed_ = false;
};

}  // namespace ebb::app
