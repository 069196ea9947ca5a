#pragma once
// NOAA's GFS as a source of weather, from a server with NOAA's layout of files:
// SERVER/gfs.20260506/00/atmos/gfs.t00z.pgrb2.1p00.f003 and, beside each, its index
// ("...f003.idx"). Ebb fetches only the messages that it uses (gfs_index.h). Public domain, no key.

#include "signals/weather/weather_source.h"

namespace ebb::signals {

/// NOAA's bucket of the Open Data Dissemination programme, with all runs since 2021. Another server
/// is NOAA's production server, https://nomads.ncep.noaa.gov/pub/data/nccf/com/gfs/prod (ten days).
inline constexpr const char* kGfsUrl = "https://noaa-gfs-bdp-pds.s3.amazonaws.com";

/// Ahead: the newest run that is complete, every three hours up to five days; it counts as
/// published now. Past: the run of 00 UTC of each of the last 92 days, every six hours up to four
/// days, three days at a time and the latest first; it counts as published six hours after it
/// began. `server` has no final slash.
std::unique_ptr<WeatherSource> MakeGfsServer(std::string server, HttpGetFunction http_get);

}  // namespace ebb::signals
