#pragma once
// A series of hours with the typical day as it was known at each of them: the exponentially
// weighted mean of the same hour of the day. Every number depends only on earlier values. Pure.

#include <cstddef>
#include <vector>

namespace ebb::forecast {

inline constexpr std::size_t kHoursPerDay = 24;

class TypicalDays {
 public:
  /// Appends an hour. If it does not count, the typical day stays as it was.
  void Append(double value, bool counts = true);
  void Truncate(std::size_t size);

  std::size_t size() const { return values_.size(); }
  double value(std::size_t hour) const { return values_[hour]; }
  /// The typical value at `hour`, including this hour's value.
  double typical(std::size_t hour) const { return typical_[hour]; }
  /// The typical value of the hour after the last one.
  double Next() const;
  /// The mean of the typical day as it stands at `hour`, which must be at least 23; 1 if that mean
  /// is not above zero.
  double Level(std::size_t hour) const;
  /// The typical value of the hour issue + 1 + lead as it stands at `issue`.
  double Ahead(std::size_t issue, std::size_t lead) const {
    return typical_[issue + 1 + lead % kHoursPerDay - kHoursPerDay];
  }

 private:
  std::vector<double> values_, typical_;
};

}  // namespace ebb::forecast
