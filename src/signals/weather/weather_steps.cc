#include "signals/weather/weather_steps.h"

#include <algorithm>
#include <cmath>

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

// Interpolates the values at `time` between the steps: wind and temperature between their moments,
// means between the middles of their spans.
class BetweenSteps {
 public:
  explicit BetweenSteps(const std::vector<WeatherStep>& steps) : steps_(steps) {}

  Duration LengthOf(std::size_t step) const {
    if (step + 1 < steps_.size()) return steps_[step + 1].at - steps_[step].at;
    return step > 0 ? steps_[step].at - steps_[step - 1].at : kHour;
  }
  // The step whose span contains `time`; nullopt in a hole.
  std::optional<std::size_t> StepAt(Time time) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), time,
                         [](Time t, const WeatherStep& step) { return t < step.at; });
    if (after == steps_.begin()) return std::nullopt;
    const auto step = static_cast<std::size_t>(after - steps_.begin() - 1);
    const Duration length = LengthOf(step);
    if (length > kLongestWeatherStep || time >= steps_[step].at + length) return std::nullopt;
    return step;
  }
  forecast::WeatherHour At(Time time, std::size_t step) const {
    const double share = Share(time, steps_[step].at, LengthOf(step));
    const WeatherStep& here = steps_[step];
    const WeatherStep& next = steps_[std::min(step + 1, steps_.size() - 1)];
    const auto moment = [&](double WeatherStep::*value) {
      return here.*value + share * (next.*value - here.*value);
    };
    return {moment(&WeatherStep::wind_mps), moment(&WeatherStep::temperature_k),
            Mean(time, step, &WeatherStep::shortwave_w_m2),
            Mean(time, step, &WeatherStep::precipitation_mm_h)};
  }

 private:
  static double Share(Time time, Time from, Duration length) {
    return static_cast<double>((time - from).count()) / static_cast<double>(length.count());
  }
  Time MiddleOf(std::size_t step) const { return steps_[step].at + LengthOf(step) / 2; }
  double Mean(Time time, std::size_t step, double WeatherStep::*value) const {
    const bool later = time >= MiddleOf(step);
    const std::size_t first = later ? step : step > 0 ? step - 1 : step;
    const std::size_t second = later ? std::min(step + 1, steps_.size() - 1) : step;
    const Duration apart = MiddleOf(second) - MiddleOf(first);
    const bool one_is_unknown =
        std::isnan(steps_[first].*value) || std::isnan(steps_[second].*value);
    if (first == second || apart > kLongestWeatherStep || one_is_unknown)
      return steps_[step].*value;
    const double share = Share(time, MiddleOf(first), apart);
    return steps_[first].*value + share * (steps_[second].*value - steps_[first].*value);
  }

  const std::vector<WeatherStep>& steps_;
};

bool IsKnown(const forecast::WeatherHour& hour) {
  return std::isfinite(hour.wind_mps) && std::isfinite(hour.temperature_k) &&
         std::isfinite(hour.shortwave_w_m2) && std::isfinite(hour.precipitation_mm_h);
}

}  // namespace

forecast::WeatherRun HourlyRun(Time issued, Time published, const std::vector<WeatherStep>& steps) {
  forecast::WeatherRun run{issued, published, {}, {}};
  if (steps.empty()) return run;
  const BetweenSteps between(steps);
  run.begin = std::chrono::ceil<std::chrono::hours>(steps.front().at);
  const Time end = steps.back().at + between.LengthOf(steps.size() - 1);
  for (Time hour = run.begin; hour + kHour <= end; hour += kHour) {
    const Time middle = hour + kHour / 2;
    const auto step = between.StepAt(middle);
    auto weather = step ? std::optional(between.At(middle, *step)) : std::nullopt;
    if (weather && !IsKnown(*weather)) weather.reset();
    run.hours.push_back(weather);
  }
  return run;
}

std::optional<forecast::WeatherHour> MeanOverPlaces(
    const std::vector<std::optional<forecast::WeatherHour>>& places) {
  forecast::WeatherHour sum;
  double count = 0;
  for (const auto& place : places) {
    if (!place) continue;
    sum.wind_mps += place->wind_mps;
    sum.temperature_k += place->temperature_k;
    sum.shortwave_w_m2 += place->shortwave_w_m2;
    sum.precipitation_mm_h += place->precipitation_mm_h;
    ++count;
  }
  if (count == 0 || count < 0.75 * static_cast<double>(places.size())) return std::nullopt;
  return forecast::WeatherHour{sum.wind_mps / count, sum.temperature_k / count,
                               sum.shortwave_w_m2 / count, sum.precipitation_mm_h / count};
}

forecast::WeatherRun MeanOverPlaces(const std::vector<forecast::WeatherRun>& places) {
  forecast::WeatherRun mean;
  Time end{};
  for (const forecast::WeatherRun& place : places) {
    if (place.hours.empty()) continue;
    mean = {place.issued,
            place.published,
            end == Time{} ? place.begin : std::min(mean.begin, place.begin),
            {}};
    end = std::max(end, place.end());
  }
  for (Time hour = mean.begin; hour < end; hour += kHour) {
    std::vector<std::optional<forecast::WeatherHour>> at;
    for (const forecast::WeatherRun& place : places) {
      const bool has = place.begin <= hour && hour < place.end();
      const auto index = static_cast<std::size_t>((hour - place.begin) / kHour);
      at.push_back(has ? place.hours[index] : std::nullopt);
    }
    mean.hours.push_back(MeanOverPlaces(at));
  }
  return mean;
}

}  // namespace ebb::signals
