#pragma once
// The cheapest bits of work for a job that may be split: a bit is the work that it can do in one
// step of time, on the pool where that costs least. An elastic job has a bit for each of its widths
// and steps: the work that its further devices add. Private to the bound.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/bound/lower_bound.h"
#include "plan/problem/lowest.h"

namespace ebb::plan {

class CheapestBits {
 public:
  struct Bit {
    double price = 0;  ///< per hour of work
    double work_hours = 0;
    double devices = 0;  ///< device-hours per hour of work
    std::size_t pool = 0, step = 0;
  };

  /// Finds the bits of a job under `rents`, by pool and step. Keeps its memory for the next job.
  void Find(const BoundInput& input, const BoundJob& job,
            const std::vector<std::vector<double>>& rents);
  /// Takes the cheapest of the bits that are left; nullopt if none is.
  std::optional<Bit> Take();

 private:
  // The further devices of a width, and what they add to the speed.
  struct Width {
    double devices = 0, speed = 0;
  };
  // A choice and the steps that it can use at least in part.
  struct Option {
    const BoundChoice* choice = nullptr;
    std::size_t first = 0, end = 0;
  };

  void FindOptions(const BoundInput& input, const BoundJob& job);
  void FillHours(const PriceCurve& curve, const BoundJob& job);
  void FillPrices(const BoundInput& input, const BoundJob& job, const std::vector<double>& rent,
                  const Option& option, std::int64_t index);

  std::vector<Width> widths_;
  std::vector<Option> options_;
  std::size_t first_ = 0, end_ = 0;     ///< steps that any choice can use
  std::vector<double> hours_;           ///< hours of work by step at speed 1 of the width
  RowToTakeFrom prices_;                ///< by width and step from the first
  std::vector<std::int64_t> cheapest_;  ///< the option of each price
};

}  // namespace ebb::plan
