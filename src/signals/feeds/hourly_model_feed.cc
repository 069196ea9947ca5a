#include "signals/feeds/hourly_model_feed.h"

#include <utility>

#include "base/check.h"
#include "signals/feeds/live_view.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

class HourlyModelFeed final : public runtime::SignalFeed {
 public:
  explicit HourlyModelFeed(std::unique_ptr<HourlyModel> model)
      : model_(std::move(model)), identity_(model_->identity()), notes_(model_->notes()) {}

  const core::SignalIdentity& identity() const override { return identity_; }

  Result<core::SignalView> Observe(Time now, Duration horizon) override {
    const Time now_hour = HourOf(now);
    core::SignalView view;
    view.now = now;
    view.known = Series({now - kKnownHistory, now_hour + kHour}, core::SampleStatus::kModelled,
                        [&](Time hour) { return model_->At(hour); });
    view.forecast.issued = now;
    view.forecast.method = model_->forecast_method();
    view.forecast.series = Series({now_hour + kHour, now + horizon}, core::SampleStatus::kForecast,
                                  [&](Time hour) { return model_->Expected(hour, now_hour); });
    return view;
  }

  Result<core::IntensitySeries> Believed(Interval interval) override {
    return Series(interval, core::SampleStatus::kModelled,
                  [&](Time hour) { return model_->At(hour); });
  }

  Time NextChange(Time now) const override { return HourOf(now) + kHour; }
  std::vector<std::string> TakeNotes() override { return std::exchange(notes_, {}); }

 private:
  Time HourOf(Time time) const {
    const Duration offset = model_->hour_offset();
    return std::chrono::floor<std::chrono::hours>(time - offset) + offset;
  }

  // One sample per hour, the first and last cut to the window.
  template <typename ValueOf>
  core::IntensitySeries Series(Interval window, core::SampleStatus status, ValueOf value_of) const {
    std::vector<core::Sample> samples;
    for (Time hour = HourOf(window.begin); hour < window.end; hour += kHour)
      samples.push_back({Overlap({hour, hour + kHour}, window), value_of(hour), status});
    auto series = core::IntensitySeries::Create(identity_, std::move(samples));
    EBB_CHECK(series.has_value());
    return *std::move(series);
  }

  std::unique_ptr<HourlyModel> model_;
  core::SignalIdentity identity_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<runtime::SignalFeed> MakeHourlyModelFeed(std::unique_ptr<HourlyModel> model) {
  return std::make_unique<HourlyModelFeed>(std::move(model));
}

}  // namespace ebb::signals
