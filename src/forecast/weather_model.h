#pragma once
// The forecast that knows the weather, hour by hour, in two stages: what weather does to intensity
// (weather_map.h), and the regression on the past of what is left (past_regression.h). Both are
// fitted anew every 28 days from all that was known then. An hour whose weather is not known is
// forecast from the zone's own past. Where it is known, the two are mixed at each lead as would
// have been best in the last 120 days. The band is made of errors of the mixture, with weather as
// it had been forecast, in hours that the fits had not seen. Method and figures: docs/forecast.md.
// Pure.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/publication.h"
#include "forecast/ridge_model.h"
#include "forecast/weather_map.h"

namespace ebb::forecast {

/// What is expected, and what of it is the weather's.
struct WeatherPath {
  HourlyPath path;
  /// By lead; empty where weather could not be used at all.
  std::vector<DriverShares> effects;     ///< g/kWh that each driver adds
  std::vector<DriverShares> departures;  ///< of each driver from the usual (DeparturesOf)
  std::vector<double> weight;            ///< 0 to 1: of the forecast that knows the weather
  std::vector<Coverage> coverage;
  const WeatherRun* run = nullptr;  ///< the newest that was used
};

class WeatherModel {
 public:
  /// At the moment `publication` says an hour is known, so is what had been published of weather.
  /// Drivers, where there are any, are known to the forecast from the own past.
  WeatherModel(std::shared_ptr<const WeatherArchive> archive, core::Publication publication,
               std::shared_ptr<const DriverInputs> drivers)
      : archive_(std::move(archive)), publication_(publication), own_(std::move(drivers)) {}

  /// Values that are revised after the latest fit cost no new fit.
  void Learn(std::span<const core::Sample> known);
  /// Goes on with an archive that has grown; forgets its fits where it has not only grown.
  void Use(std::shared_ptr<const WeatherArchive> archive);
  const HourlyGrid& grid() const { return own_.grid(); }

  /// What was to be expected at `now`, when hour `issue` was the latest that was known; nothing
  /// where even a forecast from the own past cannot be made.
  std::optional<WeatherPath> Expect(std::size_t issue, Time now);

 private:
  /// Both stages as fitted for one period.
  struct Fit {
    std::optional<WeatherMap> map;
    PastMaps maps;
    TypicalDays rest;         ///< intensity less the effect of weather
    std::size_t settled = 0;  ///< the hours of `rest` that do not change any more
    // What the fit got wrong in its own period, [row][lead]: what was left of the truth less both
    // stages, and both stages less the forecast from the own past.
    std::vector<double> errors{}, gains{};
    std::vector<std::size_t> error_issues{};
    std::vector<double> ages_h{};  ///< of the weather run, by row
    std::size_t first_error_issue = 0, next_error_issue = 0;
    bool has_record = false;
    std::vector<double> shares{};  ///< by lead: how much of both stages, beside the own past
    Bands bands{};
    double usual_age_h = 0;
    void Forget(std::size_t from);
  };

  std::int64_t PeriodOf(std::size_t hour) const { return FitPeriodOf(grid().BeginOf(hour)); }
  std::size_t BoundaryOf(std::int64_t period) const {
    return grid().FirstAtOrAfter(BeginOfFitPeriod(period));
  }
  Fit& FitOf(std::int64_t period);
  Fit MakeFit(std::size_t boundary);
  void ExtendSettled(Fit& fit, std::size_t end);
  void AddErrors(std::int64_t period, std::size_t boundary);
  Fit& WithRecord(std::int64_t period);
  bool RecentWeatherIsKnown(const WeatherDeviations& deviations, std::size_t issue) const;
  /// Both stages alone: weight is 1 where the weather is known.
  WeatherPath BothStages(Fit& fit, const HourlyPath& own, std::size_t issue, Time now);
  void AddBand(const Fit& fit, const HourlyPath& own, std::size_t issue, Time now,
               WeatherPath& result) const;

  std::shared_ptr<const WeatherArchive> archive_;
  core::Publication publication_;
  RidgeModel own_;
  WeatherPast past_;
  std::map<std::int64_t, Fit> fits_;
};

}  // namespace ebb::forecast
