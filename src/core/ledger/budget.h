#pragma once
// A limit on the energy or the emissions of one run, over all its attempts: the use that counts
// against it, and the events that it caused. The watch that acts is runtime/budget_watch.h.
//
// A budget counts facility energy (IT energy x PUE) and the grams of the signal that decides, as
// the run's emissions do. Energy whose intensity is unknown counts at the highest intensity that
// the run has met, because a budget errs on the side of stopping; totals and reports never do that.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/ledger/ledger.h"

namespace ebb::core {

/// Ebb's action when a budget is used up.
enum class BudgetAction {
  kLog,    ///< Ebb records it, and the run goes on
  kStop,   ///< Ebb asks the program to write a checkpoint; the run goes on only with a larger
           ///< budget
  kPause,  ///< like kStop, but a resume is enough to go on
};
enum class BudgetMeasure { kEnergy, kEmissions };
enum class BudgetLevel {
  kWarning,    ///< 80 % are used
  kReached,    ///< the budget is used up, or would be before the next look and the checkpoint
  kKilled,     ///< the program did not end in its grace period, or overran the limit in it
  kUnwatched,  ///< emissions cannot be watched because the run has met no intensity yet
};
std::string_view Name(BudgetAction action);
std::string_view Name(BudgetMeasure measure);
std::string_view Name(BudgetLevel level);
/// Unit of the measure: "kWh", "g".
std::string_view UnitOf(BudgetMeasure measure);
std::optional<BudgetAction> BudgetActionFromName(std::string_view name);
std::vector<std::string> BudgetActionNames();
std::optional<BudgetMeasure> BudgetMeasureFromName(std::string_view name);
std::optional<BudgetLevel> BudgetLevelFromName(std::string_view name);

struct Budget {
  std::optional<Energy> energy;  ///< limit of facility energy
  std::optional<Emissions> emissions;
  BudgetAction action = BudgetAction::kStop;
  /// Time for the program between SIGTERM and SIGKILL.
  Duration grace{std::chrono::seconds{30}};

  bool empty() const { return !energy && !emissions; }
  /// The limit in kWh or g.
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
  double limit = 0;     ///< limit in kWh or g
  double used = 0;      ///< use in kWh or g, by the last sample
  double expected = 0;  ///< expected use by the next sample and the grace period, in the same unit
};

/// The amount with its unit: "2.00 kWh".
std::string AmountText(double amount, BudgetMeasure measure);
std::string LimitText(const BudgetEvent& event);
/// The event as a line without an end: "budget warning: 1.60 kWh of 2.00 kWh are used".
std::string BudgetText(const BudgetEvent& event);

struct BudgetUse {
  Energy energy;                     ///< energy of the facility
  Emissions emissions;               ///< emissions of the part with known intensity
  Energy without_intensity;          ///< the part of `energy` with unknown intensity
  std::optional<Intensity> highest;  ///< highest intensity that the run has met

  BudgetUse& operator+=(const BudgetUse& other);
  /// The use in kWh or g. nullopt if emissions are unknown: the run used energy and has met no
  /// intensity.
  std::optional<double> Of(BudgetMeasure measure) const;
};
BudgetUse UseOf(const std::vector<LedgerRow>& rows);

/// A run's budget as its directory records it.
struct BudgetRecord {
  std::optional<Budget> budget;  ///< the budget in force; a resume may have raised it
  std::vector<BudgetEvent> events;
};

/// The event that stopped the run at a limit that `budget` does not raise; nullptr if the run may
/// go on.
const BudgetEvent* StoppedBy(const BudgetRecord& record, const Budget& budget);

}  // namespace ebb::core
