#include "report/period/period_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/period/period.h"

namespace ebb::report {
namespace {

using core::Component;
using core::EnergySource;
using std::chrono::hours;
using testing::ElementsAre;

const Time kFirst = *ParseTime("2026-10-01");

core::LedgerRow Row(const std::string& device, Component component, Interval wall) {
  core::LedgerRow row;
  row.device = device;
  row.component = component;
  row.source = EnergySource::kCounter;
  row.wall = row.grid = wall;
  row.energy = Energy::Joules(3'600'000);
  row.intensity = Intensity{100};
  return row;
}

// Two hours around the midnight between the two days: two GPUs and the processors.
PeriodRun AroundMidnight() {
  PeriodRun run;
  core::RunSpec& spec = run.run.spec;
  spec.run_id = "a";
  spec.signal = {"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle, "Electricity Maps"};
  spec.machine.host = "node";
  spec.machine.cpu_model = "EPYC";
  spec.machine.gpu_models = {"A100", "A100"};
  const Interval wall{kFirst + hours(23), kFirst + hours(25)};
  for (const char* gpu : {"gpu:GPU-1", "gpu:GPU-2"})
    run.run.ledger.push_back(Row(gpu, Component::kGpu, wall));
  run.run.ledger.push_back(Row("cpu:package-0", Component::kCpu, wall));
  run.run.attempts.push_back({1, wall, wall, core::AttemptOutcome::kDone});
  run.run.work.tokens = 1000;
  run.owner = {"a", "runs", "vision", "ada", "DE"};
  run.at_submission = wall.begin;
  return run;
}

// The same on another machine with GPUs of its own.
PeriodRun OnAnotherMachine() {
  PeriodRun run = AroundMidnight();
  run.owner.run = run.run.spec.run_id = "b";
  run.run.spec.machine.host = "other";
  for (core::LedgerRow& row : run.run.ledger) row.device += "-other";
  return run;
}

PeriodRequest Days(int from, int to) {
  PeriodRequest request;
  for (int day = from; day < to; ++day) {
    const Time begin = kFirst + hours(24 * day);
    request.days.push_back({FormatTime(begin).substr(0, 10), {begin, begin + hours(24)}});
  }
  request.boundary = core::Boundary::kLifecycle;
  return request;
}

PeriodReport Report(const PeriodRequest& request, const std::vector<PeriodRun>& runs) {
  PeriodAccount account(request);
  account.Add(runs);
  return account.Report();
}

TEST(PeriodFacts, HardwarePlaceAndTimeOfGpusAreThoseOfTheRuns) {
  PeriodRun run = AroundMidnight();
  run.run.spec.location = {"Bavaria", "aws", "eu-central-1"};
  const PeriodFacts facts = Report(Days(0, 2), {run}).facts;
  EXPECT_EQ(facts.runs, 1);
  EXPECT_THAT(facts.hardware, ElementsAre("2 x A100, EPYC"));
  EXPECT_THAT(facts.zones, ElementsAre("DE"));
  EXPECT_THAT(facts.regions, ElementsAre("Bavaria"));
  EXPECT_THAT(facts.clouds, ElementsAre("aws eu-central-1"));
  EXPECT_THAT(facts.signals, ElementsAre("Electricity Maps"));
  EXPECT_EQ(facts.gpu_time, hours(4)) << "two GPUs for two hours";
  EXPECT_EQ(facts.cut, 0);
  EXPECT_EQ(facts.tokens.count, 1000);
  EXPECT_EQ(facts.tokens.runs, 1);
  EXPECT_EQ(facts.samples.runs, 0);
}

TEST(PeriodFacts, UnlikeGpusAreNamed) {
  PeriodRun run = AroundMidnight();
  run.run.spec.machine.gpu_models = {"A100", "H100"};
  EXPECT_THAT(Report(Days(0, 2), {run}).facts.hardware, ElementsAre("1 x A100, 1 x H100, EPYC"));
  run.run.spec.machine.gpu_models = {"A100", "A100", "H100"};
  EXPECT_THAT(Report(Days(0, 2), {run}).facts.hardware, ElementsAre("2 of A100, H100, EPYC"));
  run.run.spec.machine.gpu_models.clear();
  EXPECT_THAT(Report(Days(0, 2), {run}).facts.hardware, ElementsAre("2 GPUs, EPYC"));
}

TEST(PeriodFacts, ARunThatThePeriodCutsIsCounted) {
  const PeriodFacts facts = Report(Days(0, 1), {AroundMidnight()}).facts;
  EXPECT_EQ(facts.runs, 1);
  EXPECT_EQ(facts.cut, 1);
  EXPECT_EQ(facts.gpu_time, hours(2));
  EXPECT_EQ(Report(Days(3, 4), {AroundMidnight()}).facts.runs, 0);
}

// 1,000 g over 100 hours: 10 g for each hour.
TEST(PeriodFacts, EmbodiedEmissionsAreSharedByRunningTimeAndAddUpOverDays) {
  PeriodRun run = AroundMidnight();
  run.run.spec.embodied = core::Embodied{{1000}, hours(100), 1};
  const PeriodReport both = Report(Days(0, 2), {run});
  EXPECT_EQ(both.total.figures.known_embodied_ug(), 20'000'000);
  EXPECT_EQ(both.total.figures.running, hours(2));
  EXPECT_EQ(both.days[0].second.embodied_ug, 10'000'000);
  EXPECT_EQ(both.days[1].second.embodied_ug, 10'000'000);
  const PeriodFigures total = Report(Days(0, 2), {run, OnAnotherMachine()}).total.figures;
  EXPECT_FALSE(total.known_embodied_ug()) << "of one of two it is not known";
  EXPECT_EQ(total.without_embodied, hours(2));
  EXPECT_EQ(total.running, hours(4));
}

TEST(PeriodFacts, EnergyAtTheFactorOfAContractIsToldFromThatOfTheResidualMix) {
  PeriodRequest request = Days(0, 2);
  request.supplier = {{{30}, "DE"}};
  request.residual_mix = {{{700}, ""}};
  PeriodRun other = OnAnotherMachine();
  other.owner.zone = "FR";
  const PeriodFigures total = Report(request, {AroundMidnight(), other}).total.figures;
  EXPECT_EQ(total.by_contract, Energy::Joules(3 * 3'600'000));
  EXPECT_EQ(total.without_contract, Energy{});
  EXPECT_EQ(total.energy, Energy::Joules(6 * 3'600'000));
}

}  // namespace
}  // namespace ebb::report
