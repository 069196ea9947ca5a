#pragma once
// The signals, prices, grid clock and meters of a run. They are opened from the options of a run,
// described in its directory, and stored there at its end. Users: the session of a command line
// (run_session.h) and the library (lib/tracker.h). Waiting alone needs no meters: GateSide.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/options/run_options.h"
#include "base/result.h"
#include "core/run/run.h"
#include "meter/meters.h"
#include "plan/gate_policy.h"
#include "prices/price_source.h"
#include "report/run/run_directory.h"
#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"

namespace ebb::app {

/// The part of a run's surroundings that the gate looks at.
struct GateSide {
  GateSide(std::unique_ptr<runtime::SignalFeed> signal, runtime::Clock& wall,
           const core::GridClockSettings& settings)
      : feed(std::move(signal)), clock(wall, settings) {}

  std::unique_ptr<runtime::SignalFeed> feed;
  std::optional<prices::PriceSource> prices;
  runtime::GridClock clock;
};

struct Surroundings : GateSide {
  using GateSide::GateSide;

  std::unique_ptr<runtime::SignalFeed> other_feed;  ///< signal of the other kind; nullptr if there
                                                    ///< is none
  meter::MeterSet meters;
};

/// `wall` must outlive the result. Errors as those of OpenSurroundings.
Result<std::unique_ptr<GateSide>> OpenGateSide(const RunOptions& options, runtime::Clock& wall,
                                               Time replay_begin,
                                               const std::function<bool()>& stop_asked);

/// The request of a run that is submitted now: when it may start at the latest, and how long it
/// takes.
plan::GateRequest RequestNow(const config::SchedulerConfig& scheduler,
                             const runtime::GridClock& clock);

/// `wall` must outlive the result. An Error if options contradict each other or a source cannot be
/// read. `stop_asked` ends the wait for a live source's first answer.
Result<std::unique_ptr<Surroundings>> OpenSurroundings(const RunOptions& options,
                                                       runtime::Clock& wall, Time replay_begin,
                                                       const std::function<bool()>& stop_asked);

/// The specification of a new run, without its command and training, and with a new run_id.
core::RunSpec SpecOf(const RunOptions& options, const Surroundings& surroundings,
                     const std::string& name, Time created_wall);

/// The directory in which the options place the run.
std::filesystem::path DirectoryFor(const RunOptions& options, const core::RunSpec& spec);

/// Stores the signals and prices that a report needs, and adds them to `run`, which is the content
/// of the directory.
Status StoreSurroundings(report::RunDirectory& directory, const Surroundings& surroundings,
                         core::RunRecord& run);

/// For a run that could not wait: stores the hours around it, from which the effect of waiting is
/// computed (report/run/had_it_waited.h), and adds them to `run`.
Status StoreOutlook(const std::filesystem::path& directory, const Surroundings& surroundings,
                    core::RunRecord& run);

}  // namespace ebb::app
