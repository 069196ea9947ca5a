#pragma once
// Measures the process that calls it: `ebb track` as a library. The session of a command line
// (app/run/run_session.h) starts a program, waits for it and shows its progress; a tracker does
// none of these. Code that both need is in app/.
//
// Thread contract: any thread; calls wait for each other. Samples are taken, accounted and stored
// on the sampler's thread, the only one that is started (a live signal has another). Signals are
// blocked in both.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/codecarbon_flags.h"
#include "app/run/local_rank.h"
#include "base/result.h"
#include "base/units.h"
#include "core/ledger/budget.h"
#include "core/ledger/work.h"
#include "meter/sharing/utilisation.h"
#include "report/run/codecarbon_csv.h"

namespace ebb::lib {

struct TrackerOptions {
  app::FlagValues flags;  ///< flags of `ebb track`; unknown flags and those of budgets are an Error
  app::CodeCarbonSources codecarbon;
  std::string default_name;  ///< empty: the program's file name
};

/// The settings that result from `options`; reading them starts and writes nothing.
struct EffectiveSettings {
  app::FlagValues flags;           ///< flags that differ from their defaults
  std::vector<std::string> notes;  ///< CodeCarbon settings that are ignored, and why
  std::string experiment_name;     ///< CodeCarbon's experiment name; empty: not given
  std::optional<app::LocalRank> rank;
  bool counted_elsewhere = false;  ///< true if another rank of the job counts the machine
};
Result<EffectiveSettings> ReadSettings(const TrackerOptions& options);

struct Totals {
  double duration_s = 0;
  Energy cpu, gpu, ram;  ///< energy of the IT equipment
  core::BudgetUse use;   ///< energy and emissions of the facility
  Power power;           ///< IT power, mean over the latest sample
  meter::Utilisation mean;
};

/// The one column of a Tracker's row that emissions.csv does not have: energy in kWh whose
/// emissions are unknown.
inline constexpr const char* kEnergyWithoutIntensity = "energy_without_intensity";

class Tracker {
 public:
  /// Null if another rank of the job counts everything that this tracker would
  /// (app/run/local_rank.h).
  static Result<std::unique_ptr<Tracker>> Start(const TrackerOptions& options);
  /// Stops with exit code 0 if Stop was not called.
  ~Tracker();

  const std::string& directory() const;
  const std::string& notes() const;  ///< as ebb_notes (ebb.h) gives them
  Status MarkEpoch(int number);
  /// Counts work that was done since the last call; a count of zero is none, or unknown. Does not
  /// wait for other calls.
  Status AddWork(const core::Work& work);
  /// Takes a sample first.
  Totals Now();
  /// Takes a sample, and returns the totals as a row of emissions.csv.
  report::EmissionsFields Row();
  bool stopped() const;
  /// When this returns, even with an Error, measuring has ended and the measurements are stored as
  /// far as possible.
  Result<Totals> Stop(int exit_code);

 private:
  struct State;
  explicit Tracker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::lib
