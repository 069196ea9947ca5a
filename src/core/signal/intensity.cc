#include "core/signal/intensity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/enum_names.h"
#include "core/signal/signal_choices.h"
#include "core/signal/step_lookup.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 2> kKindNames{"average", "marginal"};
constexpr std::array<std::string_view, 3> kBoundaryNames{"lifecycle", "direct", "unknown"};
constexpr std::array<std::string_view, 4> kStatusNames{"measured", "estimated", "forecast",
                                                       "modelled"};

Error BadSample(const SignalIdentity& identity, const Sample& sample, std::string what) {
  return {ExitCode::kConfiguration, std::move(what) + " at " + FormatTime(sample.interval.begin),
          identity.source, ""};
}

struct WeightedSum {
  double value_times_ms = 0;
  Duration known{0};

  void Add(const IntensitySeries& series, Interval window) {
    const auto& samples = series.samples();
    for (auto it = FirstEndingAfter(samples, window.begin);
         it != samples.end() && it->interval.begin < window.end; ++it) {
      const Duration part = Overlap(it->interval, window).length();
      value_times_ms += it->intensity.g_per_kwh * static_cast<double>(part.count());
      known += part;
    }
  }
  std::optional<WindowMean> Mean(Interval window) const {
    if (known == Duration::zero()) return std::nullopt;
    const auto known_ms = static_cast<double>(known.count());
    return WindowMean{{value_times_ms / known_ms},
                      known_ms / static_cast<double>(window.length().count())};
  }
};

}  // namespace

std::string_view Name(SignalKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
std::string_view Name(Boundary boundary) {
  return kBoundaryNames[static_cast<std::size_t>(boundary)];
}
std::string_view Name(SampleStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}
std::optional<SampleStatus> SampleStatusFromName(std::string_view name) {
  return EnumFromName<SampleStatus>(kStatusNames, name);
}
std::optional<SignalKind> SignalKindFromName(std::string_view name) {
  return EnumFromName<SignalKind>(kKindNames, name);
}
std::optional<Boundary> BoundaryFromName(std::string_view name) {
  return EnumFromName<Boundary>(kBoundaryNames, name);
}
std::vector<std::string> SignalKindNames() { return {kKindNames.begin(), kKindNames.end()}; }
std::vector<std::string> BoundaryChoices() {
  std::vector<std::string> choices(kBoundaryNames.begin(), kBoundaryNames.end());
  std::erase(choices, Name(Boundary::kUnknown));
  return choices;
}

std::string_view LinkOf(const SignalIdentity& identity, const Sample& sample) {
  return sample.link < identity.links.size() ? std::string_view(identity.links[sample.link])
                                             : std::string_view();
}

Result<IntensitySeries> IntensitySeries::Create(SignalIdentity identity,
                                                std::vector<Sample> samples) {
  const Sample* previous = nullptr;
  for (const Sample& sample : samples) {
    const double value = sample.intensity.g_per_kwh;
    if (!std::isfinite(value))
      return Fail(BadSample(identity, sample, "intensity is not a number"));
    if (value < 0) return Fail(BadSample(identity, sample, "intensity is negative"));
    if (sample.interval.length() == Duration::zero())
      return Fail(BadSample(identity, sample, "interval is empty"));
    if (previous && sample.interval.begin < previous->interval.end)
      return Fail(BadSample(identity, sample, "interval begins before the previous one ends"));
    previous = &sample;
  }
  IntensitySeries series;
  series.identity_ = std::move(identity);
  series.samples_ = std::move(samples);
  return series;
}

Interval IntensitySeries::span() const {
  if (samples_.empty()) return {};
  return {samples_.front().interval.begin, samples_.back().interval.end};
}

const Sample* IntensitySeries::At(Time time) const { return SampleAt(samples_, time); }
const Sample* IntensitySeries::NextAfter(Time time) const { return SampleAfter(samples_, time); }

std::optional<WindowMean> IntensitySeries::Mean(Interval window) const {
  WeightedSum sum;
  sum.Add(*this, window);
  return sum.Mean(window);
}

IntensitySeries IntensitySeries::Slice(Interval window) const {
  IntensitySeries slice;
  slice.identity_ = identity_;
  for (auto it = FirstEndingAfter(samples_, window.begin);
       it != samples_.end() && it->interval.begin < window.end; ++it) {
    const Interval part = Overlap(it->interval, window);
    if (part.length() > Duration::zero())
      slice.samples_.push_back({part, it->intensity, it->status, it->link});
  }
  return slice;
}

std::vector<Sample> Filled(const std::vector<Sample>& samples, const std::vector<Sample>& more) {
  std::vector<Sample> all;
  auto covering = samples.begin();
  for (const Sample& sample : more) {
    Time begin = sample.interval.begin;
    for (; covering != samples.end() && covering->interval.begin < sample.interval.end;
         ++covering) {
      Sample part = sample;
      part.interval = {begin, std::min(covering->interval.begin, sample.interval.end)};
      if (part.interval.length() > Duration::zero()) all.push_back(part);
      begin = std::max(begin, covering->interval.end);
      if (begin >= sample.interval.end) break;
    }
    Sample rest = sample;
    rest.interval.begin = begin;
    if (rest.interval.length() > Duration::zero()) all.push_back(rest);
  }
  all.insert(all.end(), samples.begin(), samples.end());
  std::sort(all.begin(), all.end(),
            [](const Sample& a, const Sample& b) { return a.interval.begin < b.interval.begin; });
  return all;
}

std::optional<WindowMean> SignalView::Mean(Interval window) const {
  WeightedSum sum;
  sum.Add(known, window);
  sum.Add(forecast.series, window);
  return sum.Mean(window);
}

const Sample* SignalView::At(Time time) const {
  const Sample* sample = known.At(time);
  return sample ? sample : forecast.series.At(time);
}

}  // namespace ebb::core
