#pragma once
// NOAA's GFS as a source of weather, from a server that has its files as NOAA lays them out:
// SERVER/gfs.20260506/00/atmos/gfs.t00z.pgrb2.1p00.f003 and, beside each, its index
// ("...f003.idx"). Only the messages of interest are fetched (gfs_index.h). Public domain, no key.

#include "signals/weather/weather_source.h"

namespace ebb::signals {

/// NOAA's bucket of the Open Data Dissemination programme: all runs since 2021. Others: the
/// production server of NOAA, https://nomads.ncep.noaa.gov/pub/data/nccf/com/gfs/prod (ten days).
inline constexpr const char* kGfsUrl = "https://noaa-gfs-bdp-pds.s3.amazonaws.com";

/// Ahead: the newest run whose last step is there, every three hours up to five days; it is told as
/// published now. Past: the run of 00 UTC of each of the last 92 days, every six hours up to four
/// days, three days at a time and the latest first; published six hours after it began.
/// `server` without a slash at its end.
std::unique_ptr<WeatherSource> MakeGfsServer(std::string server, HttpGetFunction http_get);

}  // namespace ebb::signals
