#pragma once
// Figures of ended jobs and runs, as ebb history and ebb runs show them.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/ledger/work.h"
#include "report/table_columns.h"

namespace ebb::cli {

/// "1.20 g"; "-300 mg" if it emitted more.
std::string SavedText(Emissions saved);

/// Figures in the units of files.
inline double KilowattHours(Energy energy) { return energy.kwh(); }
inline double Grams(Emissions emissions) { return emissions.grams; }
/// The text of a figure; empty if it is unknown.
template <typename T, typename Text>
std::string Maybe(const std::optional<T>& value, Text text) {
  return value ? text(*value) : std::string();
}

/// The use by `unit`; nullptr: the program did not report it.
const core::UnitUse* UseOf(core::WorkUnit unit, const std::vector<core::UnitUse>& uses);

/// The columns of a unit of work: its count, its energy and its emissions, for rows that have
/// `per_unit`. A row without the unit has empty cells, and no keys of it in JSON.
template <typename Row>
void AddWorkColumns(core::WorkUnit unit, std::vector<report::Column<Row>>& columns) {
  const auto plain = [unit](auto figure) {
    return [unit, figure](const Row& row) {
      const core::UnitUse* use = UseOf(unit, row.per_unit);
      return use ? report::Plain(figure(*use)) : report::Omitted{};
    };
  };
  const auto shown = [unit](auto text) {
    return [unit, text](const Row& row) {
      const core::UnitUse* use = UseOf(unit, row.per_unit);
      return use ? text(*use) : std::string();
    };
  };
  const std::string count = std::string(core::Name(unit)) + "s";
  const std::string energy = core::EnergyPerKey(unit), emissions = core::EmissionsPerKey(unit);
  columns.push_back({count, plain([](const core::UnitUse& use) { return use.count; }), count});
  columns.push_back(
      {energy, plain([](const core::UnitUse& use) { return use.joules; }), energy,
       shown([](const core::UnitUse& use) { return core::EnergyPerText(use.unit, use.joules); })});
  columns.push_back({emissions, plain([](const core::UnitUse& use) {
                       return use.grams ? report::Plain(*use.grams) : report::Plain();
                     }),
                     emissions, shown([](const core::UnitUse& use) {
                       return use.grams ? core::EmissionsPerText(use.unit, *use.grams)
                                        : std::string();
                     })});
}

/// Begins the sums of jobs on a replayed grid clock, which are never added to real ones.
inline constexpr const char* kReplayed = "on a replayed grid clock: ";

/// Sums of known figures, and counts of unknown ones.
class PastTotals {
 public:
  void Add(std::optional<Energy> energy, std::optional<Emissions> emissions,
           std::optional<Emissions> saved, const std::string& outcome);
  /// "3 jobs: 2 succeeded, 1 failed; 1.20 kWh, 480 g, 35.0 g saved". `what` is the word for one of
  /// them.
  std::string Line(const std::string& what) const;
  bool IsEmpty() const { return all_ == 0; }

 private:
  std::map<std::string, long long> outcomes_;
  long long all_ = 0, without_emissions_ = 0, without_saving_ = 0;
  long long with_emissions_ = 0, with_saving_ = 0;
  Energy energy_;
  Emissions emissions_, saved_;
};

/// The value of --limit, or `otherwise` if it is empty.
Result<long long> LimitOf(const std::string& text, long long otherwise);

}  // namespace ebb::cli
