#include "report/impact/sci.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/impact/example_for_test.h"

namespace ebb::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Sci, TermsAreThoseComputedByHand) {
  const Sci sci = SciOf(ExampleReport(), FunctionalUnit::kSample);
  EXPECT_EQ(sci.energy, Energy::Joules(1'728'000)) << "480 Wh";
  ASSERT_TRUE(sci.intensity);
  EXPECT_NEAR(sci.intensity->g_per_kwh, 265, 1e-9) << "mean of 400 and 130";
  EXPECT_EQ(sci.operational_ug, 127'200'000);
  EXPECT_EQ(sci.embodied_ug, 5'000'000) << "1,200 kg x 1/6 h / 40,000 h x 0.5, twice";
  EXPECT_EQ(sci.units, 120'000);
  ASSERT_TRUE(sci.grams_per_unit());
  EXPECT_NEAR(*sci.grams_per_unit(), 132.2 / 120'000, 1e-15);
  EXPECT_TRUE(sci.unknown.empty());
}

// SCI x R is the total, and E x I the emissions of the report, for each functional unit.
TEST(Sci, TimesTheUnitsItIsTheTotal) {
  const PeriodReport report = ExampleReport();
  for (const FunctionalUnit unit :
       {FunctionalUnit::kRun, FunctionalUnit::kSample, FunctionalUnit::kEpoch}) {
    const Sci sci = SciOf(report, unit);
    ASSERT_TRUE(sci.grams_per_unit() && sci.units) << Name(unit);
    EXPECT_NEAR(*sci.grams_per_unit() * static_cast<double>(*sci.units), 132.2, 1e-9);
    EXPECT_NEAR(*sci.operational_per_unit() * static_cast<double>(*sci.units), 127.2, 1e-9);
    EXPECT_NEAR(sci.energy.kwh() * sci.intensity->g_per_kwh,
                Grams(report.total.figures.emissions_ug), 1e-9);
  }
  EXPECT_EQ(SciOf(report, FunctionalUnit::kRun).units, 2);
  EXPECT_EQ(SciOf(report, FunctionalUnit::kEpoch).units, 4);
}

TEST(Sci, WithoutWorkOfEachRunItIsUnknown) {
  std::vector<PeriodRun> runs = ExampleRuns();
  runs[1].run.work = {};
  const Sci sci = SciOf(ReportOf(ExampleRequest(), runs), FunctionalUnit::kSample);
  EXPECT_FALSE(sci.units);
  EXPECT_FALSE(sci.grams_per_unit());
  EXPECT_THAT(sci.unknown, ElementsAre(HasSubstr("1 run of 2 did not report")));
  EXPECT_TRUE(SciOf(ReportOf(ExampleRequest(), runs), FunctionalUnit::kRun).grams_per_unit());
}

TEST(Sci, WithoutEmbodiedEmissionsOfEachRunItIsUnknownAndItsOperationalPartIsNot) {
  std::vector<PeriodRun> runs = ExampleRuns();
  runs[0].run.spec.embodied.reset();
  const Sci sci = SciOf(ReportOf(ExampleRequest(), runs), FunctionalUnit::kRun);
  EXPECT_FALSE(sci.grams_per_unit());
  EXPECT_NEAR(*sci.operational_per_unit(), 63.6, 1e-9);
  EXPECT_THAT(sci.unknown, ElementsAre(StartsWith("M: ")));
}

TEST(Sci, AnUnknownIntensityMakesItUnknown) {
  std::vector<PeriodRun> runs = ExampleRuns();
  for (core::LedgerRow& row : runs[1].run.ledger) row.intensity.reset();
  const Sci sci = SciOf(ReportOf(ExampleRequest(), runs), FunctionalUnit::kRun);
  EXPECT_FALSE(sci.operational_ug);
  EXPECT_FALSE(sci.grams_per_unit());
  EXPECT_THAT(sci.unknown, ElementsAre(StartsWith("I: ")));
}

// The work of a run is known as a whole, so it does not fit a part of the run's energy.
TEST(Sci, ARunThatThePeriodCutsHasNoWork) {
  RunBuilder builder;
  builder.work.samples = 100;
  builder.submitted = std::chrono::hours(24) - std::chrono::minutes(5);
  const PeriodReport report = ReportOf(ExampleRequest(1), {ExampleRun(builder)});
  EXPECT_EQ(report.facts.cut, 1);
  const Sci sci = SciOf(report, FunctionalUnit::kSample);
  EXPECT_FALSE(sci.grams_per_unit());
  EXPECT_THAT(sci.unknown, ElementsAre(StartsWith("R: ")));
}

TEST(Sci, NamesOfUnitsReadBack) {
  for (const char* name : {"run", "token", "sample", "step", "epoch"}) {
    const auto unit = FunctionalUnitFromName(name);
    ASSERT_TRUE(unit) << name;
    EXPECT_EQ(Name(*unit), name);
  }
  EXPECT_FALSE(FunctionalUnitFromName("user"));
}

}  // namespace
}  // namespace ebb::report
