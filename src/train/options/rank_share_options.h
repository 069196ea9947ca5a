#pragma once
// Options of a run of several ranks: the part of each update that a rank computes.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/devices/power_cap.h"

namespace ebb::train {

struct RankShareOptions {
  /// Watts of this rank's device.
  struct Power {
    double busy_w = 0;     ///< while the rank computes
    double waiting_w = 0;  ///< while it waits for the other ranks
  };

  bool automatic = false;    ///< the ranks find their parts while they train
  double weight = 1;         ///< this rank's part beside the others'; 1 if they are found
  core::Slowdown slower_by;  ///< how much longer an update may take than the shortest
  std::optional<Power> power;
  /// The file in which Ebb keeps the intensity of this rank's electricity while the rank runs
  /// (docs/training-program.md); empty: none.
  std::string grid_file;
  std::optional<double> g_per_kwh;  ///< the intensity when the rank was started
};

/// Reads "auto" or a number into `options`.
Status ReadRankShare(std::string_view text, RankShareOptions& options);
/// Parses "300" or "300,60": a rank that waits draws a tenth unless the second number is given.
Result<RankShareOptions::Power> ParseRankPower(std::string_view text);

}  // namespace ebb::train
