#include "cli/slurm_grid.h"

#include "app/options/user_settings.h"
#include "signals/make_feed.h"

namespace ebb::cli {

Result<SlurmGrid> LookAtGrid(const std::string& zone, Time now, Duration horizon) {
  app::FlagValues given;
  if (!zone.empty()) given["zone"] = zone;
  EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                       app::WithSettings(given, app::SettingsFor::kSignal));
  app::RunOptions options;
  EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
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
