#pragma once
// Remembers what a meter had to leave out: per device and cause, how often and how much time. An
// interval without a reading is never filled in, but it is always named.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ebb::meter {

class GapLog {
 public:
  void Add(const std::string& device, const std::string& cause, double seconds);
  void Clear() { gaps_.clear(); }
  /// "cpu:package-0: 3 intervals, 3.0 s in all, not counted: the counter went backwards".
  std::vector<std::string> Lines() const;

 private:
  struct Extent {
    int count = 0;
    double seconds = 0;
  };
  std::map<std::pair<std::string, std::string>, Extent> gaps_;
};

}  // namespace ebb::meter
