#pragma once
// A trace of four days for programs in tests.

#include <cstdio>
#include <string>

namespace ebb {

/// 00:00-01:00 dirty, 01:00-02:00 dirtier, 02:00-06:00 clean, then dirty again.
inline std::string Trace() {
  std::string csv = "timestamp,carbon_intensity\n";
  for (int day = 1; day <= 4; ++day) {
    for (int hour = 0; hour < 24; ++hour) {
      char line[64];
      const int value = hour < 1 ? 400 : hour < 2 ? 500 : hour < 6 ? 100 : 450;
      std::snprintf(line, sizeof line, "2023-05-%02dT%02d:00:00Z,%d\n", day, hour, value);
      csv += line;
    }
  }
  return csv;
}

}  // namespace ebb
