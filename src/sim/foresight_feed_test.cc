#include "sim/foresight_feed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/fake_feed.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Time kStart{hours{1000}};

std::unique_ptr<runtime::SignalFeed> Feed(ForecastSource source, const ForecastNoise& noise = {}) {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(100 + i);
  return WithForecast(std::make_unique<testing::FakeFeed>(kStart, values), source, noise);
}

TEST(ForesightFeed, PerfectForecastIsTheTruthAndSaysSo) {
  const auto feed = Feed(ForecastSource::kPerfect);
  const auto view = feed->Observe(kStart + hours{10} + minutes{5}, hours{24});
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 110);
  EXPECT_EQ(view->forecast.series.span().begin, kStart + hours{11});
  EXPECT_EQ(view->forecast.series.At(kStart + hours{20})->intensity.g_per_kwh, 120);
  EXPECT_EQ(view->forecast.series.At(kStart + hours{20})->status, core::SampleStatus::kForecast);
  EXPECT_NE(view->forecast.method.find("perfect foresight"), std::string::npos);
}

TEST(ForesightFeed, NoiseIsTheSameWheneverItIsAskedAndHasItsSize) {
  ForecastNoise noise;
  noise.sigma = 0.2;
  const auto a = Feed(ForecastSource::kNoise, noise);
  const auto b = Feed(ForecastSource::kNoise, noise);
  double squares = 0;
  int count = 0;
  for (int issue = 0; issue < 100; ++issue) {
    const Time now = kStart + hours{issue};
    const auto first = a->Observe(now, hours{48});
    const auto second = b->Observe(now, hours{48});
    EXPECT_EQ(first->forecast.series.samples(), second->forecast.series.samples());
    for (const core::Sample& sample : first->forecast.series.samples()) {
      const double truth = 100 + Hours(sample.interval.begin - kStart);
      const double error = sample.intensity.g_per_kwh / truth - 1;
      squares += error * error;
      ++count;
    }
  }
  EXPECT_NEAR(std::sqrt(squares / count), 0.2, 0.03);
}

TEST(ForesightFeed, NeighbouringHoursErrTogether) {
  ForecastNoise noise;
  noise.hourly_correlation = 0.9;
  const auto feed = Feed(ForecastSource::kNoise, noise);
  double products = 0, squares = 0;
  for (int issue = 0; issue < 100; ++issue) {
    const auto view = feed->Observe(kStart + hours{issue}, hours{48});
    double before = 0;
    for (const core::Sample& sample : view->forecast.series.samples()) {
      const double error =
          sample.intensity.g_per_kwh / (100 + Hours(sample.interval.begin - kStart)) - 1;
      products += before * error;
      squares += before * before;
      before = error;
    }
  }
  EXPECT_NEAR(products / squares, 0.9, 0.05);
}

// A feed whose present value is not published but only expected. The expectation happens to be
// right.
class Unpublished final : public runtime::SignalFeed {
 public:
  explicit Unpublished(std::vector<double> values) : inner_(kStart, std::move(values)) {}
  const core::SignalIdentity& identity() const override { return inner_.identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override {
    EBB_ASSIGN_OR_RETURN(core::SignalView view, inner_.Observe(now, horizon));
    std::vector<core::Sample> samples = view.known.samples();
    samples.back().status = core::SampleStatus::kForecast;
    EBB_ASSIGN_OR_RETURN(view.known, core::IntensitySeries::Create(identity(), std::move(samples)));
    return view;
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return inner_.Believed(interval);
  }
  Time NextChange(Time now) const override { return inner_.NextChange(now); }

 private:
  testing::FakeFeed inner_;
};

TEST(ForesightFeed, WhatIsExpectedOfTheHourThatRunsErrsAsWell) {
  ForecastNoise noise;
  noise.sigma = 0.2;
  const auto make = [&](ForecastSource source) {
    return WithForecast(std::make_unique<Unpublished>(std::vector<double>(100, 300.0)), source,
                        noise);
  };
  const auto noisy = make(ForecastSource::kNoise), perfect = make(ForecastSource::kPerfect);
  double squares = 0;
  for (int hour = 0; hour < 50; ++hour) {
    const Time now = kStart + hours{hour} + minutes{10};
    EXPECT_EQ(perfect->Observe(now, hours{5})->Current()->intensity.g_per_kwh, 300);
    const auto view = noisy->Observe(now, hours{5});
    const double error = view->Current()->intensity.g_per_kwh / 300 - 1;
    squares += error * error;
    EXPECT_EQ(view->Current()->interval.end, view->forecast.series.span().begin);
    EXPECT_EQ(view->known.At(kStart)->intensity.g_per_kwh == 300, hour > 0) << "the past has none";
  }
  EXPECT_NEAR(std::sqrt(squares / 50), 0.2, 0.06);
}

TEST(ForesightFeed, OtherSourcesKeepTheFeed) {
  const auto feed = Feed(ForecastSource::kOwn);
  EXPECT_NE(dynamic_cast<testing::FakeFeed*>(feed.get()), nullptr);
}

}  // namespace
}  // namespace ebb::sim
