#include "report/run/prometheus_text.h"

#include <gtest/gtest.h>

#include "report/golden_for_test.h"
#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

TEST(PrometheusText, HasCodeCarbonsNamesAndItsOwn) {
  const core::RunRecord run = RunBuilder{}.Build();
  PrometheusTotals half, whole;
  AddRows(std::span(run.ledger).first(run.ledger.size() / 2), half);
  half.duration_s = 300;
  AddRows(run.ledger, whole);
  whole.duration_s = 600;
  ExpectGolden("prometheus.txt", PrometheusText("my \"project\"", "run-1", whole, half));
}

TEST(PrometheusText, TotalsAreThoseOfTheLedgerInAnyPortions) {
  core::RunRecord run = RunBuilder{}.Build();
  for (core::LedgerRow& row : run.ledger) row.pue.ratio = 1.5;
  run.ledger.back().intensity.reset();
  PrometheusTotals totals;
  for (const core::LedgerRow& row : run.ledger) AddRows(std::span(&row, 1), totals);
  const core::LedgerTotals expected = core::Total(run.ledger);
  EXPECT_NEAR(totals.energy_j(), expected.facility_energy.joules(), 1e-3);
  EXPECT_NEAR(totals.emissions_g, expected.emissions.grams, 1e-9);
  EXPECT_NEAR(totals.unaccounted_j, 1.5 * expected.energy_without_intensity.joules(), 1e-3);
  EXPECT_GT(totals.unaccounted_j, 0) << "unknown is never zero grams";
}

TEST(PrometheusText, PowerIsWithoutPueAndOverTheLatestRows) {
  core::LedgerRow row;
  row.pue.ratio = 2;
  row.wall = {Time{}, Time{} + Duration{2000}};
  row.energy = Energy::Joules(100);
  PrometheusTotals totals;
  AddRows(std::span(&row, 1), totals);
  EXPECT_EQ(totals.cpu.power_w, 50);
  EXPECT_EQ(totals.cpu.energy_j, 200);
  EXPECT_EQ(totals.gpu.power_w, 0);
}

}  // namespace
}  // namespace ebb::report
