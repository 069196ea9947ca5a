#include "signals/weather/weather_steps.h"

#include <algorithm>
#include <cmath>

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

// The values at `time`, on lines between the steps: wind and temperature between their moments,
// means between the middles of their spans.
class BetweenSteps {
 public:
  explicit BetweenSteps(const std::vector<WeatherStep>& steps) : steps_(steps) {}

  Duration LengthOf(std::size_t step) const {
    if (step + 1 < steps_.size()) return steps_[step + 1].at - steps_[step].at;
    return step > 0 ? steps_[step].at - steps_[step - 1].at : kHour;
  }
  // The step whose span contains `time`; nothing in a hole.
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
    if (first == second || apart > kLongestWeatherStep) return steps_[step].*value;
    const double share = Share(time, MiddleOf(first), apart);
    return steps_[first].*value + share * (steps_[second].*value - steps_[first].*value);
  }

  const std::vector<WeatherStep>& steps_;
};

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
    run.hours.push_back(step ? std::optional(between.At(middle, *step)) : std::nullopt);
  }
  return run;
}

}  // namespace ebb::signals
