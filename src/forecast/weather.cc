#include "forecast/weather.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

struct Range {
  double low, high;
};
// Ranges of means over a zone, with a margin. Values in knots, km/h, degrees Celsius, J/m2 or
// metres fall outside somewhere in a day or a week.
constexpr Range kWind{0, 60}, kTemperature{190, 330}, kShortwave{-1, 1400}, kRain{-0.01, 200};

Status CheckRange(double value, Range range, const char* what, const char* unit) {
  if (std::isfinite(value) && value >= range.low && value <= range.high) return {};
  return Fail({ExitCode::kConfiguration,
               std::string(what) + " of " + FormatFixed(value, 1) + " " + unit +
                   " cannot be: the unit is another one, or the value is damaged",
               "", std::string("give ") + what + " in " + unit});
}

Status CheckRun(const WeatherRun& run) {
  if (run.published < run.issued)
    return Fail({ExitCode::kConfiguration,
                 "the weather run of " + FormatTime(run.issued) +
                     " is said to be published before it was issued",
                 "", "check the times of the runs"});
  if (run.begin.time_since_epoch() % kHour != Duration::zero())
    return Fail({ExitCode::kConfiguration,
                 "the weather run of " + FormatTime(run.issued) + " does not begin at a whole hour",
                 "", ""});
  for (const auto& hour : run.hours)
    if (hour) EBB_RETURN_IF_ERROR(CheckWeather(*hour));
  return {};
}

}  // namespace

Status CheckWeather(const WeatherHour& weather) {
  EBB_RETURN_IF_ERROR(CheckRange(weather.wind_mps, kWind, "wind", "m/s"));
  EBB_RETURN_IF_ERROR(CheckRange(weather.temperature_k, kTemperature, "temperature", "K"));
  EBB_RETURN_IF_ERROR(CheckRange(weather.shortwave_w_m2, kShortwave, "short wave", "W/m2"));
  return CheckRange(weather.precipitation_mm_h, kRain, "precipitation", "mm/h");
}

Result<WeatherArchive> WeatherArchive::Create(std::string source, std::vector<WeatherRun> runs) {
  std::sort(runs.begin(), runs.end(),
            [](const WeatherRun& a, const WeatherRun& b) { return a.issued < b.issued; });
  WeatherArchive archive;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EBB_RETURN_IF_ERROR(CheckRun(runs[i]));
    if (i > 0 && runs[i].issued == runs[i - 1].issued)
      return Fail({ExitCode::kConfiguration,
                   "there are two weather runs of " + FormatTime(runs[i].issued), source,
                   "keep one of them"});
    archive.longest_ = std::max(archive.longest_, runs[i].end() - runs[i].issued);
    archive.latest_ = std::max(archive.latest_, runs[i].published - runs[i].issued);
  }
  archive.source_ = std::move(source);
  archive.runs_ = std::move(runs);
  return archive;
}

std::optional<WeatherArchive::Found> WeatherArchive::At(Time hour, Time now) const {
  const auto by_issue = [](Time time, const WeatherRun& run) { return time < run.issued; };
  auto run = std::upper_bound(runs_.begin(), runs_.end(), std::min(hour, now), by_issue);
  while (run != runs_.begin()) {
    --run;
    if (run->issued + longest_ <= hour) return std::nullopt;
    if (run->published > now || hour < run->begin || hour >= run->end()) continue;
    const auto index = static_cast<std::size_t>((hour - run->begin) / kHour);
    if (run->hours[index]) return Found{&*run->hours[index], &*run};
  }
  return std::nullopt;
}

const WeatherRun* WeatherArchive::Latest(Time now) const {
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
    if (run->published <= now) return &*run;
  return nullptr;
}

}  // namespace ebb::forecast
