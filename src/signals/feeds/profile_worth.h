#pragma once
// What typical days (zone_profiles.h) are worth: those of 2022-2023, held against the hours of
// 2024, which they have not seen. Grids of water and nuclear power, and grids that changed, gain
// nothing by them: there Ebb says so. Data only.

#include <string>
#include <string_view>

namespace ebb::signals {

struct ProfileWorth {
  std::string_view zone;
  std::string place;             ///< "New South Wales"
  double mean_g_per_kwh;         ///< of 2022-2023
  double estimated_percent;      ///< hours that the source itself had estimated
  double mae_typical_g_per_kwh;  ///< mean absolute error in 2024, by the hour: of typical days ...
  double mae_mean_g_per_kwh;     ///< ... and of the mean of 2022-2023
  double
      cleanest_below_percent;  ///< the six hours of a day that they call cleanest, below the mean

  /// Neither closer to the hours than one value for the year, nor of use to find clean ones.
  bool worth_nothing() const {
    return mae_typical_g_per_kwh >= mae_mean_g_per_kwh || cleanest_below_percent <= 0;
  }
};

/// Of the zone whose typical days `zone` has; nullptr: there are none, or they were not checked.
const ProfileWorth* WorthOfProfile(std::string_view zone);

/// One sentence without its full stop: "in 2024 the six hours that they call cleanest lay 20 %
/// below the mean", "typical hours are worth nothing here: ...".
std::string WorthText(std::string_view zone);

}  // namespace ebb::signals
