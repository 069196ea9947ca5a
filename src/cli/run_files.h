#pragma once
// What is written into every run directory beside the measurements: the flags that restore a run,
// the settled signal around it, and the views that are derived from its ledger.

#include <filesystem>

#include "base/result.h"
#include "cli/run_options.h"
#include "core/run.h"
#include "meter/meters.h"
#include "prices/price_source.h"
#include "report/run_directory.h"
#include "report/summary.h"
#include "runtime/signal_feed.h"

namespace ebb::cli {

inline constexpr const char* kOptionsFile = "options.json";

Status WriteFlags(const std::filesystem::path& file, const FlagValues& flags);
Result<FlagValues> ReadFlags(const std::filesystem::path& file);

/// What the run directory says of how a run is measured.
void DescribeMetering(const config::MeteringConfig& metering, const meter::MeterSet& meters,
                      core::RunSpec& spec);

/// The signal from before submission to after the latest possible end, as far as it is settled:
/// what the counterfactuals and plots of a report need, so that a run directory explains itself.
Status StoreSignal(report::RunDirectory& directory, runtime::SignalFeed& feed);

/// The same for what electricity cost.
Status StorePrices(report::RunDirectory& directory, const prices::PriceSource& prices);

struct RunViews {
  core::RunRecord record;
  report::Summary summary;
  std::vector<std::string> notices;
};
/// summary.json, summary_<name>.json and emissions.csv, derived again.
Result<RunViews> WriteViews(const std::filesystem::path& directory);

}  // namespace ebb::cli
