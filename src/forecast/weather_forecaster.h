#pragma once
// The forecast from a zone's own past and its weather: WeatherModel hour by hour, the history's own
// shape inside the hour. Where weather says nothing it is the forecast from the own past. Pure.

#include "forecast/typical_forecaster.h"
#include "forecast/weather_model.h"

namespace ebb::forecast {

inline constexpr std::string_view kWeather = "weather";

/// What the weather of an hour does to its forecast, beside weather as is usual at that hour.
struct HourOfWeather {
  Interval hour;
  Coverage coverage = Coverage::kNone;
  DriverShares effects{};     ///< g/kWh that each driver adds
  DriverShares departures{};  ///< how far each lies from the usual, in UnitOf
};

class WeatherForecaster : public Forecaster {
 public:
  /// Keeps to `publication` itself: AsPublished would hide the runs of the last hours from it.
  /// While the past is short, `typical` serves; null: none is known.
  WeatherForecaster(std::shared_ptr<const WeatherArchive> archive,
                    const core::Publication& publication,
                    std::shared_ptr<const DriverInputs> drivers = nullptr,
                    std::shared_ptr<const TypicalYear> typical = nullptr)
      : publication_(publication),
        model_(std::move(archive), publication, std::move(drivers)),
        fallback_(MakeEarlyForecaster(std::move(typical))) {}

  /// Goes on with what has become known of weather. What begins at the moment of a question became
  /// known `known_after` later, and so did the weather that was published by then.
  void Use(std::shared_ptr<const WeatherArchive> archive, Duration known_after) {
    model_.Use(std::move(archive));
    known_after_ = known_after;
  }

  std::string_view name() const override { return kWeather; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;
  /// Of the hours of such a forecast, as far as it reaches; empty where it is that of the own past.
  std::vector<HourOfWeather> Explain(const core::IntensitySeries& history, Time now,
                                     Duration horizon);

 private:
  /// The hours that were known, and what was expected of those after them.
  struct Expected {
    std::span<const core::Sample> known;
    std::size_t hours = 0;
    std::optional<WeatherPath> path;
  };
  Expected ExpectAt(const core::IntensitySeries& history, Time now);

  core::Publication publication_;
  WeatherModel model_;
  Duration known_after_{0};
  std::unique_ptr<Forecaster> fallback_;
};

}  // namespace ebb::forecast
