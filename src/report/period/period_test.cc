#include "report/period/period.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/csv.h"
#include "base/text.h"
#include "core/run/accounting.h"
#include "report/run/summary.h"

namespace ebb::report {
namespace {

using core::Component;
using core::EnergySource;
using core::MeterScope;
using core::SampleStatus;
using std::chrono::hours;
using std::chrono::minutes;

const Time kFirst = *ParseTime("2026-10-01");

core::IntensitySeries Hourly(const std::vector<double>& values, const std::string& zone = "DE",
                             SampleStatus status = SampleStatus::kMeasured, Time from = kFirst) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] >= 0)  // else a gap
      samples.push_back({{from + hours(i), from + hours(i + 1)}, {values[i]}, status});
  return *core::IntensitySeries::Create(
      {zone, core::SignalKind::kAverage, core::Boundary::kLifecycle, "test"}, samples);
}

struct Reading {
  std::string device = "cpu:package-0";
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kCounter;
  Interval wall;
  double joules = 0;
};

// A run on the real clock whose rows have the intensities of `signal`.
PeriodRun RunOf(const std::string& id, const std::vector<Reading>& readings,
                const core::IntensitySeries& signal, MeterScope scope = MeterScope::kProcessTree) {
  PeriodRun run;
  core::RunSpec& spec = run.run.spec;
  spec.run_id = id;
  spec.signal = signal.identity();
  spec.scope = scope;
  spec.machine.host = "node";
  Interval wall{readings.front().wall.begin, readings.front().wall.end};
  for (const Reading& reading : readings) {
    wall = {std::min(wall.begin, reading.wall.begin), std::max(wall.end, reading.wall.end)};
    const core::EnergyReading read{reading.device, reading.component, reading.source, reading.wall,
                                   Energy::Joules(reading.joules)};
    for (core::LedgerRow& row : core::MakeRows(read, reading.wall, 1, {1.25}, signal))
      run.run.ledger.push_back(row);
  }
  spec.created_wall = spec.submitted = wall.begin;
  spec.start_by = wall.begin;
  run.run.attempts.push_back({1, wall, wall, core::AttemptOutcome::kDone});
  run.run.signal = signal;
  run.run = core::Accounted(std::move(run.run));
  run.at_submission = run.run.ledger.front().grid.begin;
  run.owner = {id, "runs", "vision", "ada", signal.identity().zone};
  return run;
}

PeriodRequest Days(int from, int to, PeriodBy by = PeriodBy::kProject) {
  PeriodRequest request;
  for (int day = from; day < to; ++day) {
    const Time begin = kFirst + hours(24 * day);
    request.days.push_back({FormatTime(begin).substr(0, 10), {begin, begin + hours(24)}});
  }
  request.by = by;
  request.boundary = core::Boundary::kLifecycle;
  request.from = FormatTime(request.period().begin).substr(0, 10) + " 00:00";
  request.to = FormatTime(request.period().end).substr(0, 10) + " 00:00";
  request.time_zone = "UTC";
  return request;
}

PeriodReport Report(const PeriodRequest& request, const std::vector<PeriodRun>& runs) {
  PeriodAccount account(request);
  account.Add(runs);
  return account.Report();
}

// Runs over four days in three zones, with gaps, revisions, pauses and unlike meters. Two in three
// have a machine of their own.
std::vector<PeriodRun> RandomRuns(std::mt19937_64& random) {
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::vector<PeriodRun> runs;
  const int count = number(1, 6);
  for (int i = 0; i < count; ++i) {
    std::vector<double> values;
    for (int hour = 0; hour < 5 * 24; ++hour)
      values.push_back(number(0, 40) == 0 ? -1 : number(0, 900));
    const auto status = static_cast<SampleStatus>(number(0, 3));
    const auto live = Hourly(values, "Z" + std::to_string(number(0, 2)), status);
    for (double& value : values)
      if (value >= 0 && number(0, 3) == 0) value += number(1, 90);
    std::vector<Reading> readings;
    Time at = kFirst + minutes(number(0, 3 * 24 * 60));
    const bool machine = number(0, 1) == 0;
    for (int row = number(2, 30); row > 0; --row) {
      const Interval wall{at, at + Duration{number(1, 5'000'000)}};
      readings.push_back({"cpu:package-0", Component::kCpu, static_cast<EnergySource>(number(0, 2)),
                          wall, number(1, 4'000'000) / 997.0});
      if (number(0, 2) == 0)
        readings.push_back({"gpu:GPU-" + std::to_string(i), Component::kGpu, EnergySource::kCounter,
                            wall, number(1, 4'000'000) / 991.0});
      at = wall.end + Duration{number(0, 9) == 0 ? number(1, 9'000'000) : 0};
    }
    PeriodRun run = RunOf("run" + std::to_string(i), readings, live,
                          machine ? MeterScope::kMachine : MeterScope::kProcessTree);
    run.run.signal = Hourly(values, live.identity().zone, status);
    run.run = core::Accounted(std::move(run.run));
    if (number(0, 2) != 0) run.run.spec.machine.host = "node" + std::to_string(i);
    run.owner.project = number(0, 3) == 0 ? "" : "p" + std::to_string(number(0, 1));
    run.owner.user = number(0, 3) == 0 ? "" : "u" + std::to_string(number(0, 1));
    run.at_submission -= minutes(number(0, 1) * number(0, 600));
    run.has_ended = number(0, 4) != 0;
    runs.push_back(std::move(run));
  }
  return runs;
}

// The figures that add up. The count of runs does not: a run in two periods counts in each.
PeriodFigures Additive(PeriodFigures figures) {
  figures.runs = 0;
  return figures;
}

TEST(Period, RowsAndDaysAddUpToTheTotalWhateverTheyAreGroupedBy) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::vector<PeriodRun> runs = RandomRuns(random);
    std::optional<PeriodFigures> total;
    for (const PeriodBy by :
         {PeriodBy::kProject, PeriodBy::kUser, PeriodBy::kZone, PeriodBy::kSite, PeriodBy::kRun}) {
      PeriodRequest request = Days(0, 4, by);
      request.supplier = {{{30}, "Z1"}};
      const PeriodReport report = Report(request, runs);
      PeriodFigures rows, days, cells;
      for (const PeriodRow& row : report.rows) rows += row.figures;
      for (const auto& [date, figures] : report.days) days += figures;
      for (const auto& [key, figures] : report.cells) cells += figures;
      ASSERT_EQ(rows, report.total.figures) << round;
      ASSERT_EQ(days, report.total.figures) << round;
      ASSERT_EQ(cells, report.total.figures) << round;
      ASSERT_EQ(report.total.figures, total.value_or(report.total.figures)) << round;
      total = report.total.figures;
    }
  }
}

TEST(Period, AdjacentPeriodsAddUpToTheWhole) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::vector<PeriodRun> runs = RandomRuns(random);
    const int border = 1 + round % 3;
    const PeriodReport whole = Report(Days(0, 4), runs);
    PeriodFigures parts = Report(Days(0, border), runs).total.figures;
    parts += Report(Days(border, 4), runs).total.figures;
    ASSERT_EQ(Additive(parts), Additive(whole.total.figures)) << round;
  }
}

// Compares with each row cut alone, in real numbers.
TEST(Period, AgreesWithRowsCutByHand) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<PeriodRun> runs = RandomRuns(random);
    for (std::size_t i = 0; i < runs.size(); ++i)
      runs[i].run.spec.machine.host = "node" + std::to_string(i);
    const Interval period = Days(1, 3).period();
    double joules = 0, grams = 0, unknown = 0;
    std::size_t rows = 0;
    for (const PeriodRun& run : runs)
      for (const core::LedgerRow& row : run.run.ledger) {
        const double share =
            Seconds(Overlap(row.wall, period).length()) / Seconds(row.wall.length());
        const double part = row.energy.joules() * share;
        joules += part;
        if (row.intensity)
          grams += part / 3.6e6 * row.pue.ratio * row.intensity->g_per_kwh;
        else
          unknown += part;
        ++rows;
      }
    const PeriodFigures total = Report(Days(1, 3), runs).total.figures;
    const double rounding = 1e-6 * static_cast<double>(rows + 1);
    ASSERT_NEAR(total.energy.joules(), joules, rounding) << round;
    ASSERT_NEAR(total.without_intensity.joules(), unknown, rounding) << round;
    ASSERT_NEAR(Grams(total.emissions_ug), grams, rounding) << round;
  }
}

// Over the whole life of one run, the report equals the run's summary.
TEST(Period, ARunInAPeriodOfItsOwnIsItsSummary) {
  std::mt19937_64 random(4);
  int compared = 0;
  for (int round = 0; round < 100; ++round) {
    PeriodRun run = RandomRuns(random).front();
    run.has_ended = true;
    run.at_submission = StartAtSubmission(run.run);
    const Summary summary = Summarise(run.run);
    const PeriodRow total = Report(Days(0, 9), {run}).total;
    EXPECT_EQ(total.figures.energy, summary.totals.energy);
    EXPECT_NEAR(Grams(total.figures.emissions_ug), summary.totals.emissions.grams, 5e-6);
    EXPECT_EQ(total.figures.compared == 1, summary.at_submission->saving.has_value());
    if (!summary.at_submission->saving) continue;
    ++compared;
    EXPECT_NEAR(Grams(total.figures.saved_ug()), summary.at_submission->saving->grams, 1e-6);
    EXPECT_NEAR(total.saved_half_g, *summary.at_submission->half_width_g,
                1e-9 * (1 + total.saved_half_g));
    EXPECT_NEAR(total.emissions_half_g,
                summary.uncertainty.emissions_share * summary.totals.emissions.grams,
                1e-6 * (1 + total.emissions_half_g));
  }
  EXPECT_GT(compared, 20);
}

TEST(Period, ARunThatStartsAtOnceSavesExactlyNothingHoweverRunsOverlap) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<PeriodRun> runs = RandomRuns(random);
    for (PeriodRun& run : runs) {
      run.has_ended = true;
      Time first = Time::max();
      for (const core::LedgerRow& row : run.run.ledger) first = std::min(first, row.grid.begin);
      run.at_submission = first;
      // Removes the pause: one attempt whose rows follow each other.
      std::erase_if(run.run.ledger, [&](const core::LedgerRow& row) {
        return row.grid.begin > first + minutes(1);
      });
    }
    ASSERT_EQ(Report(Days(0, 5), runs).total.figures.saved_ug(), 0) << round;
  }
}

TEST(Period, WhatTwoRunsReadOfOneDeviceCountsOnce) {
  const auto signal = Hourly(std::vector<double>(48, 360));
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  const PeriodRun one =
      RunOf("a", {{"cpu:package-0", Component::kCpu, EnergySource::kCounter, hour, 3'600'000}},
            signal, MeterScope::kMachine);
  PeriodRun two = one;
  two.run.spec.run_id = "b";
  two.owner.run = "b";
  two.owner.user = "bob";
  const PeriodReport report = Report(Days(0, 1, PeriodBy::kUser), {one, two});
  EXPECT_EQ(report.total.figures.energy, Energy::Joules(3'600'000));
  EXPECT_EQ(report.total.figures.emissions_ug, 450'000'000) << "1 kWh x 1.25 x 360 g/kWh";
  EXPECT_EQ(report.twice.energy, Energy::Joules(3'600'000));
  EXPECT_EQ(report.twice.runs, 1);
}

TEST(Period, AJobThatRanAtTwoSitesHasItsShareInEachAndCountsWhereItRanLast) {
  const auto reading = [](int hour) {
    return Reading{.wall = {kFirst + hours(hour), kFirst + hours(hour + 1)}, .joules = 3'600'000};
  };
  PeriodRun here = RunOf("job 7", {reading(3)}, Hourly(std::vector<double>(48, 400), "DE"));
  here.owner.site = "here";
  here.counts = false;
  PeriodRun norway = RunOf("job 7", {reading(6)}, Hourly(std::vector<double>(48, 20), "NO"));
  norway.owner.site = "norway";
  norway.run.spec.zones = 2;
  const PeriodReport report = Report(Days(0, 1, PeriodBy::kSite), {here, norway});
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].name, "here");
  EXPECT_EQ(report.rows[0].figures.emissions_ug, 500'000'000) << "1 kWh x 1.25 x 400 g/kWh";
  EXPECT_EQ(report.rows[0].figures.runs, 0);
  EXPECT_EQ(report.rows[0].figures.ended, 0);
  EXPECT_EQ(report.rows[1].name, "norway");
  EXPECT_EQ(report.rows[1].figures.emissions_ug, 25'000'000);
  EXPECT_EQ(report.total.figures.runs, 1);
  EXPECT_EQ(report.total.figures.ended, 1);
  EXPECT_EQ(report.total.figures.compared, 0) << "at its submission it would have run elsewhere";
  EXPECT_EQ(report.total.figures.energy, Energy::Joules(7'200'000));
}

TEST(Period, TheSavingOfAJobOfSeveralZonesIsAsItsServiceSettledIt) {
  const Reading reading{.wall = {kFirst + hours(6), kFirst + hours(7)}, .joules = 3'600'000};
  PeriodRun norway = RunOf("job 7", {reading}, Hourly(std::vector<double>(48, 20), "NO"));
  norway.run.spec.zones = 2;
  norway.settled = SettledSaving{Emissions{525}, Emissions{1000}, 40};
  const PeriodRun other = RunOf("a", {reading}, Hourly(std::vector<double>(48, 300), "DE"));
  PeriodRun later = norway;
  later.owner.run = "job 8";
  later.has_ended = false;
  const PeriodReport report = Report(Days(0, 1), {norway});
  EXPECT_EQ(report.total.figures.compared, 1);
  EXPECT_EQ(report.total.figures.compared_ug, 525'000'000);
  EXPECT_EQ(report.total.figures.saved_ug(), 475'000'000);
  EXPECT_EQ(report.total.saved_half_g, 40);
  EXPECT_EQ(Report(Days(0, 1), {other}).total.saved_half_g, 0) << "it started at once";
  EXPECT_EQ(Report(Days(0, 1), {later}).total.figures.compared, 0);
  EXPECT_EQ(Report(Days(1, 2), {norway}).total.figures.compared, 0) << "it ended a day before";
}

TEST(Period, ASavingBelongsToTheDayOnWhichItsRunEnded) {
  std::vector<double> values(48, 100);
  for (int hour = 0; hour < 22; ++hour) values[static_cast<std::size_t>(hour)] = 300;
  PeriodRun run = RunOf("a",
                        {{"ram",
                          Component::kRam,
                          EnergySource::kModel,
                          {kFirst + hours(23), kFirst + hours(25)},
                          7'200'000}},
                        Hourly(values));
  run.at_submission = kFirst + hours(10);
  const PeriodFigures first = Report(Days(0, 1), {run}).total.figures;
  EXPECT_EQ(first.energy, Energy::Joules(3'600'000)) << "one of two hours";
  EXPECT_EQ(first.emissions_ug, 125'000'000);
  EXPECT_EQ(first.ended, 0);
  EXPECT_EQ(first.saved_ug(), 0);
  const PeriodFigures second = Report(Days(1, 2), {run}).total.figures;
  EXPECT_EQ(second.energy, Energy::Joules(3'600'000));
  EXPECT_EQ(second.ended, 1);
  EXPECT_EQ(second.compared_ug, 250'000'000) << "over its whole life";
  EXPECT_EQ(second.saved_ug(), 500'000'000);
  run.has_ended = false;
  EXPECT_EQ(Report(Days(1, 2), {run}).not_ended, 1);
  EXPECT_EQ(Report(Days(1, 2), {run}).total.figures.saved_ug(), 0);
}

std::vector<std::vector<std::string>> Csv(const PeriodReport& report) {
  const std::string text = PeriodCsv(report);
  std::vector<std::vector<std::string>> lines;
  const auto records = ParseCsv(text, "csv");
  for (const CsvRecord& record : *records) lines.push_back(record.fields);
  return lines;
}

TEST(Period, TheColumnsOfTheCsvAreThoseOfItsDocument) {
  const std::string csv = PeriodCsv(Report(Days(0, 1), {}));
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "part,project,runs,energy_j,facility_energy_j,energy_half_width_j,energy_measured_j,"
            "energy_estimated_j,intensity_measured_j,intensity_estimated_j,intensity_unknown_j,"
            "emissions_location_g,emissions_location_half_width_g,emissions_market_g,"
            "emissions_market_half_width_g,without_contract_j,market_unknown_j,runs_ended,"
            "runs_compared,compared_emissions_g,at_submission_g,saved_g,saved_half_width_g,"
            "unmetered_s");
}

TEST(Period, WhatNobodyKnowsIsNoZero) {
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  const PeriodRun run = RunOf(
      "a", {{"cpu:package-0", Component::kCpu, EnergySource::kModel, hour, 1000}}, Hourly({}));
  const PeriodReport report = Report(Days(0, 1), {run});
  EXPECT_FALSE(report.total.figures.known_emissions_ug());
  EXPECT_EQ(report.total.figures.without_intensity, Energy::Joules(1000));
  EXPECT_EQ(report.total.figures.compared, 0);
  const auto lines = Csv(report);
  const auto column = std::find(lines[0].begin(), lines[0].end(), "emissions_location_g");
  ASSERT_NE(column, lines[0].end());
  for (std::size_t line = 1; line < lines.size(); ++line)
    EXPECT_EQ(lines[line][static_cast<std::size_t>(column - lines[0].begin())], "");
  EXPECT_THAT(PeriodText(report), testing::HasSubstr("unknown"));
}

// Adds decimal digits, as an exact spreadsheet would.
TEST(Period, TheLinesOfTheCsvAddUpToItsLastOne) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 50; ++round) {
    const auto lines = Csv(Report(Days(0, 4), RandomRuns(random)));
    const auto micro = [](std::string text) {
      std::erase(text, '.');
      return ParseInteger(text).value_or(0);
    };
    for (std::size_t column = 0; column < lines[0].size(); ++column) {
      const std::string& name = lines[0][column];
      if (!(name.ends_with("_j") || name.ends_with("_g")) ||
          name.find("half_width") != std::string::npos)
        continue;
      long long sum = 0;
      for (std::size_t line = 1; line + 1 < lines.size(); ++line) sum += micro(lines[line][column]);
      ASSERT_EQ(sum, micro(lines.back()[column])) << name;
    }
  }
}

TEST(Period, AContractCountsInItsZoneAndTheResidualMixElsewhere) {
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  const std::vector<Reading> kwh{
      {"cpu:package-0", Component::kCpu, EnergySource::kModel, hour, 3'600'000}};
  const std::vector<PeriodRun> runs{RunOf("a", kwh, Hourly(std::vector<double>(24, 400), "DE")),
                                    RunOf("b", kwh, Hourly(std::vector<double>(24, 400), "FR")),
                                    RunOf("c", kwh, Hourly(std::vector<double>(24, 400), "SE")),
                                    RunOf("d", kwh, Hourly({}, "SE"))};
  PeriodRequest request = Days(0, 1, PeriodBy::kRun);
  request.supplier = {{{0}, "DE"}};
  request.residual_mix = {{{60}, "FR"}};
  const PeriodReport report = Report(request, runs);
  const PeriodFigures& total = report.total.figures;
  EXPECT_EQ(total.emissions_ug, 3 * 500'000'000);
  EXPECT_EQ(total.market_ug, 75'000'000 + 500'000'000) << "FR by its mix, SE by its place";
  EXPECT_EQ(total.without_contract, Energy::Joules(2 * 3'600'000));
  EXPECT_EQ(total.market_unknown, Energy::Joules(3'600'000));
  EXPECT_FALSE(Report(Days(0, 1), runs).request.IsMarketBased());
}

TEST(Period, AReplayIsLeftOutUnlessAskedFor) {
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  PeriodRun run = RunOf("a", {{"cpu:package-0", Component::kCpu, EnergySource::kModel, hour, 1000}},
                        Hourly(std::vector<double>(24, 400)));
  run.run.spec.clock.replayed = true;
  PeriodRequest request = Days(0, 1);
  const PeriodReport without = Report(request, {run});
  EXPECT_EQ(without.total.figures.energy, Energy{});
  EXPECT_EQ(without.replayed.energy, Energy::Joules(1000));
  EXPECT_THAT(PeriodText(without), testing::HasSubstr("Left out: 1 run"));
  request.with_replayed = true;
  EXPECT_EQ(Report(request, {run}).total.figures.energy, Energy::Joules(1000));
}

TEST(Period, MarginalIntensitiesMakeNoLocationBasedGrams) {
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  PeriodRun run =
      RunOf("a", {{"cpu:package-0", Component::kCpu, EnergySource::kModel, hour, 3'600'000}},
            Hourly(std::vector<double>(24, 400)));
  run.run.spec.signal.kind = core::SignalKind::kMarginal;
  PeriodReport report = Report(Days(0, 1), {run});
  EXPECT_EQ(report.total.figures.without_intensity, Energy::Joules(3'600'000));
  EXPECT_EQ(report.other_signal.runs, 1);
  EXPECT_EQ(report.total.figures.compared, 0);
  for (core::LedgerRow& row : run.run.ledger)
    row.other =
        core::OtherIntensity{Intensity{80}, SampleStatus::kEstimated, core::SignalKind::kAverage};
  run.run.spec.other_signal =
      core::SignalIdentity{"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle, "second"};
  report = Report(Days(0, 1), {run});
  EXPECT_EQ(report.total.figures.emissions_ug, 100'000'000) << "on its second, average signal";
}

TEST(Period, APrunedJobLiesWholeOnTheDayOnWhichItEnded) {
  PeriodAccount account(Days(0, 2, PeriodBy::kUser));
  PrunedJob job;
  job.owner = {"job 7", "ebb.db", "vision", "", "DE"};
  job.ended = kFirst + hours(30);
  job.energy = Energy::Joules(3'600'000);
  job.pue = {1.25};
  job.emissions = Emissions{500};
  job.at_submission = Emissions{620};
  account.Add(job);
  job.ended = kFirst + hours(72);
  account.Add(job);
  const PeriodReport report = account.Report();
  ASSERT_EQ(report.rows.size(), 1U) << "the second ended later";
  EXPECT_EQ(report.rows[0].name, "") << "whose it is nobody knows";
  EXPECT_EQ(report.total.figures.emissions_ug, 500'000'000);
  EXPECT_EQ(report.total.figures.saved_ug(), 120'000'000);
  EXPECT_EQ(report.days[0].second.energy, Energy{});
  EXPECT_EQ(report.days[1].second.of_pruned, job.energy);
  EXPECT_EQ(report.total.figures.measured, Energy{});
}

TEST(Period, TimeWithoutAReadingIsTold) {
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  PeriodRun run = RunOf("a", {{"cpu:package-0", Component::kCpu, EnergySource::kModel, hour, 1000}},
                        Hourly(std::vector<double>(24, 400)));
  run.run.attempts[0].wall = {hour.begin - minutes(5), hour.end + minutes(7)};
  EXPECT_EQ(Report(Days(0, 1), {run}).total.figures.unmetered, Duration(minutes(12)));
}

// Draws errors of meters and intensities for runs of unlike scopes, without using the formula.
TEST(Period, TheIntervalOfASumAgreesWithMonteCarlo) {
  const auto measured = Hourly(std::vector<double>(24, 300), "DE", SampleStatus::kMeasured);
  const auto modelled = Hourly(std::vector<double>(24, 500), "FR", SampleStatus::kModelled);
  const Interval hour{kFirst + hours(3), kFirst + hours(4)};
  const std::vector<PeriodRun> runs{
      RunOf("a", {{"cpu:package-0", Component::kCpu, EnergySource::kCounter, hour, 9'000}},
            measured, MeterScope::kMachine),
      RunOf("b", {{"cpu:package-0", Component::kCpu, EnergySource::kCounter, hour, 7'000}},
            measured),
      RunOf("c", {{"gpu:GPU-1", Component::kGpu, EnergySource::kCounter, hour, 20'000}}, modelled),
      RunOf("d", {{"ram", Component::kRam, EnergySource::kModel, hour, 5'000}}, modelled)};
  PeriodAccount account(Days(0, 1));
  for (const PeriodRun& run : runs) account.Add({run});
  const PeriodRow total = account.Report().total;
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  double sum = 0, squares = 0;
  constexpr int kTrials = 200'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::map<std::tuple<Component, EnergySource, bool>, double> energy_error;
    std::map<SampleStatus, double> intensity_error;
    double grams = 0;
    for (const PeriodRun& run : runs)
      for (const core::LedgerRow& row : run.run.ledger) {
        const core::EnergyWay way = core::WayOf(row, run.run.spec.scope);
        auto [e, first] = energy_error.try_emplace({way.component, way.source, way.shared}, 0);
        if (first) e->second = normal(generator) * core::RelativeBound(way) / 2;
        auto [f, is_new] = intensity_error.try_emplace(row.intensity_status, 0);
        if (is_new) f->second = normal(generator) * core::RelativeBound(row.intensity_status) / 2;
        grams += row.emissions()->grams * (1 + e->second) * (1 + f->second);
      }
    sum += grams;
    squares += grams * grams;
  }
  const double mean = sum / kTrials;
  const double half = 2 * std::sqrt(squares / kTrials - mean * mean);
  EXPECT_NEAR(total.emissions_half_g, half, 0.01 * half);
}

}  // namespace
}  // namespace ebb::report
