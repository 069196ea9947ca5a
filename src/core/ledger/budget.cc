#include "core/ledger/budget.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "base/text.h"
#include "base/units_text.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 3> kActionNames{"log", "stop", "pause"};
constexpr std::array<std::string_view, 2> kMeasureNames{"energy", "emissions"};
constexpr std::array<std::string_view, 4> kLevelNames{"warning", "reached", "killed", "unwatched"};

}  // namespace

std::string_view Name(BudgetAction action) {
  return kActionNames[static_cast<std::size_t>(action)];
}
std::string_view Name(BudgetMeasure measure) {
  return kMeasureNames[static_cast<std::size_t>(measure)];
}
std::string_view Name(BudgetLevel level) { return kLevelNames[static_cast<std::size_t>(level)]; }
std::string_view UnitOf(BudgetMeasure measure) {
  return measure == BudgetMeasure::kEnergy ? "kWh" : "g";
}
std::optional<BudgetAction> BudgetActionFromName(std::string_view name) {
  return EnumFromName<BudgetAction>(kActionNames, name);
}
std::vector<std::string> BudgetActionNames() { return {kActionNames.begin(), kActionNames.end()}; }
std::optional<BudgetMeasure> BudgetMeasureFromName(std::string_view name) {
  return EnumFromName<BudgetMeasure>(kMeasureNames, name);
}
std::optional<BudgetLevel> BudgetLevelFromName(std::string_view name) {
  return EnumFromName<BudgetLevel>(kLevelNames, name);
}

std::optional<double> Budget::Limit(BudgetMeasure measure) const {
  if (measure == BudgetMeasure::kEnergy && energy) return energy->kwh();
  if (measure == BudgetMeasure::kEmissions && emissions) return emissions->grams;
  return std::nullopt;
}

BudgetUse& BudgetUse::operator+=(const BudgetUse& other) {
  energy += other.energy;
  emissions += other.emissions;
  without_intensity += other.without_intensity;
  if (other.highest) highest = std::max(highest.value_or(*other.highest), *other.highest);
  return *this;
}

std::optional<double> BudgetUse::Of(BudgetMeasure measure) const {
  if (measure == BudgetMeasure::kEnergy) return energy.kwh();
  if (without_intensity == Energy{}) return emissions.grams;
  if (!highest) return std::nullopt;
  return emissions.grams + without_intensity.kwh() * highest->g_per_kwh;
}

BudgetUse UseOf(const std::vector<LedgerRow>& rows) {
  BudgetUse use;
  for (const LedgerRow& row : rows) {
    const Energy facility = Energy::Joules(row.energy.joules() * row.pue.ratio);
    BudgetUse of_row{facility, row.emissions().value_or(Emissions{}), {}, row.intensity};
    if (!row.intensity) of_row.without_intensity = facility;
    use += of_row;
  }
  return use;
}

std::string AmountText(double amount, BudgetMeasure measure) {
  if (measure == BudgetMeasure::kEnergy) return EnergyText(Energy::Joules(amount * 3.6e6));
  return EmissionsText({amount});
}

std::string LimitText(const BudgetEvent& event) { return AmountText(event.limit, event.measure); }

std::string BudgetText(const BudgetEvent& event) {
  const std::string limit = LimitText(event);
  std::string used = AmountText(event.used, event.measure) + " of " + limit + " are used";
  switch (event.level) {
    case BudgetLevel::kWarning:
      return "budget warning: " + used;
    case BudgetLevel::kReached:
      if (event.action == BudgetAction::kLog) return "budget reached: " + used;
      return "budget reached: " + used + ", and the next sample and the checkpoint may take " +
             AmountText(event.expected, event.measure) + "; the program was asked to end";
    case BudgetLevel::kKilled:
      return "budget: " + used + "; the program had not ended and was killed";
    case BudgetLevel::kUnwatched:
      return "the budget of " + limit + " cannot be watched: the carbon intensity is unknown";
  }
  return used;
}

const BudgetEvent* StoppedBy(const BudgetRecord& record, const Budget& budget) {
  for (const BudgetEvent& event : record.events) {
    if (event.level != BudgetLevel::kReached || event.action != BudgetAction::kStop) continue;
    const auto limit = budget.Limit(event.measure);
    if (limit && *limit <= event.limit) return &event;
  }
  return nullptr;
}

}  // namespace ebb::core
