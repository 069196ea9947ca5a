#pragma once
// A zone whose intensity depends on the wind, and runs whose forecasts get worse with the lead.

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "forecast/series_for_test.h"
#include "forecast/weather.h"

namespace ebb::forecast {

struct WindyZone {
  std::vector<double> wind;  ///< wind in m/s by hour from kBegin on
  core::IntensitySeries history;

  /// Each m/s of wind lowers the intensity by `grams`.
  explicit WindyZone(int day_count, double grams = 20) {
    Random random(5);
    const int hour_count = 24 * day_count;
    double gust = 0;
    for (int i = 0; i < hour_count + 24 * 5; ++i) {
      gust = 0.97 * gust + 0.7 * random.Normal();
      wind.push_back(std::max(0.0, 9 + gust));
    }
    double noise = 0;
    history = Series(hour_count, [&](int i) {
      noise = 0.8 * noise + 4 * random.Normal();
      const double day = 40 * std::sin(2 * std::numbers::pi * i / 24);
      return 400 + day - grams * (wind[static_cast<std::size_t>(i)] - 9) + noise;
    });
  }

  /// One run every day at 00:00 until `last_day`, each four days long and published six hours
  /// later.
  std::vector<WeatherRun> Runs(int last_day) const {
    Random random(6);
    std::vector<WeatherRun> runs;
    for (int day = 0; day <= last_day; ++day) {
      WeatherRun run;
      run.begin = run.issued = kBegin + std::chrono::days{day};
      run.published = run.issued + std::chrono::hours{6};
      double error = 0;
      for (int lead = 0; lead < 96; ++lead) {
        error = 0.95 * error + 0.012 * std::sqrt(lead) * random.Normal();
        const auto hour = static_cast<std::size_t>(24 * day + lead);
        if (hour >= wind.size()) break;
        run.hours.push_back(WeatherHour{std::max(0.0, wind[hour] + error), 283, 100, 0});
      }
      runs.push_back(std::move(run));
    }
    return runs;
  }
  std::shared_ptr<const WeatherArchive> Archive(int last_day) const {
    auto archive = WeatherArchive::Create("test", Runs(last_day));
    EBB_CHECK(archive.has_value());
    return std::make_shared<const WeatherArchive>(*std::move(archive));
  }
};

}  // namespace ebb::forecast
