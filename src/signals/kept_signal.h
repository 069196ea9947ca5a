#pragma once
// What a live source has left on disk, for those who look back at it: nobody is asked.

#include <memory>
#include <string>

#include "forecast/drivers.h"
#include "forecast/forecast_record.h"
#include "forecast/typical_year.h"
#include "forecast/weather.h"
#include "signals/signal_options.h"

namespace ebb::signals {

struct KeptSignal {
  std::string provider;  ///< its name
  core::IntensitySeries known;
  Time answered_at{};                                       ///< the latest answer
  std::shared_ptr<const forecast::ForecastRecord> record;   ///< of its forecasts; not null
  std::shared_ptr<const forecast::WeatherArchive> weather;  ///< null: none is used
  std::vector<forecast::Driver> drivers;                    ///< those of which anything is kept
  std::shared_ptr<const forecast::TypicalYear> typical;     ///< null: none are known of the zone

  /// How late values are known: by the record, or by the latest answer.
  core::Publication UsualPublication() const;
};

/// Of the first source of `options` that has left anything. An Error where none has, or where what
/// is there cannot be read.
Result<KeptSignal> ReadKeptSignal(const SignalOptions& options);

}  // namespace ebb::signals
