#include "cli/slurm_grid.h"

#include "app/options/user_settings.h"
#include "signals/make_feed.h"

namespace ebb::cli {

namespace {

Result<signals::SignalOptions> SignalOf(const std::string& zone) {
  app::FlagValues given;
  if (!zone.empty()) given["zone"] = zone;
  EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                       app::WithSettings(given, app::SettingsFor::kSignal));
  app::RunOptions options;
  EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
  return options.scheduler.signal;
}

}  // namespace

Result<std::string> ZoneOfCluster(const std::string& zone) {
  EBB_ASSIGN_OR_RETURN(const signals::SignalOptions options, SignalOf(zone));
  EBB_RETURN_IF_ERROR(signals::MakeFeed(options));
  return options.zone;
}

Result<SlurmGrid> LookAtGrid(const std::string& zone, Time now, Duration horizon) {
  EBB_ASSIGN_OR_RETURN(const signals::SignalOptions options, SignalOf(zone));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options));
  SlurmGrid grid;
  auto view = feed->Observe(now, horizon);
  grid.notes = feed->TakeNotes();
  if (view)
    grid.view = *std::move(view);
  else
    grid.notes.push_back(view.error().Message());
  grid.is_known = view.has_value();
  grid.view.now = now;
  grid.next_change = feed->NextChange(now);
  return grid;
}

}  // namespace ebb::cli
