#pragma once
// A folder of GFS as files of NOAA, in whatever folders below it: archived runs for a trace, and a
// source of weather beside a live source, where something else brings the files. Reading takes some
// 20 ms for each field of a global grid of a quarter of a degree.

#include "signals/weather/weather_source.h"

namespace ebb::signals {

/// All runs of the folder as means over the places, each published `lag` after its start. Skipped
/// are hidden files and those that end in .idx, .part or .tmp. An Error names the first file that
/// is none of GRIB2, is damaged, or does not have the places.
Result<forecast::WeatherArchive> ReadGribFolder(const std::string& path,
                                                const std::vector<WeatherPoint>& points,
                                                Duration lag);

/// Told as published when they were first seen here, but for those of the past: those `past_lag`
/// after their start. A run counts once none of its files has changed for ten minutes.
std::unique_ptr<WeatherSource> MakeGribFolder(std::string path, Duration past_lag);

}  // namespace ebb::signals
