#pragma once
// A folder with NOAA's files of GFS, in any subfolders: archived runs for a trace, and a source of
// weather beside a live source if another program brings the files. Reading takes some 20 ms for
// each field of a global grid of a quarter of a degree.

#include "signals/weather/weather_source.h"

namespace ebb::signals {

/// All runs of the folder as means over the places, each published `lag` after its start. Hidden
/// files and those that end in .idx, .part or .tmp are skipped. An Error names the first file that
/// is not GRIB2, is damaged, or does not have the places.
Result<forecast::WeatherArchive> ReadGribFolder(const std::string& path,
                                                const std::vector<WeatherPoint>& points,
                                                Duration lag);

/// Runs count as published when they were first seen here; those of the past, `past_lag` after
/// their start. A run is used once none of its files has changed for ten minutes.
std::unique_ptr<WeatherSource> MakeGribFolder(std::string path, Duration past_lag);

}  // namespace ebb::signals
