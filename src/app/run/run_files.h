#pragma once
// Writes the files of a run directory beside the measurements: the flags that restore a run, the
// settled signal around it, and the views that are derived from its ledger.

#include <filesystem>

#include "app/options/run_options.h"
#include "base/result.h"
#include "core/run/run.h"
#include "meter/meters.h"
#include "prices/price_source.h"
#include "report/run/run_directory.h"
#include "report/run/summary.h"
#include "runtime/signal_feed.h"

namespace ebb::app {

inline constexpr const char* kOptionsFile = "options.json";

Status WriteFlags(const std::filesystem::path& file, const FlagValues& flags);
Result<FlagValues> ReadFlags(const std::filesystem::path& file);
/// The stored flags of a run directory, as options.
Result<RunOptions> ReadOptions(const std::filesystem::path& directory);

/// Fills the fields of a run directory that say how the run is measured.
void DescribeMetering(const config::MeteringConfig& metering, const meter::MeterSet& meters,
                      core::RunSpec& spec);

/// The time that the reports of a run cover: from before the submission to after its latest
/// possible end.
Interval TimeAround(const core::RunRecord& run);
/// The part of that time whose signal is settled at `now` (wall time). On the real clock, future
/// values are never settled, whatever a generated source gives for them.
Interval SettledAround(const core::RunRecord& run, Time now);
/// True if the run seems to be running: an attempt has no end, and its ledger grew a short while
/// ago.
bool StillRuns(const core::RunRecord& run, Time now);
/// True if a version of the signal that was requested at `asked_at` will not be revised any more.
bool IsFinal(const core::RunRecord& run, bool revises, Time asked_at);

/// Stores the settled signal around the run, so that the run directory explains itself.
Status StoreSignal(report::RunDirectory& directory, const core::RunRecord& run,
                   runtime::SignalFeed& feed);

/// Stores the electricity prices of the same time.
Status StorePrices(report::RunDirectory& directory, const core::RunRecord& run,
                   const prices::PriceSource& prices);

struct RunViews {
  core::RunRecord record;
  report::Summary summary;
};
/// Derives summary.json, summary_<name>.json and emissions.csv again, and seals the directory.
/// `run` is the content of the directory.
Result<RunViews> WriteViews(const std::filesystem::path& directory, core::RunRecord run);
/// Reads the run and does the same.
Result<RunViews> WriteViews(const std::filesystem::path& directory);

}  // namespace ebb::app
