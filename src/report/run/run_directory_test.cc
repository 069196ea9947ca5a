#include "report/run/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <tuple>

#include "base/random.h"
#include "platform/file.h"
#include "report/golden_for_test.h"
#include "report/run/ledger_file.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/run_json.h"
#include "report/run/signal_file.h"
#include "report/run/summary.h"
#include "report/run/training_files.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void Append(const Path& file, const std::string& text) {
  std::ofstream(file, std::ios::app | std::ios::binary) << text;
}

// All parts of a run that Ebb itself writes, as one text: two runs are equal if their texts are.
std::string Everything(const core::RunRecord& run) {
  std::string text = RunSpecToJson(run.spec) + FormatSignal(run.signal);
  for (const auto& decision : run.decisions) text += DecisionToJson(decision) + "\n";
  for (const auto& wait : run.skipped_waits) text += SkippedWaitToJson(wait) + "\n";
  for (const auto& attempt : run.attempts) text += AttemptEndToJson(attempt) + "\n";
  for (const auto& row : run.ledger) text += FormatLedgerLine(row) + "\n";
  return text;
}

Path Store(const Path& directory, const core::RunRecord& run) {
  auto writer = RunDirectory::Create(directory, run.spec);
  EXPECT_TRUE(writer) << writer.error().Message();
  for (const auto& decision : run.decisions) EXPECT_TRUE(writer->AppendDecision(decision));
  for (const auto& wait : run.skipped_waits) EXPECT_TRUE(writer->AppendSkippedWait(wait));
  for (const auto& attempt : run.attempts) EXPECT_TRUE(writer->BeginAttempt(attempt));
  EXPECT_TRUE(writer->AppendRows(run.ledger));
  for (const auto& attempt : run.attempts) EXPECT_TRUE(writer->EndAttempt(attempt));
  EXPECT_TRUE(writer->WriteSignal(run.signal, run.spec.created_wall, true));
  return directory;
}

core::RunRecord WaitedRun() {
  RunBuilder builder;
  builder.group = "optimized";
  builder.policy = "threshold";
  builder.waited = std::chrono::hours(17);
  builder.running = std::chrono::minutes(2);
  builder.replayed = true;
  return builder.Build();
}

TEST(RunDirectory, ReadsBackWhatWasWritten) {
  const core::RunRecord run = WaitedRun();
  const auto read = ReadRun(Store(ScratchDirectory() / "run", run));
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(Everything(*read), Everything(run));
  EXPECT_THAT(read->skipped_waits, SizeIs(1));
}

TEST(RunDirectory, FilesLookAsDocumented) {
  const Path directory = Store(ScratchDirectory() / "run", WaitedRun());
  ExpectGolden("run.json", *platform::ReadFile(directory / kRunFile));
  ExpectGolden("decisions.jsonl", *platform::ReadFile(directory / kDecisionsFile));
  ExpectGolden("attempts.jsonl", *platform::ReadFile(directory / kAttemptsFile));
  ExpectGolden("ledger.jsonl", *platform::ReadFile(directory / kLedgerFile));
  ExpectGolden("signal.csv", *platform::ReadFile(directory / kSignalFile));
}

TEST(RunDirectory, BudgetsAndTheirCrossingsReadBack) {
  const Path directory = Store(ScratchDirectory() / "run", WaitedRun());
  EXPECT_FALSE(ReadRun(directory)->budget.budget) << "most runs have none";
  auto writer = RunDirectory::Open(directory);
  core::Budget budget{Energy::Microjoules(123'456'789'012), Emissions{0.1},
                      core::BudgetAction::kPause, Duration{2500}};
  ASSERT_TRUE(writer->AppendBudget(budget, 1));
  core::BudgetEvent event{core::BudgetLevel::kReached,
                          core::BudgetMeasure::kEmissions,
                          core::BudgetAction::kPause,
                          2,
                          Time{Duration{1000}},
                          Time{Duration{2000}},
                          0.1,
                          0.09,
                          0.011};
  ASSERT_TRUE(writer->AppendBudgetEvent(event));
  Append(directory / kBudgetFile, "{\"event\":\"wa");
  std::vector<std::string> notices;
  const auto read = ReadRun(directory, &notices);
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_THAT(notices, SizeIs(1)) << "a last line that is not whole";
  EXPECT_EQ(read->budget.budget->energy, budget.energy);
  EXPECT_EQ(read->budget.budget->emissions, budget.emissions);
  EXPECT_EQ(read->budget.budget->action, budget.action);
  EXPECT_EQ(read->budget.budget->grace, budget.grace);
  ASSERT_THAT(read->budget.events, SizeIs(1));
  EXPECT_EQ(read->budget.events[0].limit, event.limit);
  EXPECT_EQ(read->budget.events[0].level, event.level);
  EXPECT_EQ(read->budget.events[0].grid, event.grid);
  Append(directory / kBudgetFile, "rning\"}\n");
  const auto damaged = ReadRun(directory);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().Message(), HasSubstr("budget.jsonl:3"));
}

double AnyDouble(Random& random) {
  // Values have every magnitude, not only the usual ones.
  return (random.Uniform() - 0.5) * std::pow(10.0, random.Uniform(-300, 300));
}

core::LedgerRow AnyRow(Random& random) {
  core::LedgerRow row;
  row.attempt = static_cast<int>(random.Below(5)) + 1;
  row.device = "gpu:\"\\\u00e9\n" + std::to_string(random.Below(9));
  row.component = static_cast<core::Component>(random.Below(3));
  row.source = static_cast<core::EnergySource>(random.Below(3));
  const auto any_time = [&] {
    return Time{Duration{static_cast<Duration::rep>(random.Below(4'000'000'000'000))}};
  };
  row.wall = {any_time(), any_time()};
  row.grid = {any_time(), any_time()};
  row.energy = Energy::Microjoules(static_cast<std::int64_t>(random.Next()));
  row.pue.ratio = AnyDouble(random);
  if (random.Below(3) > 0) row.intensity = Intensity{AnyDouble(random)};
  row.intensity_status = static_cast<core::SampleStatus>(random.Below(4));
  row.signal_kind = static_cast<core::SignalKind>(random.Below(2));
  if (random.Below(2) > 0) {
    row.other = core::OtherIntensity{{},
                                     static_cast<core::SampleStatus>(random.Below(4)),
                                     row.signal_kind == core::SignalKind::kAverage
                                         ? core::SignalKind::kMarginal
                                         : core::SignalKind::kAverage};
    if (random.Below(3) > 0) row.other->intensity = Intensity{AnyDouble(random)};
  }
  row.shared = random.Below(2) > 0;
  return row;
}

TEST(RunDirectory, EveryLedgerRowReadsBackExactly) {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const core::LedgerRow row = AnyRow(random);
    const auto read = ParseLedgerLine(FormatLedgerLine(row), "test");
    ASSERT_TRUE(read) << read.error().Message();
    EXPECT_EQ(FormatLedgerLine(*read), FormatLedgerLine(row));
    EXPECT_EQ(read->attempt, row.attempt);
    EXPECT_EQ(read->device, row.device);
    EXPECT_EQ(read->component, row.component);
    EXPECT_EQ(read->source, row.source);
    EXPECT_EQ(read->wall, row.wall);
    EXPECT_EQ(read->grid, row.grid);
    EXPECT_EQ(read->energy, row.energy);
    EXPECT_EQ(read->shared, row.shared);
    EXPECT_EQ(read->pue.ratio, row.pue.ratio);
    EXPECT_EQ(read->intensity, row.intensity);
    EXPECT_EQ(read->intensity_status, row.intensity_status);
    EXPECT_EQ(read->signal_kind, row.signal_kind);
    ASSERT_EQ(read->other.has_value(), row.other.has_value());
    if (!row.other) continue;
    EXPECT_EQ(read->other->intensity, row.other->intensity);
    EXPECT_EQ(read->other->status, row.other->status);
    EXPECT_EQ(read->other->kind, row.other->kind);
  }
}

// A spec in which no member is zero or its default, and no two members of one type are equal.
core::RunSpec FullSpec() {
  core::RunSpec spec;
  spec.run_id = "id";
  spec.name = "name";
  spec.group = "group";
  spec.command = {"sh", "-c", "\"\\\u00e9\n"};
  spec.created_wall = kMidnight;
  spec.policy = "dtpr";
  spec.threshold = Intensity{0.1};
  spec.submitted = kMidnight + Duration{1};
  spec.start_by = kMidnight + Duration{2};
  spec.duration = Duration{3};
  spec.clock = {true, kMidnight + Duration{4}, 60.5, true};
  spec.signal = {"DE", core::SignalKind::kMarginal, core::Boundary::kDirect, "a"};
  spec.zones = 2;
  spec.other_signal = {"FR", core::SignalKind::kAverage, core::Boundary::kLifecycle, "b"};
  spec.pue.ratio = 1.2;
  spec.wue_l_per_kwh = 1.8;
  spec.embodied = core::Embodied{{1e6}, Duration{5}, 0.25};
  spec.scope = core::MeterScope::kMachine;
  spec.sample_interval = Duration{6};
  spec.meters = {"cpu", "ram"};
  spec.machine = {"host", "os", "cpu", 7, 23.5, {"L4"}, "boot"};
  spec.location = {"region", "provider", "cloud region"};
  spec.training = core::TrainingSettings{"model", "data", 8, 9, 10, 1e-3, "bf16", 1LL << 60, "m"};
  spec.prices = core::RunPrices{{"EUR", "tariff"}, 0.5, 0.3};
  return spec;
}

// All members, for comparison; also the members of parts that have no comparison of their own.
auto Values(const core::RunSpec& spec) {
  const auto& [run_id, name, group, command, created_wall, policy, threshold, submitted, start_by,
               duration, clock, signal, zones, other_signal, pue, wue, embodied, scope,
               sample_interval, meters, machine, location, training, prices] = spec;
  const auto& [replayed, begin, speed, skip_waits] = clock;
  const auto& [total, lifetime, share] = *embodied;
  const auto& [host, system, cpu, cpus, ram, gpus, boot_id] = machine;
  const auto& [region, provider, cloud_region] = location;
  const auto& [model, dataset, batch, steps, epochs, rate, precision, seed, path] = *training;
  const auto& [identity, weight, price_threshold] = *prices;
  return std::tuple(
      std::tuple(run_id, name, group, command, created_wall, policy, threshold, submitted, start_by,
                 duration, replayed, begin, speed, skip_waits, signal, zones, other_signal),
      std::tuple(pue.ratio, wue, total.grams, lifetime, share, scope, sample_interval, meters, host,
                 system, cpu, cpus, ram, gpus, boot_id),
      std::tuple(region, provider, cloud_region, model, dataset, batch, steps, epochs, rate,
                 precision, seed, path, identity, weight, price_threshold));
}

auto Values(const core::GateDecision& decision) {
  // Three members exist only at the moment of decision, and no gate expects an end.
  const auto& [at, action, reason, current_status, current_source, mean_if_now, judged, wake_at,
               note, recorded_reason] = decision;
  const auto& [rule, current, expected, threshold, start, end, latest] = reason;
  return std::tuple(at, action, rule, current, current_status, current_source, threshold, start,
                    expected, latest, wake_at, recorded_reason);
}

auto Values(const core::Attempt& attempt) {
  const auto& [number, wall, grid, outcome, exit_code, cpu, ram, gpu, devices] = attempt;
  return std::tuple(number, wall, grid, outcome, exit_code, cpu, ram, gpu, devices);
}

TEST(RunDirectory, EveryMemberOfASpecReadsBack) {
  const auto read = RunSpecFromJson(RunSpecToJson(FullSpec()), "run.json");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_TRUE(Values(*read) == Values(FullSpec())) << RunSpecToJson(*read);
}

TEST(RunDirectory, EveryMemberOfALineReadsBack) {
  const Interval wall{kMidnight, kMidnight + Duration{1}}, grid{kMidnight, kMidnight + Duration{2}};
  core::RunRecord read;
  core::GateDecision decision{
      kMidnight,
      core::GateAction::kStop,
      {core::GateRule::kRampLimit, Intensity{1.5}, Intensity{3}, Intensity{0.1},
       kMidnight + Duration{1}, std::nullopt, kMidnight + Duration{2}},
      core::SampleStatus::kForecast,
      "profile",
      {},
      {},
      kMidnight + Duration{3},
      "",
      "because"};
  ASSERT_TRUE(AddDecisionLine(DecisionToJson(decision), "", read));
  EXPECT_EQ(Values(read.decisions.at(0)), Values(decision));
  ASSERT_TRUE(AddDecisionLine(SkippedWaitToJson({grid}), "", read));
  EXPECT_EQ(read.skipped_waits.at(0).grid, grid);

  const core::Attempt attempt{2,   wall, grid, core::AttemptOutcome::kPaused, 143, 99.5,
                              1.5, 12.5, 4};
  ASSERT_TRUE(AddAttemptLine(AttemptBeginToJson(attempt), "", read));
  EXPECT_EQ(read.attempts.at(0).wall, (Interval{wall.begin, wall.begin}));
  EXPECT_FALSE(AddAttemptLine(AttemptBeginToJson(attempt), "", read)) << "a second time";
  ASSERT_TRUE(AddAttemptLine(AttemptEndToJson(attempt), "", read));
  EXPECT_EQ(Values(read.attempts.at(0)), Values(attempt));
  core::RunRecord other;
  EXPECT_FALSE(AddAttemptLine(AttemptEndToJson(attempt), "", other)) << "it never began";

  const core::SignalVersion version{kMidnight, true, "signals/a.csv", "ab"};
  ASSERT_TRUE(AddSignalVersionLine(SignalVersionToJson(version), "", read));
  EXPECT_EQ(read.signal_versions.at(0), version);
}

TEST(RunDirectory, WhatEarlyVersionsDidNotWriteMayBeMissing) {
  std::string text = RunSpecToJson(WaitedRun().spec);
  for (const std::string key : {"location", "training"}) {
    const auto begin = text.find(",\n  \"" + key);
    ASSERT_NE(begin, std::string::npos);
    text.erase(begin, text.find("\n  }", begin) + 4 - begin);
  }
  const auto read = RunSpecFromJson(text, "run.json");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_FALSE(read->training || read->prices || read->embodied || read->other_signal);
  EXPECT_EQ(read->zones, 1);
}

TEST(RunDirectory, EverySignalReadsBackExactly) {
  Random random(8);
  const core::SignalIdentity identity{"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                      "test"};
  std::vector<core::Sample> samples;
  Time time = kMidnight;
  for (int i = 0; i < 500; ++i) {
    const Time end = time + Duration{static_cast<Duration::rep>(1 + random.Below(9'000'000))};
    samples.push_back({{time, end},
                       Intensity{random.Uniform(0, 1000) * std::pow(10.0, random.Uniform(-20, 3))},
                       static_cast<core::SampleStatus>(random.Below(4))});
    time = end + Duration{static_cast<Duration::rep>(random.Below(3) * 1000)};
  }
  const auto series = core::IntensitySeries::Create(identity, samples);
  const auto read = ParseSignal(FormatSignal(*series), identity, "signal.csv");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(read->samples(), series->samples());
}

TEST(SignalFile, AChainSaysWhichOfItsSourcesKnewAValue) {
  core::SignalIdentity identity;
  identity.links = {"electricity-maps", "profile"};
  const auto series = core::IntensitySeries::Create(
      identity, {{{kMidnight, kMidnight + std::chrono::hours{1}}, {200}}});
  std::vector<core::Sample> samples = series->samples();
  samples[0].link = 1;
  const std::string text = FormatSignal(*core::IntensitySeries::Create(identity, samples));
  EXPECT_NE(text.find(",200,measured,profile\n"), std::string::npos) << text;
  EXPECT_TRUE(ParseSignal(text, {}, "signal.csv"));
}

TEST(RunDirectory, RefusesADirectoryThatHoldsARun) {
  const Path directory = Store(ScratchDirectory() / "run", WaitedRun());
  const auto again = RunDirectory::Create(directory, WaitedRun().spec);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().Message(), HasSubstr("already holds a run"));
}

TEST(RunDirectory, ADirectoryWithoutARunIsNamed) {
  const auto read = ReadRun(ScratchDirectory());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().Message(), HasSubstr("holds no run"));
}

// A kill -9 can stop a writer after any byte.
TEST(RunDirectory, IsReadableWhereverAWriteWasCut) {
  const core::RunRecord run = WaitedRun();
  const Path directory = Store(ScratchDirectory() / "run", run);
  const std::string ledger = *platform::ReadFile(directory / kLedgerFile);
  for (std::size_t length = 0; length <= ledger.size(); ++length) {
    std::ofstream(directory / kLedgerFile, std::ios::binary) << ledger.substr(0, length);
    std::vector<std::string> notices;
    const auto read = ReadRun(directory, &notices);
    ASSERT_TRUE(read) << "cut at " << length << ": " << read.error().Message();
    const auto whole = std::count(ledger.begin(), ledger.begin() + static_cast<long>(length), '\n');
    const bool ends_in_half_line = length > 0 && ledger[length - 1] != '\n' &&
                                   length < ledger.size() && ledger[length] != '\n';
    EXPECT_EQ(notices.size(), ends_in_half_line ? 1u : 0u) << "cut at " << length;
    EXPECT_GE(read->ledger.size(), static_cast<std::size_t>(whole));
  }
}

TEST(RunDirectory, ContinuesBehindAHalfLine) {
  const core::RunRecord run = WaitedRun();
  const Path directory = Store(ScratchDirectory() / "run", run);
  Append(directory / kLedgerFile, R"({"attempt":2,"device":"c)");
  auto writer = RunDirectory::Open(directory);
  ASSERT_TRUE(writer) << writer.error().Message();
  EXPECT_THAT(writer->notices(), ElementsAre(HasSubstr("dropped 24 bytes")));
  EXPECT_EQ(writer->spec().run_id, run.spec.run_id);
  core::LedgerRow row = run.ledger.back();
  row.attempt = 2;
  ASSERT_TRUE(writer->AppendRow(row));
  const auto read = ReadRun(directory);
  ASSERT_TRUE(read) << read.error().Message();
  ASSERT_THAT(read->ledger, SizeIs(run.ledger.size() + 1));
  EXPECT_EQ(read->ledger.back().attempt, 2);
}

TEST(RunDirectory, ADamagedLineInTheMiddleIsAnErrorWithFileAndLine) {
  const Path directory = Store(ScratchDirectory() / "run", WaitedRun());
  const std::string ledger = *platform::ReadFile(directory / kLedgerFile);
  ASSERT_TRUE(platform::WriteFileAtomically(directory / kLedgerFile, "{\"attempt\":\n" + ledger));
  const auto read = ReadRun(directory);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().where, HasSubstr("ledger.jsonl:1"));
}

TEST(RunDirectory, AFieldOfTheWrongTypeIsNamed) {
  EXPECT_THAT(ParseLedgerLine(R"({"attempt":"x"})", "ledger.jsonl:3").error().Message(),
              HasSubstr("ledger.jsonl:3: is not a whole number in range: \"attempt\""));
  EXPECT_THAT(ParseLedgerLine("{}", "l").error().Message(), HasSubstr("has no \"attempt\""));
  EXPECT_THAT(RunSpecFromJson(R"({"schema":"ebb.run/9"})", "run.json").error().Message(),
              HasSubstr("ebb.run/9"));
}

TEST(RunDirectory, AnAttemptWithoutAnEndEndsAtItsLastRow) {
  core::RunRecord run = WaitedRun();
  const Path directory = ScratchDirectory() / "run";
  auto writer = RunDirectory::Create(directory, run.spec);
  ASSERT_TRUE(writer->BeginAttempt(run.attempts[0]));
  ASSERT_TRUE(writer->AppendRows(run.ledger));
  const auto read = ReadRun(directory);
  ASSERT_TRUE(read) << read.error().Message();
  ASSERT_THAT(read->attempts, SizeIs(1));
  EXPECT_EQ(read->attempts[0].outcome, core::AttemptOutcome::kRunning);
  EXPECT_EQ(read->attempts[0].wall, run.attempts[0].wall);
  EXPECT_EQ(read->attempts[0].grid, run.attempts[0].grid);
}

TEST(RunDirectory, AFreshRunIsReadable) {
  const Path directory = ScratchDirectory() / "run";
  ASSERT_TRUE(RunDirectory::Create(directory, WaitedRun().spec));
  const auto read = ReadRun(directory);
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_THAT(read->attempts, IsEmpty());
  EXPECT_FALSE(read->started());
}

TEST(TrainingFiles, AProgressLineIsReadAsItWasWritten) {
  ProgressEvent event;
  event.time = *ParseTime("2023-05-01T12:00Z");
  event.event = "epoch_end";
  event.epoch = 3;
  event.test_loss = 0.1;
  const auto read = ParseProgressLine(ProgressLine(event));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->time, event.time);
  EXPECT_EQ(read->event, "epoch_end");
  EXPECT_EQ(read->epoch, 3);
  EXPECT_EQ(read->test_loss, 0.1);
  EXPECT_FALSE(read->train_loss || read->step || read->loss);
}

std::vector<core::Epoch> EpochsOf(std::string_view text) { return ReadProgress(text).epochs; }

TEST(TrainingFiles, EpochsComeFromProgressAndNoiseIsPassedOver) {
  const auto epochs = EpochsOf(
      "{\"time_ms\":1000,\"event\":\"begin\",\"total_steps\":10}\n"
      "{\"time_ms\":1000,\"event\":\"epoch_begin\",\"epoch\":1}\n"
      "noise\n{\"step\":3,\"loss\":1.5}\n[1,2]\n{\"time_ms\":\"x\",\"event\":3}\n"
      "{\"time_ms\":3000,\"event\":\"epoch_end\",\"epoch\":1,\"train_loss\":0.5,\"test_loss\":0.25,"
      "\"test_accuracy_percent\":97.5}\n"
      "{\"time_ms\":4000,\"event\":\"epoch_end\",\"epoch\":2,\"train_loss\":NaN}\n"
      "{\"time_ms\":5000,\"event\":\"epoch_e");
  ASSERT_THAT(epochs, SizeIs(2));
  EXPECT_EQ(epochs[0].wall, (Interval{Time{Duration{1000}}, Time{Duration{3000}}}));
  EXPECT_EQ(epochs[0].train_loss, 0.5);
  EXPECT_EQ(epochs[0].test_accuracy_percent, 97.5);
  EXPECT_EQ(epochs[1].wall, (Interval{Time{Duration{3000}}, Time{Duration{4000}}}));
  EXPECT_FALSE(epochs[1].train_loss);
}

TEST(TrainingFiles, ARepeatedEpochCarriesTheWorkThatWasLost) {
  const auto event = [](int time, const std::string& name, int epoch) {
    return "{\"time_ms\":" + std::to_string(time) + ",\"event\":\"" + name +
           "\",\"epoch\":" + std::to_string(epoch) + "}\n";
  };
  // The run was killed in epoch 2 and resumed from a checkpoint inside epoch 1.
  const auto epochs =
      EpochsOf(event(0, "epoch_begin", 1) + event(10, "epoch_end", 1) +
               event(10, "epoch_begin", 2) + event(20, "resume", 1) + event(20, "epoch_begin", 1) +
               event(25, "epoch_end", 1) + event(25, "epoch_begin", 2) + event(35, "epoch_end", 2));
  ASSERT_THAT(epochs, SizeIs(2));
  EXPECT_EQ(epochs[0].wall, (Interval{Time{Duration{0}}, Time{Duration{25}}}));
  EXPECT_EQ(epochs[1].wall, (Interval{Time{Duration{25}}, Time{Duration{35}}}));
}

constexpr const char* kTrainResult = R"({"schema":"ebb.train-result/1","model":"simple-cnn",
  "dataset":"digits","device":"cpu","precision":"fp32","batch_size":16,"accumulation_steps":4,
  "effective_batch_size":64,"epochs":3,"learning_rate":0.001,"seed":2,"threads":2,"steps":30,
  "final_loss":0.068,"test_loss":0.0378,"test_accuracy_percent":98.8,"peak_tensor_bytes":48629760,
  "avg_epoch_seconds":14.4,"epoch_seconds":[14,15,14.2],"samples_per_second":900,
  "parameters_sha256":"ab","torch_version":"1.13.1","model_path":"m.pt"})";

TEST(TrainingFiles, TheTrainingResultOfAnyProgramIsRead) {
  core::RunRecord run = WaitedRun();
  run.spec.training.reset();
  const Path directory = Store(ScratchDirectory() / "run", run);
  Append(directory / kTrainResultFile, kTrainResult);
  const auto read = ReadRun(directory);
  ASSERT_TRUE(read && read->training);
  EXPECT_EQ(read->training->test_accuracy_percent, 98.8);
  EXPECT_EQ(read->training->peak_tensor_bytes, 48629760);
  ASSERT_TRUE(read->spec.training);
  EXPECT_EQ(read->spec.training->accumulation_steps, 4);
}

TEST(TrainingFiles, ChangesOfTheSharesOfRanksAreReadAndShown) {
  const auto told = [](const std::string& changes) {
    const Path directory = Store(ScratchDirectory() / "run", WaitedRun());
    Append(directory / kTrainResultFile,
           std::string(kTrainResult, std::strlen(kTrainResult) - 1) + changes + "}");
    const core::RunRecord run = *ReadRun(directory);
    const Summary summary = Summarise(run);
    std::string json = SummaryJson(run, summary);
    std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
    return SummaryText(run, summary) + json;
  };
  EXPECT_THAT(told(""), testing::Not(HasSubstr("rank")));
  const std::string once = told(R"(,"rank_shares":[{"step":12,"samples":[48,16]}])");
  EXPECT_THAT(once, HasSubstr("changed once; since update 12: 48, 16 of 64 samples\n"));
  EXPECT_THAT(once, HasSubstr(R"("rank_shares":[{"step":12,"samples":[48,16]}])"));
  const std::string twice =
      told(R"(,"rank_shares":[{"step":12,"samples":[48,16]},{"step":90,"samples":[0,64]}])");
  EXPECT_THAT(twice, HasSubstr("changed 2 times; since update 90: 0, 64 of 64 samples\n"));
  EXPECT_THAT(twice, HasSubstr(R"({"step":90,"samples":[0,64]})"));
}

TEST(TrainingFiles, ADamagedTrainingResultIsLeftOutAndSaidSo) {
  const Path directory = Store(ScratchDirectory() / "run", WaitedRun());
  Append(directory / kTrainResultFile, std::string(kTrainResult).substr(0, 100));
  std::vector<std::string> notices;
  const auto read = ReadRun(directory, &notices);
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_FALSE(read->training);
  EXPECT_THAT(notices, ElementsAre(HasSubstr("train_result.json")));
}

TEST(RunDirectory, OneProcessAtATimeWritesIt) {
  const Path path = ScratchDirectory("lock") / "run";
  {
    auto writer = RunDirectory::Create(path, WaitedRun().spec);
    ASSERT_TRUE(writer) << writer.error().Message();
    EXPECT_TRUE(IsBeingWritten(path));
    const auto second = RunDirectory::Open(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ExitCode::kTryLater);
    EXPECT_THAT(second.error().Message(), HasSubstr("another process writes this run"));
  }
  EXPECT_FALSE(IsBeingWritten(path));
  EXPECT_TRUE(RunDirectory::Open(path));
}

TEST(RunDirectory, ASearchFindsWholeAndBrokenRunsAndFailsForNone) {
  const Path folder = ScratchDirectory("search");
  EXPECT_THAT(SearchForRuns(folder).runs, IsEmpty());
  Store(folder / "a" / "one", WaitedRun());
  Store(folder / "two", WaitedRun());
  std::filesystem::create_directories(folder / "half");
  Append(folder / "half" / kLedgerFile, "{}\n");
  std::filesystem::create_directories(folder / "other" / "empty");
  std::filesystem::create_directory_symlink(folder / "two", folder / "z");
  const FoundRuns found = SearchForRuns(folder);
  EXPECT_THAT(found.runs, ElementsAre(folder / "a" / "one", folder / "z")) << "a run once";
  EXPECT_THAT(found.broken, ElementsAre(folder / "half"));
  EXPECT_THAT(found.closed, IsEmpty());
  EXPECT_THAT(SearchForRuns(folder / "none").closed, ElementsAre(folder / "none"));
}

}  // namespace
}  // namespace ebb::report
