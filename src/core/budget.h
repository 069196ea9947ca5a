#pragma once
// A limit on the energy or the emissions of one run, over all its attempts: what is counted against
// it, and what happened because of it. The watch that acts is runtime/budget_watch.h.
//
// What counts is what emissions count: facility energy (IT energy x PUE), and the grams of the
// signal that decides. Energy whose intensity is unknown counts at the highest intensity the run
// has met, since a budget errs on the side of stopping; totals and reports never do that.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/ledger.h"

namespace ebb::core {

/// What happens when a budget is used up.
enum class BudgetAction {
  kLog,    ///< it is recorded, and the run goes on
  kStop,   ///< the program is asked to write a checkpoint; goes on only with a larger budget
  kPause,  ///< the same, but a resume is all it takes to go on
};
enum class BudgetMeasure { kEnergy, kEmissions };
enum class BudgetLevel {
  kWarning,    ///< 80 % are used
  kReached,    ///< it is used up, or would be before the next look and the checkpoint
  kKilled,     ///< the program did not end in its grace period, or overran the limit in it
  kUnwatched,  ///< emissions cannot be watched: the run has met no intensity yet
};
std::string_view Name(BudgetAction action);
std::string_view Name(BudgetMeasure measure);
std::string_view Name(BudgetLevel level);
/// "kWh", "g"
std::string_view UnitOf(BudgetMeasure measure);
std::optional<BudgetAction> BudgetActionFromName(std::string_view name);
std::vector<std::string> BudgetActionNames();
std::optional<BudgetMeasure> BudgetMeasureFromName(std::string_view name);
std::optional<BudgetLevel> BudgetLevelFromName(std::string_view name);

struct Budget {
  std::optional<Energy> energy;  ///< of the facility
  std::optional<Emissions> emissions;
  BudgetAction action = BudgetAction::kStop;
  /// What the program has between SIGTERM and SIGKILL.
  Duration grace{std::chrono::seconds{30}};

  bool empty() const { return !energy && !emissions; }
  /// In kWh or g.
  std::optional<double> Limit(BudgetMeasure measure) const;
  friend bool operator==(const Budget&, const Budget&) = default;
};

/// One crossing. It is recorded once per measure, level and limit, over all attempts of a run.
struct BudgetEvent {
  BudgetLevel level = BudgetLevel::kWarning;
  BudgetMeasure measure = BudgetMeasure::kEnergy;
  BudgetAction action = BudgetAction::kLog;
  int attempt = 1;
  Time wall{};
  Time grid{};
  double limit = 0;     ///< kWh or g
  double used = 0;      ///< kWh or g, by the last sample
  double expected = 0;  ///< what the next sample and the grace period were expected to add
};

/// "2.00 kWh"
std::string AmountText(double amount, BudgetMeasure measure);
std::string LimitText(const BudgetEvent& event);
/// "budget warning: 1.60 kWh of 2.00 kWh are used", one line without an end.
std::string BudgetText(const BudgetEvent& event);

/// What a run has used so far.
struct BudgetUse {
  Energy energy;                     ///< of the facility
  Emissions emissions;               ///< of the part with known intensity
  Energy without_intensity;          ///< part of `energy`
  std::optional<Intensity> highest;  ///< that the run has met

  BudgetUse& operator+=(const BudgetUse& other);
  /// In kWh or g. Nothing if emissions cannot be said: energy was used, and no intensity was met.
  std::optional<double> Of(BudgetMeasure measure) const;
};
BudgetUse UseOf(const std::vector<LedgerRow>& rows);

/// A run's budget as its directory tells it.
struct BudgetRecord {
  std::optional<Budget> budget;  ///< the one in force; a resume may have raised it
  std::vector<BudgetEvent> events;
};

/// What stopped the run at a limit that `budget` does not raise; nothing when it may go on.
const BudgetEvent* StoppedBy(const BudgetRecord& record, const Budget& budget);

}  // namespace ebb::core
