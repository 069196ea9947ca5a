#include "app/clouds/region_signals.h"

#include <algorithm>
#include <map>

#include "app/options/user_settings.h"
#include "signals/cloud_regions.h"
#include "signals/make_feed.h"

namespace ebb::app {
namespace {

Status RefusePlaces(const FlagValues& flags) {
  for (const char* flag : {"zone", "trace"})
    if (flags.contains(flag))
      return Fail({ExitCode::kUsage, "says one zone, and every cloud region has its own",
                   "--" + std::string(flag), "leave it out"});
  return {};
}

// Asks for one region, and notes what its source says.
Result<core::SignalView> Ask(const std::string& zone, FlagValues flags, Time now, Duration horizon,
                             std::vector<std::string>& notes) {
  flags["zone"] = zone;
  EBB_ASSIGN_OR_RETURN(const FlagValues all, WithSettings(flags, SettingsFor::kSignal));
  RunOptions options;
  EBB_RETURN_IF_ERROR(ApplyFlags(all, options));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
  auto view = feed->Observe(now, horizon);
  for (std::string& note : feed->TakeNotes())
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  if (!view) {
    Error error = view.error();
    error.where = zone + (error.where.empty() ? "" : ": " + error.where);
    return Fail(std::move(error));
  }
  view->now = now;
  return *std::move(view);
}

}  // namespace

Result<RegionGrids> AskRegions(const std::vector<std::string>& regions, const FlagValues& flags,
                               Time now, Duration horizon) {
  EBB_RETURN_IF_ERROR(RefusePlaces(flags));
  RegionGrids grids;
  // Regions of one zone have one signal, which is asked for once.
  std::map<std::string_view, std::size_t> of_zone;
  for (const std::string& region : regions) {
    EBB_ASSIGN_OR_RETURN(const signals::CloudRegion* known, signals::CloudRegionFromText(region));
    const auto [asked, is_new] = of_zone.emplace(known->zone, grids.regions.size());
    if (!is_new) {
      grids.regions.push_back({region, grids.regions[asked->second].view});
      continue;
    }
    EBB_ASSIGN_OR_RETURN(core::SignalView view,
                         Ask(std::string(known->zone), flags, now, horizon, grids.notes));
    grids.regions.push_back({region, std::move(view)});
  }
  return grids;
}

}  // namespace ebb::app
