#pragma once
// The worth of typical days (zone_profiles.h): those of 2022-2023, compared with the hours of 2024,
// which they have not seen. Grids of water and nuclear power, and grids that changed, gain nothing
// by them, and Ebb says so. Data only.

#include <string>
#include <string_view>

namespace ebb::signals {

struct ProfileWorth {
  std::string_view zone;
  std::string place;              ///< "New South Wales"
  double mean_g_per_kwh;          ///< mean of 2022-2023
  double estimated_percent;       ///< share of hours that the source itself had estimated
  double mae_typical_g_per_kwh;   ///< hourly mean absolute error in 2024: of typical days ...
  double mae_mean_g_per_kwh;      ///< ... and of the mean of 2022-2023
  double cleanest_below_percent;  ///< the six hours of a day called cleanest, below the mean

  /// Whether the typical days neither describe the hours better than one value for the year nor
  /// help to find clean ones.
  bool worth_nothing() const {
    return mae_typical_g_per_kwh >= mae_mean_g_per_kwh || cleanest_below_percent <= 0;
  }
};

/// The worth of the typical days that `zone` uses; nullptr: it has none, or they were not checked.
const ProfileWorth* WorthOfProfile(std::string_view zone);

/// One sentence without its full stop: "in 2024 the six hours that they call cleanest lay 20 %
/// below the mean", "typical hours are worth nothing here: ...".
std::string WorthText(std::string_view zone);

}  // namespace ebb::signals
