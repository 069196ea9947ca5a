#pragma once
// Forecasts from a zone's own past and its weather: WeatherModel hour by hour, with the history's
// own shape inside the hour. Without weather, it gives the forecast from the own past. Pure.

#include "forecast/typical_forecaster.h"
#include "forecast/weather_model.h"

namespace ebb::forecast {

inline constexpr std::string_view kWeather = "weather";

/// The effect of an hour's weather on its forecast, compared with the usual weather at that hour.
struct HourOfWeather {
  Interval hour;
  Coverage coverage = Coverage::kNone;
  DriverShares effects{};     ///< g/kWh that each driver adds
  DriverShares departures{};  ///< departure of each driver from the usual, in UnitOf
};

class WeatherForecaster : public Forecaster {
 public:
  /// Keeps to `publication` itself: AsPublished would hide the runs of the last hours. While the
  /// past is short, it forecasts from `typical`; nullptr: no typical days are known.
  WeatherForecaster(std::shared_ptr<const WeatherArchive> archive,
                    const core::Publication& publication,
                    std::shared_ptr<const DriverInputs> drivers = nullptr,
                    std::shared_ptr<const TypicalYear> typical = nullptr)
      : publication_(publication),
        model_(std::move(archive), publication, std::move(drivers)),
        fallback_(MakeEarlyForecaster(std::move(typical))) {}

  /// Replaces the archive by a newer one. An interval that begins at the moment of a question
  /// became known `known_after` later, and weather published by then counts as known too.
  void Use(std::shared_ptr<const WeatherArchive> archive, Duration known_after) {
    model_.Use(std::move(archive));
    known_after_ = known_after;
  }

  std::string_view name() const override { return kWeather; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;
  /// Explains the hours of such a forecast, as far as it reaches; empty if the forecast comes from
  /// the own past.
  std::vector<HourOfWeather> Explain(const core::IntensitySeries& history, Time now,
                                     Duration horizon);

 private:
  /// The known hours, and the expectation for the hours after them.
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
