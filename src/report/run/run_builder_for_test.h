#pragma once
// Builds small RunRecords for tests: an hourly signal, a gate that waited, a training with two
// epochs. Every figure can be checked by hand: 1 kW for the CPU and 200 W for RAM.

#include <string>
#include <vector>

#include "core/run/run.h"

namespace ebb::report {

inline constexpr Time kMidnight{Duration{1'682'899'200'000}};  ///< 2023-05-01T00:00:00Z

struct RunBuilder {
  std::string group = "baseline";
  std::string policy = "now";
  std::int64_t seed = 1;
  int batch_size = 64;
  int accumulation_steps = 1;
  std::string precision = "fp32";
  double power_factor = 1;  ///< scales the energy
  Duration submitted{std::chrono::hours(18)};
  Duration waited{0};
  Duration running{std::chrono::minutes(10)};
  double test_accuracy_percent = 98.5;
  double peak_tensor_bytes = 74e6;
  bool trains = true;
  core::Work work{};  ///< reported by the program
  bool replayed = false;
  /// g/kWh by hour from midnight; hours without an entry are a gap.
  std::vector<double> intensity_by_hour{300, 280, 260, 240, 230, 230, 250, 280, 260, 220, 180, 150,
                                        120, 110, 115, 150, 220, 320, 400, 420, 410, 390, 360, 330,
                                        310, 290, 270, 250, 240, 240, 260, 290, 270, 230, 190, 160,
                                        130, 120, 125, 160, 230, 330, 410, 430, 420, 400, 370, 340};

  core::RunRecord Build() const;
};

}  // namespace ebb::report
