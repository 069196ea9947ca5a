#include "meter/gap_log.h"

#include "base/text.h"

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

}  // namespace ebb::meter
