#include "local/readings/reading_check.h"

#include <algorithm>

namespace ebb::local {
namespace {

constexpr double kMostWatts = 20'000;
constexpr Duration kCounterStep{1000};
constexpr Duration kClockSlack{1000};
constexpr Duration kLongest = std::chrono::days{366};

double MostJoules(Duration time) { return kMostWatts * Seconds(time + kCounterStep); }

}  // namespace

std::string ReadingCheck::WhyNot(const core::EnergyReading& reading, std::optional<Time> begin,
                                 std::optional<Time> now) {
  const Interval& wall = reading.wall;
  if (reading.energy < Energy()) return "it is negative";
  if (begin && wall.begin < *begin - kClockSlack) return "it is from before the program began";
  if (now && wall.end > *now + kClockSlack) return "its time is still to come";
  if (wall.length() > kLongest) return "it is over a year long";
  const std::string device = reading.device + (reading.shared ? " shared" : "");
  const auto until = measured_until_.find(device);
  if (until != measured_until_.end() && wall.begin < until->second)
    return "another reading of the same device covers its time";
  const double joules = reading.energy.joules();
  const Time first = std::min(first_.value_or(wall.begin), begin.value_or(wall.begin));
  if (joules > MostJoules(wall.length()) ||
      believed_joules_ + joules > MostJoules(std::max(wall.end, first) - first))
    return "no machine draws that much";
  first_ = first;
  believed_joules_ += joules;
  measured_until_[device] = wall.end;
  return "";
}

}  // namespace ebb::local
