#include "core/run/uncertainty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace ebb::core {
namespace {

LedgerRow Row(Component component, EnergySource source, SampleStatus status, double joules,
              double g_per_kwh) {
  LedgerRow row;
  row.component = component;
  row.source = source;
  row.energy = Energy::Joules(joules);
  row.pue = {1.2};
  row.intensity = Intensity{g_per_kwh};
  row.intensity_status = status;
  return row;
}

// Half of a 95 % interval is two standard deviations.
struct Spread {
  double energy_share;
  double emissions_share;
};

// Draws every error once per trial and recomputes the sums from the rows, without the formula.
Spread MonteCarlo(const std::vector<LedgerRow>& rows, MeterScope scope, int trials) {
  std::mt19937_64 generator(17);
  std::normal_distribution<double> normal;
  double joules_sum = 0, joules_squares = 0, grams_sum = 0, grams_squares = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::map<std::tuple<Component, EnergySource, bool>, double> energy_error;
    std::map<SampleStatus, double> intensity_error;
    double joules = 0, grams = 0;
    for (const LedgerRow& row : rows) {
      const EnergyWay way = WayOf(row, scope);
      auto [e, new_way] = energy_error.try_emplace({way.component, way.source, way.shared}, 0);
      if (new_way) e->second = normal(generator) * RelativeBound(way) / 2;
      auto [f, new_status] = intensity_error.try_emplace(row.intensity_status, 0);
      if (new_status) f->second = normal(generator) * RelativeBound(row.intensity_status) / 2;
      joules += row.energy.joules() * (1 + e->second);
      grams += row.emissions()->grams * (1 + e->second) * (1 + f->second);
    }
    joules_sum += joules;
    joules_squares += joules * joules;
    grams_sum += grams;
    grams_squares += grams * grams;
  }
  const auto share = [&](double sum, double squares) {
    const double mean = sum / trials;
    return 2 * std::sqrt(squares / trials - mean * mean) / mean;
  };
  return {share(joules_sum, joules_squares), share(grams_sum, grams_squares)};
}

TEST(UncertaintyTest, AgreesWithMonteCarlo) {
  const std::vector<LedgerRow> mixed{
      Row(Component::kCpu, EnergySource::kCounter, SampleStatus::kMeasured, 4000, 300),
      Row(Component::kCpu, EnergySource::kCounter, SampleStatus::kForecast, 2500, 120),
      Row(Component::kGpu, EnergySource::kCounter, SampleStatus::kMeasured, 9000, 300),
      Row(Component::kGpu, EnergySource::kPowerIntegral, SampleStatus::kEstimated, 3000, 700),
      Row(Component::kRam, EnergySource::kModel, SampleStatus::kModelled, 2000, 450),
      Row(Component::kRam, EnergySource::kModel, SampleStatus::kMeasured, 2000, 310)};
  for (const MeterScope scope : {MeterScope::kMachine, MeterScope::kProcessTree}) {
    const Uncertainty exact = UncertaintyOf(mixed, scope);
    const Spread drawn = MonteCarlo(mixed, scope, 200'000);
    EXPECT_NEAR(exact.energy_share, drawn.energy_share, 0.01 * drawn.energy_share);
    EXPECT_NEAR(exact.emissions_share, drawn.emissions_share, 0.01 * drawn.emissions_share);
  }
}

TEST(UncertaintyTest, OneWayIsItsBoundHoweverManyRows) {
  std::vector<LedgerRow> rows;
  for (int i = 0; i < 50; ++i)
    rows.push_back(Row(Component::kGpu, EnergySource::kCounter, SampleStatus::kMeasured, 100, 200));
  const Uncertainty result = UncertaintyOf(rows, MeterScope::kProcessTree);
  EXPECT_NEAR(result.energy_share, RelativeBound(WayOf(rows[0], MeterScope::kProcessTree)), 1e-12)
      << "errors of one meter do not average out";
  EXPECT_EQ(result.measured, Energy::Joules(5000)) << "a GPU is metered whole in both scopes";
}

TEST(UncertaintyTest, MeasuredMeansASensorOnAWholeDevice) {
  const LedgerRow counted =
      Row(Component::kCpu, EnergySource::kCounter, SampleStatus::kMeasured, 1, 1);
  const LedgerRow modelled =
      Row(Component::kCpu, EnergySource::kModel, SampleStatus::kMeasured, 1, 1);
  EXPECT_TRUE(IsMeasured(WayOf(counted, MeterScope::kMachine)));
  EXPECT_FALSE(IsMeasured(WayOf(counted, MeterScope::kProcessTree)));
  EXPECT_FALSE(IsMeasured(WayOf(modelled, MeterScope::kMachine)));
  LedgerRow gpu = Row(Component::kGpu, EnergySource::kCounter, SampleStatus::kMeasured, 1, 1);
  EXPECT_TRUE(IsMeasured(WayOf(gpu, MeterScope::kProcessTree)));
  const double of_whole = UncertaintyOf({gpu}, MeterScope::kProcessTree).energy_share;
  gpu.shared = true;
  EXPECT_FALSE(IsMeasured(WayOf(gpu, MeterScope::kProcessTree))) << "nor is it in the machine";
  EXPECT_FALSE(IsMeasured(WayOf(gpu, MeterScope::kMachine)));
  EXPECT_GT(UncertaintyOf({gpu}, MeterScope::kProcessTree).energy_share, 2 * of_whole);
}

TEST(UncertaintyTest, NothingMeasuredIsNoError) {
  const Uncertainty result = UncertaintyOf({}, MeterScope::kMachine);
  EXPECT_EQ(result.energy_share, 0);
  EXPECT_EQ(result.emissions_share, 0);
}

LedgerRow InHour(LedgerRow row, int hour) {
  row.grid = {Time{} + std::chrono::hours{hour}, Time{} + std::chrono::hours{hour + 1}};
  return row;
}

// Draws the errors of energy once, and those of each hour with their common part. Returns how often
// the resulting difference lies within the stated half width.
double CoverageOfDifference(const std::vector<LedgerRow>& one, const std::vector<LedgerRow>& other,
                            MeterScope scope, int trials) {
  double stated = 0;
  for (const LedgerRow& row : one) stated += row.emissions()->grams;
  for (const LedgerRow& row : other) stated -= row.emissions()->grams;
  const double half_width = HalfWidthOfDifference(one, other, scope);
  std::mt19937_64 generator(23);
  std::normal_distribution<double> normal;
  int inside = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::map<std::tuple<Component, EnergySource, bool>, double> energy_error;
    std::map<SampleStatus, double> common;
    std::map<std::pair<SampleStatus, Time>, double> of_day, own;
    double drawn = 0;
    const auto add = [&](const std::vector<LedgerRow>& rows, double sign) {
      for (const LedgerRow& row : rows) {
        const EnergyWay way = WayOf(row, scope);
        auto [e, new_way] = energy_error.try_emplace({way.component, way.source, way.shared}, 0);
        if (new_way) e->second = normal(generator) * RelativeBound(way) / 1.96;
        auto [c, new_status] = common.try_emplace(row.intensity_status, 0);
        if (new_status) c->second = normal(generator);
        auto [o, new_hour] = own.try_emplace({row.intensity_status, row.grid.begin}, 0);
        if (new_hour) o->second = normal(generator);
        const Time day = std::chrono::floor<std::chrono::days>(row.grid.begin);
        auto [d, new_day] = of_day.try_emplace({row.intensity_status, day}, 0);
        if (new_day) d->second = normal(generator);
        const HourCorrelation agree = CorrelationOfHours(row.intensity_status);
        const double f = RelativeBound(row.intensity_status) / 1.96 *
                         (std::sqrt(agree.across_days) * c->second +
                          std::sqrt(agree.within_day - agree.across_days) * d->second +
                          std::sqrt(1 - agree.within_day) * o->second);
        drawn += sign * row.emissions()->grams * (1 + e->second) * (1 + f);
      }
    };
    add(one, 1);
    add(other, -1);
    inside += std::abs(drawn - stated) <= half_width;
  }
  return static_cast<double>(inside) / trials;
}

TEST(UncertaintyTest, NinetyFiveOfAHundredDifferencesLieWithinTheirInterval) {
  std::mt19937 random(5);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 20; ++round) {
    std::vector<LedgerRow> actual, otherwise;
    const int hours = 1 + upto(12), moved = upto(60);
    const auto status = static_cast<SampleStatus>(upto(4));
    for (int hour = 0; hour < hours; ++hour)
      for (const auto component : {Component::kCpu, Component::kGpu}) {
        const auto source = component == Component::kGpu ? EnergySource::kCounter
                                                         : static_cast<EnergySource>(upto(3));
        const double joules = 1000 + upto(9000);
        actual.push_back(InHour(Row(component, source, status, joules, 50 + upto(500)), hour));
        otherwise.push_back(
            InHour(Row(component, source, SampleStatus::kMeasured, joules, 50 + upto(500)),
                   hour - moved - hours));
      }
    const double covered = CoverageOfDifference(otherwise, actual, MeterScope::kMachine, 4000);
    EXPECT_NEAR(covered, 0.95, 0.0125) << round;  // 0.01 beside the uncertainty that 4,000 trials
                                                  // leave
  }
}

TEST(UncertaintyTest, WhatRanInTheSameHoursDiffersByNothingForSure) {
  const std::vector<LedgerRow> rows{
      InHour(Row(Component::kCpu, EnergySource::kModel, SampleStatus::kModelled, 4000, 300), 1)};
  EXPECT_EQ(HalfWidthOfDifference(rows, rows, MeterScope::kMachine), 0);
}

// Two typical days show what a saving of 2 % is worth.
TEST(UncertaintyTest, ASmallSavingIsNoClearOne) {
  const auto at = [](int hour, double g_per_kwh) {
    return std::vector<LedgerRow>{
        InHour(Row(Component::kCpu, EnergySource::kModel, SampleStatus::kModelled, 4000, g_per_kwh),
               hour)};
  };
  const double grams = at(1, 300)[0].emissions()->grams;
  EXPECT_GT(HalfWidthOfDifference(at(1, 300), at(5, 294), MeterScope::kMachine), 0.02 * grams);
  EXPECT_LT(HalfWidthOfDifference(at(1, 300), at(5, 60), MeterScope::kMachine), 0.8 * grams);
}

}  // namespace
}  // namespace ebb::core
