#include "sim/foresight_feed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"

namespace ebb::sim {
namespace {

// Lowest factor on the true intensity, so that an intensity stays positive.
constexpr double kLowestFactor = 0.05;

// The series `known` with another last value.
Result<core::IntensitySeries> WithCurrent(const core::IntensitySeries& known,
                                          const core::Sample& current) {
  std::vector<core::Sample> samples = known.samples();
  samples.back().intensity = current.intensity;
  return core::IntensitySeries::Create(known.identity(), std::move(samples));
}

class ForesightFeed final : public runtime::SignalFeed {
 public:
  ForesightFeed(std::unique_ptr<runtime::SignalFeed> inner, std::optional<ForecastNoise> noise)
      : inner_(std::move(inner)), noise_(noise) {}

  const core::SignalIdentity& identity() const override { return inner_->identity(); }

  Result<core::SignalView> Observe(Time now, Duration horizon) override {
    // The inner feed's own forecast is not used. The shortest horizon keeps it cheap.
    EBB_ASSIGN_OR_RETURN(core::SignalView view, inner_->Observe(now, Duration{1}));
    const core::Sample* current = view.Current();
    // If the present value is not yet published, its expectation has an error too.
    const bool errs_now = noise_ && current && current->status == core::SampleStatus::kForecast;
    Interval ahead{current ? current->interval.end : now, now + horizon};
    if (errs_now) ahead.begin = current->interval.begin;
    if (const auto coverage = inner_->Coverage()) ahead = Overlap(ahead, *coverage);
    view.forecast = {now, Method(), {}, {}, {}};
    if (ahead.length() == Duration::zero()) return view;
    EBB_ASSIGN_OR_RETURN(const core::IntensitySeries truth, inner_->Believed(ahead));
    std::vector<core::Sample> foreseen = Foresee(truth, now);
    if (errs_now && !foreseen.empty()) {
      EBB_ASSIGN_OR_RETURN(view.known, WithCurrent(view.known, foreseen.front()));
      foreseen.erase(foreseen.begin());
    }
    EBB_ASSIGN_OR_RETURN(view.forecast.series,
                         core::IntensitySeries::Create(truth.identity(), std::move(foreseen)));
    return view;
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return inner_->Believed(interval);
  }
  Time NextChange(Time now) const override { return inner_->NextChange(now); }
  std::optional<Interval> Coverage() const override { return inner_->Coverage(); }

 private:
  std::string Method() const {
    return noise_ ? "the truth with a seeded error, for simulation"
                  : "perfect foresight, not attainable in practice";
  }

  std::vector<core::Sample> Foresee(const core::IntensitySeries& truth, Time now) const {
    std::vector<core::Sample> samples = truth.samples();
    // Each moment of issue has its own error, which is the same however often it is asked for.
    const auto issue = static_cast<std::uint64_t>(now.time_since_epoch().count());
    Random random(noise_ ? SeedFor(noise_->seed, issue) : 0);
    double error = 0;
    Time before{};
    for (core::Sample& sample : samples) {
      sample.status = core::SampleStatus::kForecast;
      if (!noise_) continue;
      const bool first = &sample == samples.data();
      const double hours = Hours(sample.interval.begin - before);
      const double memory = first ? 0 : std::pow(noise_->hourly_correlation, hours);
      error = memory * error + std::sqrt(1 - memory * memory) * noise_->sigma * random.Normal();
      sample.intensity.g_per_kwh *= std::max(kLowestFactor, 1 + error);
      before = sample.interval.begin;
    }
    return samples;
  }

  std::unique_ptr<runtime::SignalFeed> inner_;
  std::optional<ForecastNoise> noise_;
};

}  // namespace

std::unique_ptr<runtime::SignalFeed> WithForecast(std::unique_ptr<runtime::SignalFeed> inner,
                                                  ForecastSource source,
                                                  const ForecastNoise& noise) {
  if (source == ForecastSource::kPerfect)
    return std::make_unique<ForesightFeed>(std::move(inner), std::nullopt);
  if (source == ForecastSource::kNoise)
    return std::make_unique<ForesightFeed>(std::move(inner), noise);
  return inner;
}

}  // namespace ebb::sim
