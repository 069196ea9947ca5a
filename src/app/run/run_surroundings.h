#pragma once
// What a run is held against and measured with: its signals, prices, grid clock and meters, opened
// from the options of a run, described in its directory, and stored there when it is over. Users:
// the session of a command line (run_session.h) and the library (lib/tracker.h).

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/options/run_options.h"
#include "base/result.h"
#include "core/run.h"
#include "meter/meters.h"
#include "prices/price_source.h"
#include "report/run/run_directory.h"
#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"

namespace ebb::app {

struct Surroundings {
  std::unique_ptr<runtime::SignalFeed> feed;
  std::unique_ptr<runtime::SignalFeed> other_feed;  ///< of the other kind; null: none
  std::optional<prices::PriceSource> prices;
  runtime::GridClock clock;
  meter::MeterSet meters;
};

/// `wall` must outlive what is returned. Options that contradict each other are an Error; so is a
/// source that cannot be read. `stop_asked` ends the wait for a live source's first answer.
Result<std::unique_ptr<Surroundings>> OpenSurroundings(const RunOptions& options,
                                                       runtime::Clock& wall, Time replay_begin,
                                                       const std::function<bool()>& stop_asked);

/// All that the run directory says of a new run but its command and training; with a new run_id.
core::RunSpec SpecOf(const RunOptions& options, const Surroundings& surroundings,
                     const std::string& name, Time created_wall);

/// Where the options place it.
std::filesystem::path DirectoryFor(const RunOptions& options, const core::RunSpec& spec);

/// What a report needs to know of the world around the run, stored, and then part of `run`: what
/// the directory holds.
Status StoreSurroundings(report::RunDirectory& directory, const Surroundings& surroundings,
                         core::RunRecord& run);

/// Of a run that could not wait: the hours around it, for what waiting would have brought
/// (report/run/had_it_waited.h); stored, and then part of `run`.
Status StoreOutlook(const std::filesystem::path& directory, const Surroundings& surroundings,
                    core::RunRecord& run);

}  // namespace ebb::app
