#include "cli/cloud_tasks.h"

#include <algorithm>

#include "app/clouds/region_signals.h"
#include "base/text.h"
#include "cli/fitted_text.h"
#include "cli/local_times.h"
#include "cli/say.h"

namespace ebb::cli {
namespace {

std::string IntensityText(const sweep::RegionOutlook& outlook) {
  return outlook.expected ? FormatSignificant(outlook.expected->g_per_kwh, 3) : "unknown";
}

}  // namespace

Result<std::vector<sweep::CloudStart>> PlanCloudTasks(const sweep::Sweep& sweep,
                                                      const sweep::SkypilotOptions& options,
                                                      const app::FlagValues& signal, Time now) {
  std::vector<core::Job> jobs;
  Duration horizon{};
  for (const sweep::Experiment& experiment : sweep.experiments) {
    jobs.push_back(sweep::JobOf(sweep, experiment, now));
    horizon = std::max(horizon, sweep.TierOf(experiment).max_delay + experiment.duration);
  }
  EBB_ASSIGN_OR_RETURN(const app::RegionGrids grids,
                       app::AskRegions(options.regions, signal, now, horizon));
  for (const std::string& note : grids.notes) SayNote(note);
  return app::PlanRegions(std::move(jobs), grids.regions, options.at_once);
}

std::string CloudPlanText(const sweep::Sweep& sweep, const std::vector<sweep::CloudStart>& starts,
                          Time now) {
  const LocalTimes times = LocalTimes::Of(now);
  report::TextTable table;
  table.headers = {"experiment", "start", "region", "g/kWh", "next region", "g/kWh"};
  table.texts = {1, 2, 4};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto& regions = starts[i].regions;
    const bool has_next = regions.size() > 1;
    table.rows.push_back({sweep.experiments[i].name, times.Minute(starts[i].start),
                          regions.front().region, IntensityText(regions.front()),
                          has_next ? regions[1].region : "",
                          has_next ? IntensityText(regions[1]) : ""});
  }
  return FittedText(std::move(table));
}

}  // namespace ebb::cli
