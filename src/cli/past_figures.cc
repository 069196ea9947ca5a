#include "cli/past_figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "base/units_text.h"

namespace ebb::cli {
namespace {

// A larger request needs another tool.
constexpr long long kMostListed = 10'000'000;

// Unknown is not zero: the sums cover only the other jobs.
std::string Without(const char* figure, long long count) {
  return count == 0 ? "" : std::string("; ") + figure + " unknown for " + std::to_string(count);
}

}  // namespace

std::string SavedText(Emissions saved) {
  return (saved.grams < 0 ? "-" : "") + EmissionsText({std::abs(saved.grams)});
}

const core::UnitUse* UseOf(core::WorkUnit unit, const std::vector<core::UnitUse>& uses) {
  const auto use = std::ranges::find(uses, unit, &core::UnitUse::unit);
  return use == uses.end() ? nullptr : &*use;
}

void PastTotals::Add(std::optional<Energy> energy, std::optional<Emissions> emissions,
                     std::optional<Emissions> saved, const std::string& outcome) {
  ++all_;
  ++outcomes_[outcome];
  if (!energy || *energy == Energy{}) return;  // a job without energy has no unknown emissions
  energy_ += *energy;
  if (emissions) emissions_ += *emissions;
  if (saved) saved_ += *saved;
  without_emissions_ += emissions ? 0 : 1;
  without_saving_ += saved ? 0 : 1;
  with_emissions_ += emissions ? 1 : 0;
  with_saving_ += saved ? 1 : 0;
}

std::string PastTotals::Line(const std::string& what) const {
  std::vector<std::string> counts;
  for (const auto& [outcome, count] : outcomes_)
    counts.push_back(std::to_string(count) + " " + outcome);
  std::string text = std::to_string(all_) + " " + what + (all_ == 1 ? "" : "s") + ": " +
                     Join(counts, ", ") + "; " + EnergyText(energy_) + ", " +
                     (with_emissions_ == 0 && without_emissions_ > 0 ? "emissions unknown"
                                                                     : EmissionsText(emissions_));
  if (with_saving_ == 0 && without_saving_ > 0) return text + ", saving unknown\n";
  if (saved_.grams >= 0)
    text += ", " + EmissionsText(saved_) + " saved";
  else
    text += ", " + EmissionsText({-saved_.grams}) + " more than at submission";
  return text + Without("emissions", without_emissions_) + Without("saving", without_saving_) +
         "\n";
}

Result<long long> LimitOf(const std::string& text, long long otherwise) {
  if (text.empty()) return otherwise;
  const auto number = ParseInteger(text);
  if (number && *number >= 1 && *number <= kMostListed) return *number;
  return Fail({ExitCode::kUsage, Quoted(text) + " is not a number of rows", "--limit",
               "give a whole number from 1 on"});
}

}  // namespace ebb::cli
