#include "meter/gap_log.h"

#include "base/text.h"
#include "base/time.h"

namespace ebb::meter {

void GapLog::Add(const std::string& device, const std::string& cause, double seconds) {
  Extent& extent = gaps_[{device, cause}];
  ++extent.count;
  extent.seconds += seconds;
}

std::vector<std::string> GapLog::Lines() const {
  std::vector<std::string> lines;
  for (const auto& [key, extent] : gaps_) {
    lines.push_back(key.first + ": " + std::to_string(extent.count) +
                    (extent.count == 1 ? " interval, " : " intervals, ") +
                    FormatFixed(extent.seconds, 1) + " s in all, not counted: " + key.second);
  }
  return lines;
}

std::string TooShortLine(const std::string& device, double seconds, const std::string& why) {
  return device + ": too short to measure: " + why + " in " +
         FormatDuration(DurationFromSeconds(seconds)) + ", so its energy is unknown";
}

}  // namespace ebb::meter
