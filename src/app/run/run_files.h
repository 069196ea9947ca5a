#pragma once
// What is written into every run directory beside the measurements: the flags that restore a run,
// the settled signal around it, and the views that are derived from its ledger.

#include <filesystem>

#include "app/options/run_options.h"
#include "base/result.h"
#include "core/run.h"
#include "meter/meters.h"
#include "prices/price_source.h"
#include "report/run/run_directory.h"
#include "report/run/summary.h"
#include "runtime/signal_feed.h"

namespace ebb::app {

inline constexpr const char* kOptionsFile = "options.json";

Status WriteFlags(const std::filesystem::path& file, const FlagValues& flags);
Result<FlagValues> ReadFlags(const std::filesystem::path& file);
/// Those of a run directory, as options.
Result<RunOptions> ReadOptions(const std::filesystem::path& directory);

/// What the run directory says of how a run is measured.
void DescribeMetering(const config::MeteringConfig& metering, const meter::MeterSet& meters,
                      core::RunSpec& spec);

/// The time around a run of which its reports tell: from before submission to after the latest
/// possible end.
Interval TimeAround(const core::RunRecord& run);
/// The part of it of which the signal is settled by `now` (wall time): on the real clock nobody
/// knows the future in hindsight, whatever a generated source says of it.
Interval SettledAround(const core::RunRecord& run, Time now);
/// Whether it seems to go on: an attempt has no end, and its ledger grew a short while ago.
bool StillRuns(const core::RunRecord& run, Time now);
/// Whether a version of the signal that was asked for at `asked_at` will be revised no more.
bool IsFinal(const core::RunRecord& run, bool revises, Time asked_at);

/// The signal over that time as far as it is settled, so that a run directory explains itself.
Status StoreSignal(report::RunDirectory& directory, const core::RunRecord& run,
                   runtime::SignalFeed& feed);

/// The same for what electricity cost.
Status StorePrices(report::RunDirectory& directory, const core::RunRecord& run,
                   const prices::PriceSource& prices);

struct RunViews {
  core::RunRecord record;
  report::Summary summary;
};
/// summary.json, summary_<name>.json and emissions.csv, derived again, and the directory sealed.
/// `run` is what the directory holds.
Result<RunViews> WriteViews(const std::filesystem::path& directory, core::RunRecord run);
/// The same of a run that is read for it.
Result<RunViews> WriteViews(const std::filesystem::path& directory);

}  // namespace ebb::app
