#pragma once
// The record of a provider's forecasts on disk, beside the cache of its signal (signal_cache.h).
// Format "ebb.forecast-record/1", JSON, written atomically. A file that is damaged or of another
// version is not used; a new record begins.

#include <filesystem>
#include <string>
#include <string_view>

#include "forecast/forecast_record.h"

namespace ebb::signals {

std::string ToText(const forecast::ForecastRecord& record);
Result<forecast::ForecastRecord> ForecastRecordFromText(std::string_view text,
                                                        const std::string& where);

/// "X_forecasts.json" for the cache "X.json".
std::filesystem::path ForecastRecordPath(std::filesystem::path cache);

/// Returns an empty record if there is no file.
Result<forecast::ForecastRecord> ReadForecastRecord(const std::filesystem::path& path);

}  // namespace ebb::signals
