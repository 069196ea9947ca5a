#pragma once
// The hourly forecast from weather and the past, in two stages: the effect of weather on intensity
// (weather_map.h), and the regression on the past of the rest (past_regression.h). Both are fitted
// anew every 28 days from all that was known then. An hour with unknown weather is forecast from
// the zone's own past. If its weather is known, the forecast mixes both at each lead in the way
// that would have been best in the last 120 days. The band comes from errors of the mixture, with
// weather as it had been forecast, in hours that the fits had not seen. Method and figures:
// docs/forecast.md. Pure.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/signal/publication.h"
#include "forecast/ridge_model.h"
#include "forecast/weather_map.h"

namespace ebb::forecast {

/// The expectation, and the weather's part in it.
struct WeatherPath {
  HourlyPath path;
  /// By lead; all of these are empty if weather could not be used at all.
  std::vector<DriverShares> effects;     ///< g/kWh that each driver adds
  std::vector<DriverShares> departures;  ///< departure of each driver from the usual (DeparturesOf)
  std::vector<double> weight;            ///< weight of the forecast with weather, 0 to 1
  std::vector<Coverage> coverage;
  const WeatherRun* run = nullptr;  ///< the newest run that was used
};

class WeatherModel {
 public:
  /// When an hour becomes known by `publication`, the weather published by then is known too. Only
  /// the forecast from the own past uses `drivers`, which may be null.
  WeatherModel(std::shared_ptr<const WeatherArchive> archive, core::Publication publication,
               std::shared_ptr<const DriverInputs> drivers)
      : archive_(std::move(archive)), publication_(publication), own_(std::move(drivers)) {}

  /// Takes in the known samples. A revision after the latest fit needs no new fit.
  void Learn(std::span<const core::Sample> known);
  /// Replaces the archive. Keeps the fits only if the new archive continues the old one.
  void Use(std::shared_ptr<const WeatherArchive> archive);
  const HourlyGrid& grid() const { return own_.grid(); }

  /// The expectation at `now`, when hour `issue` was the latest known one; nullopt if not even a
  /// forecast from the own past is possible.
  std::optional<WeatherPath> Expect(std::size_t issue, Time now);

 private:
  /// Both stages, fitted for one period.
  struct Fit {
    std::optional<WeatherMap> map;
    PastMaps maps;
    TypicalDays rest;         ///< intensity less the effect of weather
    std::size_t settled = 0;  ///< number of hours of `rest` that do not change any more
    // Errors of the fit in its own period, [row][lead]. `errors`: truth less both stages; `gains`:
    // both stages less the forecast from the own past.
    std::vector<double> errors{}, gains{};
    std::vector<std::size_t> error_issues{};
    std::vector<double> ages_h{};  ///< age of the weather run, by row
    std::size_t first_error_issue = 0, next_error_issue = 0;
    bool has_record = false;
    std::vector<double> shares{};  ///< share of both stages at each lead, beside the own past
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
  /// Both stages alone: the weight is 1 if the weather is known.
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
