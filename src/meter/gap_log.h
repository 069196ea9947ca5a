#pragma once
// Counts the intervals that a meter left out: for each device and cause their number and their
// total time. An interval without a reading is never filled in, but it is always reported.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ebb::meter {

class GapLog {
 public:
  void Add(const std::string& device, const std::string& cause, double seconds);
  void Clear() { gaps_.clear(); }
  /// One line for each device and cause: "cpu:package-0: 3 intervals, 3.0 s in all, not counted:
  /// the counter went backwards".
  std::vector<std::string> Lines() const;

 private:
  struct Extent {
    int count = 0;
    double seconds = 0;
  };
  std::map<std::pair<std::string, std::string>, Extent> gaps_;
};

/// The line about a device that gave no reading at all in a measurement of this length, because the
/// measurement was too short for it. Its energy is unknown, which is not the same as zero.
std::string TooShortLine(const std::string& device, double seconds, const std::string& why);

}  // namespace ebb::meter
