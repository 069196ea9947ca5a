#pragma once
// Figures of ended jobs and runs, as ebb history and ebb runs show them.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/work.h"

namespace ebb::cli {

/// "1.20 g"; "-300 mg" if it emitted more.
std::string SavedText(Emissions saved);

/// Columns of CSV in plain units: for each unit of work its count, its energy in J and its
/// emissions in g; empty cells: unknown.
std::vector<std::string> WorkHeaders();
std::vector<std::string> WorkCells(const std::vector<core::UnitUse>& uses);

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
