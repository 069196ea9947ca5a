#pragma once
// The past of a live source as its cache on disk keeps it, for back-tests and the like. Reading it
// asks no service.

#include <memory>
#include <string>

#include "forecast/drivers.h"
#include "forecast/forecast_record.h"
#include "forecast/typical_year.h"
#include "forecast/weather.h"
#include "signals/signal_options.h"

namespace ebb::signals {

struct KeptSignal {
  std::string provider;  ///< name of the provider
  core::IntensitySeries known;
  Time answered_at{};                                       ///< time of the latest answer
  std::shared_ptr<const forecast::ForecastRecord> record;   ///< the provider's forecasts; not null
  std::shared_ptr<const forecast::WeatherArchive> weather;  ///< null: the options use none
  std::vector<forecast::Driver> drivers;                    ///< only those of which values are kept
  std::shared_ptr<const forecast::TypicalYear> typical;     ///< null: none known for the zone

  /// How late values become known: by the record, or by the latest answer.
  core::Publication UsualPublication() const;
};

/// The past of the first live source of `options` that has a cache. Errors: no source has one, or
/// the cache cannot be read.
Result<KeptSignal> ReadKeptSignal(const SignalOptions& options);

}  // namespace ebb::signals
