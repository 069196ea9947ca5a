#pragma once
// The weather of a zone, as runs of a weather model said it: for each hour the newest run that was
// published by a moment. Past hours are asked in the same way, and get what the latest run before
// them said: nobody measured them, and a forecast learns from the same source that it uses. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::forecast {

/// Means over an hour and over the zone.
struct WeatherHour {
  double wind_mps = 0;  ///< at 10 m or 100 m above ground, one of them throughout an archive
  double temperature_k = 0;
  double shortwave_w_m2 = 0;
  double precipitation_mm_h = 0;
  friend bool operator==(const WeatherHour&, const WeatherHour&) = default;
};

struct WeatherRun {
  Time issued{};     ///< the moment that the run starts from
  Time published{};  ///< from when it could be used
  Time begin{};      ///< of the first hour; a whole hour
  std::vector<std::optional<WeatherHour>> hours{};
  Time end() const { return begin + std::chrono::hours{static_cast<Duration::rep>(hours.size())}; }
  friend bool operator==(const WeatherRun&, const WeatherRun&) = default;
};

class WeatherArchive {
 public:
  WeatherArchive() = default;
  /// Orders the runs. Refuses two of the same moment, runs that are published before they are
  /// issued, that do not begin at a whole hour, and values that cannot be (units!).
  static Result<WeatherArchive> Create(std::string source, std::vector<WeatherRun> runs);

  /// Who made the runs and how they came here, for people.
  const std::string& source() const { return source_; }
  const std::vector<WeatherRun>& runs() const { return runs_; }
  bool empty() const { return runs_.empty(); }

  struct Found {
    const WeatherHour* weather = nullptr;
    const WeatherRun* run = nullptr;
  };
  /// What the newest run that was published by `now` and knows the hour said of it.
  std::optional<Found> At(Time hour, Time now) const;
  /// The newest run that was published by `now`; nullptr: none was.
  const WeatherRun* Latest(Time now) const;

 private:
  std::string source_;
  std::vector<WeatherRun> runs_;  ///< by moment of issue
  Duration longest_{0};           ///< from the issue of a run to its end
  Duration latest_{0};            ///< from the issue of a run to its publication, at most
};

/// An Error where a value lies outside what can be on Earth: a wrong unit or a damaged file.
Status CheckWeather(const WeatherHour& weather);

}  // namespace ebb::forecast
