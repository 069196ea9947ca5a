#include "core/uncertainty.h"

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

// Draws every error once per trial and recomputes the sums from the rows: nothing of the formula.
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
}

TEST(UncertaintyTest, NothingMeasuredIsNoError) {
  const Uncertainty result = UncertaintyOf({}, MeterScope::kMachine);
  EXPECT_EQ(result.energy_share, 0);
  EXPECT_EQ(result.emissions_share, 0);
}

}  // namespace
}  // namespace ebb::core
