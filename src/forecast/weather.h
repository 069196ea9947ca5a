#pragma once
// The weather of a zone from the runs of a weather model: for each hour, the newest run that was
// published by a given moment. Past hours get the value of the latest run before them too: nobody
// measured them, and a forecast must learn from the same source that it uses. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::forecast {

/// Weather of an hour: means over the hour and over the zone.
struct WeatherHour {
  double wind_mps = 0;  ///< wind at 10 m or 100 m above ground, the same throughout an archive
  double temperature_k = 0;
  double shortwave_w_m2 = 0;
  double precipitation_mm_h = 0;
  friend bool operator==(const WeatherHour&, const WeatherHour&) = default;
};

struct WeatherRun {
  Time issued{};     ///< moment from which the run starts
  Time published{};  ///< moment from which the run could be used
  Time begin{};      ///< begin of the first hour; a whole hour
  std::vector<std::optional<WeatherHour>> hours{};
  Time end() const { return begin + std::chrono::hours{static_cast<Duration::rep>(hours.size())}; }
  friend bool operator==(const WeatherRun&, const WeatherRun&) = default;
};

class WeatherArchive {
 public:
  WeatherArchive() = default;
  /// Orders the runs. Refuses two runs of the same moment, runs that are published before they are
  /// issued, runs that do not begin at a whole hour, and impossible values (wrong units).
  static Result<WeatherArchive> Create(std::string source, std::vector<WeatherRun> runs);

  /// Source of the runs and of the archive, for people.
  const std::string& source() const { return source_; }
  const std::vector<WeatherRun>& runs() const { return runs_; }
  bool empty() const { return runs_.empty(); }

  struct Found {
    const WeatherHour* weather = nullptr;
    const WeatherRun* run = nullptr;
  };
  /// The hour's weather in the newest run that was published by `now` and covers the hour.
  std::optional<Found> At(Time hour, Time now) const;
  /// The newest run that was published by `now`; nullptr if there is none.
  const WeatherRun* Latest(Time now) const;

 private:
  std::string source_;
  std::vector<WeatherRun> runs_;  ///< runs by moment of issue
  Duration longest_{0};           ///< longest time from the issue of a run to its end
  Duration latest_{0};            ///< longest time from the issue of a run to its publication
};

/// Returns an Error if a value is impossible on Earth: the unit is wrong or the file is damaged.
Status CheckWeather(const WeatherHour& weather);

}  // namespace ebb::forecast
