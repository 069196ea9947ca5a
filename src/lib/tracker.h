#pragma once
// This process, measured by itself: what `ebb track` does for a command, for the program that calls
// it. The session of a command line (app/run/run_session.h) starts a program, waits for it and
// shows things; here nothing is started, waited for or shown, and what it has in common with a
// session comes from cli/.
//
// Thread contract: any thread; calls wait for each other. Samples are taken, accounted and stored
// on the sampler's thread, the only one that is started (a live signal has another). Signals are
// blocked in both.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/codecarbon_flags.h"
#include "base/result.h"
#include "base/units.h"
#include "core/budget.h"
#include "lib/local_rank.h"
#include "meter/sharing/utilisation.h"
#include "report/run/codecarbon_csv.h"

namespace ebb::lib {

struct TrackerOptions {
  app::FlagValues flags;  ///< of `ebb track`; unknown ones and those of budgets are an Error
  app::CodeCarbonSources codecarbon;
  std::string default_name;  ///< empty: the program's file name
};

/// What `options` come to, with nothing started or written.
struct EffectiveSettings {
  app::FlagValues flags;           ///< that differ from their defaults
  std::vector<std::string> notes;  ///< which of CodeCarbon's settings are ignored, and why
  std::string experiment_name;     ///< CodeCarbon's; empty: not given
  std::optional<LocalRank> rank;
  bool counted_elsewhere = false;  ///< by another rank of the job
};
Result<EffectiveSettings> ReadSettings(const TrackerOptions& options);

struct Totals {
  double duration_s = 0;
  Energy cpu, gpu, ram;  ///< IT
  core::BudgetUse use;   ///< of the facility, with emissions
  Power power;           ///< IT, mean over the latest sample
  meter::Utilisation mean;
};

/// The one column that a Tracker's row has beyond those of emissions.csv: kWh whose emissions are
/// unknown.
inline constexpr const char* kEnergyWithoutIntensity = "energy_without_intensity";

class Tracker {
 public:
  /// Null where another rank of the job counts all that this one would (local_rank.h).
  static Result<std::unique_ptr<Tracker>> Start(const TrackerOptions& options);
  /// Stops, as done, if that was not asked for.
  ~Tracker();

  const std::string& directory() const;
  const std::string& notes() const;  ///< as ebb_notes (ebb.h)
  Status MarkEpoch(int number);
  /// After a sample that is taken now.
  Totals Now();
  /// The same as a row of emissions.csv.
  report::EmissionsFields Row();
  bool stopped() const;
  /// Whatever is returned, measuring has ended and what was measured is stored as far as it can be.
  Result<Totals> Stop(int exit_code);

 private:
  struct State;
  explicit Tracker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::lib
