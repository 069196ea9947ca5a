#include "config/run/train_config.h"
#include "testing/source_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ebb::config {
namespace {

using signals::SignalSource;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The configuration of `text`, which must be accepted.
TrainConfig Parse(const std::string& text) {
  auto config = ParseTrainConfig(text, "dir/my.yaml");
  EXPECT_TRUE(config) << config.error().Message();
  return config.value_or(TrainConfig{});
}

std::string Refusal(const std::string& text) {
  const auto config = ParseTrainConfig(text, "my.yaml");
  EXPECT_FALSE(config) << text;
  if (config) return "";
  EXPECT_EQ(config.error().code, ExitCode::kConfiguration);
  return config.error().Message();
}

constexpr const char* kNeo = R"(
scheduler:
  enabled: true
  carbon_threshold: 250
  wait_for_low_carbon: true
  max_wait_seconds: 60
  check_interval: 10
  use_mock_data: True
  location: "US"
training:
  run_name: "optimized"
  batch_size: 16
  gradient_accumulation_steps: 4
  epochs: 5
  learning_rate: 1e-3
  model_save_path: "model_optimized.pt"
tracker:
  output_dir: "./output"
  project_name: "carbon-aware"
  measure_power_secs: 15
output_dir: "./output"
data_dir: "./data"
)";

TEST(TrainConfig, ReadsNeosFileAsItIs) {
  const TrainConfig config = Parse(kNeo);
  EXPECT_EQ(config.scheduler.policy, plan::GatePolicyKind::kThreshold);
  EXPECT_EQ(config.scheduler.threshold.g_per_kwh, 250);
  EXPECT_EQ(config.scheduler.longest_wait, Duration{minutes{1}});
  EXPECT_EQ(config.scheduler.on_deadline, plan::AtDeadline::kStart);
  EXPECT_EQ(config.scheduler.signal.source, SignalSource::kProfile);
  EXPECT_EQ(config.scheduler.signal.zone, "neo");
  EXPECT_EQ(config.scheduler.signal.refresh, Duration{seconds{10}});
  EXPECT_FALSE(config.scheduler.clock.replayed());
  EXPECT_EQ(config.training.run_name, "optimized");
  EXPECT_EQ(config.training.batch_size, 16);
  EXPECT_EQ(config.training.accumulation_steps, 4);
  EXPECT_EQ(config.training.epochs, 5);
  EXPECT_EQ(config.training.learning_rate, 1e-3);
  EXPECT_EQ(config.training.model_save_path, "model_optimized.pt");
  EXPECT_THAT(config.training.seeds, ElementsAre(1));
  EXPECT_EQ(config.metering.interval, Duration{seconds{15}});
  EXPECT_EQ(config.metering.project_name, "carbon-aware");
  EXPECT_EQ(config.output_dir, "./output");
  EXPECT_EQ(config.data_dir, "./data");
  EXPECT_THAT(config.notes, IsEmpty());
}

TEST(TrainConfig, WhatIsNotGivenHasADefault) {
  const TrainConfig config = Parse("training:\n  epochs: 1\nscheduler:\n");
  EXPECT_EQ(config.training.run_name, "my") << "the file's name";
  EXPECT_EQ(config.training.batch_size, 64);
  EXPECT_EQ(config.scheduler.policy, plan::GatePolicyKind::kNow);
  EXPECT_EQ(config.scheduler.threshold.g_per_kwh, 300);
  EXPECT_EQ(config.scheduler.longest_wait, Duration{hours{24}}) << "as for ebb run";
  EXPECT_EQ(Parse("scheduler: {wait_for_low_carbon: true}").scheduler.longest_wait,
            Duration{hours{1}})
      << "as in NEO";
  EXPECT_EQ(config.scheduler.signal.source, SignalSource::kProfile);
  EXPECT_EQ(config.scheduler.signal.zone, "") << "found when it runs, and said";
  EXPECT_EQ(config.metering.interval, Duration{seconds{1}});
}

TEST(TrainConfig, ReadsEbbsOwnKeys) {
  const TrainConfig config = Parse(R"(
scheduler:
  policy: window
  start_by: 12h
  duration: 25m
  on_deadline: stop
  trace: ../data/DE.csv
  zone: my-zone
  forecast: perfect
  boundary: direct
  kind: marginal
  grid_start: 2023-05-01T13:00Z
  grid_speed: 60
  skip_waits: yes
training:
  model: simple-cnn
  data: digits
  precision: bf16
  seeds: [1, 2, 3]
  lr_schedule: cosine
  train_samples: 1000
  test_samples: 200
  device: cpu
  threads: 2
  checkpoint_every: 50
  teacher: runs/large/model.safetensors
  temperature: 4
metering:
  scope: machine
  interval: 500ms
  cpu_tdp_w: 65
  ram_power_w: 5
  rapl: psys
  pue: 1.2
  wue_l_per_kwh: 1.8
  embodied_kg: 1500
  embodied_share: 0.25
  other_constant: 600
  other_kind: marginal
  budget_kwh: 2.5
  on_budget: pause
  budget_grace: 1m
)");
  const SchedulerConfig& scheduler = config.scheduler;
  EXPECT_EQ(scheduler.policy, plan::GatePolicyKind::kWindow);
  EXPECT_EQ(scheduler.longest_wait, Duration{hours{12}});
  EXPECT_EQ(scheduler.duration, Duration{minutes{25}});
  EXPECT_EQ(scheduler.on_deadline, plan::AtDeadline::kStop);
  EXPECT_EQ(scheduler.signal.source, SignalSource::kReplay);
  EXPECT_EQ(scheduler.signal.trace_path, "../data/DE.csv");
  EXPECT_EQ(scheduler.signal.zone, "my-zone");
  EXPECT_EQ(scheduler.signal.forecast, signals::ForecastMode::kPerfect);
  EXPECT_EQ(scheduler.signal.boundary, core::Boundary::kDirect);
  EXPECT_EQ(scheduler.signal.kind, core::SignalKind::kMarginal);
  EXPECT_EQ(FormatTime(*scheduler.clock.start), "2023-05-01T13:00:00Z");
  EXPECT_EQ(scheduler.clock.speed, 60);
  EXPECT_TRUE(scheduler.clock.skip_waits);
  EXPECT_EQ(config.training.data, "digits");
  EXPECT_EQ(config.training.precision, "bf16");
  EXPECT_THAT(config.training.seeds, ElementsAre(1, 2, 3));
  EXPECT_EQ(config.training.lr_schedule, "cosine");
  EXPECT_EQ(config.training.train_samples, 1000);
  EXPECT_EQ(config.training.threads, 2);
  EXPECT_EQ(config.training.teacher, "runs/large/model.safetensors");
  EXPECT_EQ(config.training.temperature, 4);
  EXPECT_EQ(config.training.distillation_mix, std::nullopt);
  EXPECT_EQ(config.metering.scope, core::MeterScope::kMachine);
  EXPECT_EQ(config.metering.interval, Duration{500});
  EXPECT_EQ(config.metering.cpu_tdp->watts, 65);
  EXPECT_EQ(config.metering.ram_power->watts, 5);
  EXPECT_EQ(config.metering.rapl, RaplUse::kPsys);
  EXPECT_EQ(config.metering.pue.ratio, 1.2);
  EXPECT_EQ(config.metering.wue_l_per_kwh, 1.8);
  EXPECT_EQ(config.metering.embodied.total.grams, 1.5e6);
  EXPECT_EQ(config.metering.embodied.lifetime, kDefaultLifetime);
  EXPECT_EQ(config.metering.embodied.share, 0.25);
  EXPECT_EQ(config.metering.other_signal->constant, Intensity{600});
  EXPECT_EQ(config.metering.other_signal->kind, core::SignalKind::kMarginal);
  EXPECT_EQ(config.metering.budget.energy, Energy::Joules(2.5 * 3.6e6));
  EXPECT_EQ(config.metering.budget.action, core::BudgetAction::kPause);
  EXPECT_EQ(config.metering.budget.grace, std::chrono::minutes{1});
}

TEST(TrainConfig, TheSectionLoraIsAFineTuningAndItsKeysAreFlags) {
  const TrainConfig config = Parse(R"(
training: {learning_rate: 5e-5, seeds: [1, 2]}
lora:
  base: models/qwen
  base_weights: nf4
  data: [a.jsonl.gz, b.csv]
  pattern: "Q: {q}"
  filter: helpfulness>=3
  pad_to_max: false
  pack: false
  rslora: true
  micro_batch: auto
  rank: 16
  alpha: 32
  targets: [q_proj, v_proj]
  adapter_dir: best
)");
  ASSERT_TRUE(config.training.lora);
  const LoraConfig& lora = *config.training.lora;
  EXPECT_EQ(lora.base, "models/qwen");
  EXPECT_THAT(lora.data, ElementsAre("a.jsonl.gz", "b.csv"));
  EXPECT_EQ(lora.adapter_dir, "best");
  EXPECT_THAT(lora.flags,
              ElementsAre("--base-weights", "nf4", "--pattern", "Q: {q}", "--filter",
                          "helpfulness>=3", "--no-pad-to-max", "--rslora", "--micro-batch", "auto",
                          "--rank", "16", "--alpha", "32", "--targets", "q_proj,v_proj"));
  EXPECT_THAT(Parse("lora: {base: m, tokens: t, micro_batch: 4}").training.lora->flags,
              ElementsAre("--micro-batch", "4"));
  EXPECT_EQ(config.training.learning_rate, 5e-5);
  EXPECT_EQ(config.training.batch_size, 1) << "as ebb-train lora begins";
  EXPECT_EQ(config.training.accumulation_steps, 8);
  EXPECT_EQ(config.training.lr_schedule, "cosine");
  EXPECT_EQ(config.training.precision, "bf16");
  EXPECT_FALSE(Parse("training: {epochs: 1}\nlora:\n").training.lora) << "an empty section";
}

TEST(TrainConfig, TheGateWaitsOnlyWhenItIsTold) {
  const auto policy = [](const std::string& keys) {
    return Parse("scheduler: {" + keys + "}").scheduler.policy;
  };
  EXPECT_EQ(policy("carbon_threshold: 100"), plan::GatePolicyKind::kNow);
  EXPECT_EQ(policy("wait_for_low_carbon: false"), plan::GatePolicyKind::kNow);
  EXPECT_EQ(policy("wait_for_low_carbon: true"), plan::GatePolicyKind::kThreshold);
  EXPECT_EQ(policy("wait_for_low_carbon: true, policy: window"), plan::GatePolicyKind::kWindow);
  EXPECT_EQ(policy("enabled: false, wait_for_low_carbon: true"), plan::GatePolicyKind::kNow);
  EXPECT_EQ(policy("enabled: false, policy: window"), plan::GatePolicyKind::kNow);
  EXPECT_EQ(policy("policy: lowest-window"), plan::GatePolicyKind::kWindow);
  EXPECT_EQ(policy("policy: run-now"), plan::GatePolicyKind::kNow);
}

TEST(TrainConfig, AnAddressIsUsedUnlessMockDataIsAskedForInSoManyWords) {
  const std::string url = "api_url: https://grid.example/x";
  const auto live = Parse("scheduler: {" + url + ", region: GB}");
  EXPECT_EQ(live.scheduler.signal.source, SignalSource::kHttp);
  EXPECT_EQ(live.scheduler.signal.url, "https://grid.example/x");
  EXPECT_EQ(live.scheduler.signal.zone, "GB");
  EXPECT_EQ(Parse("scheduler: {api_endpoint: https://a.b/c, use_mock_data: false}")
                .scheduler.signal.source,
            SignalSource::kHttp);
  const auto mock = Parse("scheduler: {" + url + ", use_mock_data: true}");
  EXPECT_EQ(mock.scheduler.signal.source, SignalSource::kProfile);
  EXPECT_EQ(mock.scheduler.signal.zone, "neo");
  EXPECT_THAT(mock.notes, ElementsAre(HasSubstr("is not asked, and the intensity is modelled")));
  EXPECT_THAT(Refusal("scheduler:\n  use_mock_data: false\n"),
              HasSubstr("my.yaml:2: use_mock_data is false, and nothing says where"));
}

TEST(TrainConfig, EbbsOwnSignalKeysOverruleNeosAndANoteSaysSo) {
  const auto replay = Parse("scheduler: {trace: a.csv, use_mock_data: true}");
  EXPECT_EQ(replay.scheduler.signal.source, SignalSource::kReplay);
  EXPECT_THAT(replay.notes, ElementsAre(HasSubstr("use_mock_data is overruled")));
  const auto zone = Parse("scheduler: {zone: DE, use_mock_data: true}");
  EXPECT_EQ(zone.scheduler.signal.zone, "DE");
  EXPECT_THAT(zone.notes, ElementsAre(HasSubstr("the profile of zone DE is used")));
  const auto constant = Parse("scheduler: {constant: 90, api_url: https://a.b/c}");
  EXPECT_EQ(constant.scheduler.signal.constant->g_per_kwh, 90);
  EXPECT_THAT(constant.notes, ElementsAre(HasSubstr("is not asked")));
}

TEST(TrainConfig, AProgramIsASourceAloneOrAfterAnother) {
  const auto alone = Parse("scheduler: {zone: XX, signal_command: python3 my_source.py --fast}");
  EXPECT_EQ(alone.scheduler.signal.source, SignalSource::kCommand);
  EXPECT_EQ(alone.scheduler.signal.command, "python3 my_source.py --fast");
  EXPECT_EQ(alone.scheduler.signal.zone, "XX");
  EXPECT_TRUE(alone.scheduler.signal.source_named);
  const auto after =
      Parse("scheduler: {zone: DE, signal: 'energy-charts, command', signal_command: my-source}");
  EXPECT_EQ(after.scheduler.signal.source, SignalSource::kEnergyCharts);
  EXPECT_THAT(after.scheduler.signal.fallbacks, ElementsAre(SignalSource::kCommand));
  EXPECT_EQ(after.scheduler.signal.command, "my-source");
}

TEST(TrainConfig, TheOlderNameOfTheDurationIsRead) {
  EXPECT_EQ(Parse("scheduler: {estimated_run_time: 25m}").scheduler.duration,
            Duration{minutes{25}});
  const auto both = ParseTrainConfig("scheduler: {estimated_run_time: 25m, duration: 25m}", "my");
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().Message().find("estimated_run_time (line 1) and duration are the same"),
            std::string::npos);
}

TEST(TrainConfig, BothSpellingsMayStandTogetherWhenTheyAgree) {
  EXPECT_EQ(Parse("scheduler: {api_url: https://a.b/c, api_endpoint: https://a.b/c}")
                .scheduler.signal.url,
            "https://a.b/c");
  EXPECT_EQ(Parse("scheduler: {start_by: 1m, max_wait_seconds: 60}").scheduler.longest_wait,
            Duration{minutes{1}});
}

TEST(TrainConfig, TheTrackersDirectoryStandsInForAMissingOutputDir) {
  EXPECT_EQ(Parse("tracker: {output_dir: a}").output_dir, "a");
  const auto both = Parse("tracker: {output_dir: a}\noutput_dir: b\n");
  EXPECT_EQ(both.output_dir, "b");
  EXPECT_THAT(both.notes, ElementsAre(HasSubstr("tracker.output_dir a is not used")));
}

TEST(TrainConfig, AKeyWithoutValueIsNotGiven) {
  const auto config = Parse("scheduler:\n  api_url:\n  carbon_threshold: ~\ntraining: null\n");
  EXPECT_EQ(config.scheduler.signal.source, SignalSource::kProfile);
  EXPECT_EQ(config.scheduler.threshold.g_per_kwh, 300);
}

struct BadConfig {
  const char* text;
  const char* message;  ///< part of the error
};

class TrainConfigRefuses : public ::testing::TestWithParam<BadConfig> {};

TEST_P(TrainConfigRefuses, NamingLineAndCause) {
  EXPECT_THAT(Refusal(GetParam().text), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    BadFiles, TrainConfigRefuses,
    ::testing::Values(
        BadConfig{"", "my.yaml: the file is empty"},
        BadConfig{"# only a comment\n", "the file is empty"},
        BadConfig{"just text", "my.yaml:1: the file must be a section of keys"},
        BadConfig{"- a\n- b\n", "must be a section of keys, and a list is not"},
        BadConfig{"training: 5\n", "my.yaml:1: training must be a section of keys"},
        BadConfig{"scheduler:\n  carbon_treshold: 5\n",
                  "my.yaml:2: unknown key \"carbon_treshold\" in scheduler (did you mean "
                  "\"carbon_threshold\"?)"},
        BadConfig{"shceduler:\n  enabled: true\n",
                  "unknown key \"shceduler\" at the top level (did you mean \"scheduler\"?)"},
        BadConfig{"scheduler:\n  pue: 1.2\n",
                  "unknown key \"pue\" in scheduler (it belongs in "
                  "metering)"},
        BadConfig{"training:\n  data_dir: x\n", "(it belongs at the top level)"},
        BadConfig{"scheduler:\n  enabled: maybe\n",
                  "my.yaml:2: enabled must be true or false, and \"maybe\" is not"},
        BadConfig{"scheduler:\n  carbon_threshold: -1\n",
                  "carbon_threshold must be a number, at "
                  "least 0"},
        BadConfig{"scheduler:\n  carbon_threshold: low\n", "and \"low\" is not"},
        BadConfig{"scheduler:\n  carbon_threshold: .nan\n", "must be a number"},
        BadConfig{"scheduler:\n  carbon_threshold: [1]\n", "and a list is not"},
        BadConfig{"scheduler:\n  max_wait_seconds: -5\n", "must be a duration"},
        BadConfig{"scheduler:\n  check_interval: 0\n", "at least 100ms"},
        BadConfig{"scheduler:\n  policy: lowest\n", "policy must be one of run-now, threshold, "},
        BadConfig{"scheduler:\n  policy: treshold\n", "did you mean \"threshold\"?"},
        BadConfig{"scheduler:\n  grid_start: yesterday\n", "must be a time"},
        BadConfig{"scheduler:\n  grid_speed: 0\n", "grid_speed must be a number"},
        BadConfig{"training:\n  batch_size: 0\n", "batch_size must be a whole number, at least 1"},
        BadConfig{"training:\n  batch_size: 2.5\n", "must be a whole number"},
        BadConfig{"training:\n  batch_size: 99999999999999999999\n", "must be a whole number"},
        BadConfig{"training:\n  epochs: 0\n", "epochs must be a whole number, at least 1"},
        BadConfig{"training:\n  learning_rate: 0\n", "learning_rate must be a number"},
        BadConfig{"training:\n  run_name: a/b\n", "no slash"},
        BadConfig{"training:\n  seeds: []\n", "seeds must be a list of different whole numbers"},
        BadConfig{"training:\n  seeds: [1, 1]\n", "seeds must be a list of different"},
        BadConfig{"training:\n  seed: 1\n  seeds: [1]\n", "my.yaml:3: seed (line 2) and seeds"},
        BadConfig{"lora:\n  base: m\n",
                  "my.yaml:2: lora needs data (files of texts) or tokens, and not both"},
        BadConfig{"lora: {base: m, data: a, tokens: b}\n", "and not both"},
        BadConfig{"lora: {data: a}\n", "lora needs the key base"},
        BadConfig{"lora:\n  base: m\n  tokens: t\n  rnk: 8\n",
                  "my.yaml:4: unknown key \"rnk\" in lora (did you mean \"rank\"?)"},
        BadConfig{"lora:\n  base: m\n  tokens: t\n  rank: 0\n",
                  "rank must be a whole number, at least 1"},
        BadConfig{"lora:\n  base: m\n  tokens: t\n  micro_batch: 0\n",
                  "my.yaml:4: micro_batch must be auto or a whole number from 1 to 65536"},
        BadConfig{"lora:\n  base: m\n  tokens: t\n  micro_batch: [1]\n", "must be auto or"},
        BadConfig{"lora:\n  base: m\n  tokens: t\n  batch_size: 2\n", "(it belongs in training)"},
        BadConfig{"lora:\n  base: m\n  tokens: t\n  targets: [q_proj, v_prj]\n",
                  "and \"v_prj\" is not (did you mean \"v_proj\"?)"},
        BadConfig{"training:\n  model: mlp\nlora: {base: m, tokens: t}\n",
                  "my.yaml:2: model is of image classifiers"},
        BadConfig{"training:\n  teacher: t\nlora: {base: m, tokens: t}\n",
                  "my.yaml:2: teacher is of image classifiers"},
        BadConfig{"training:\n  temperature: 2\n",
                  "my.yaml:2: temperature has no meaning without teacher"},
        BadConfig{"training:\n  precision: fp16\nlora: {base: m, tokens: t}\n",
                  "my.yaml:2: precision must be bf16 or fp32"},
        BadConfig{"data_dir: d\nlora: {base: m, tokens: t}\n",
                  "my.yaml:1: data_dir is of image classifiers"},
        BadConfig{"training:\n  rank: 8\n",
                  "unknown key \"rank\" in training (it belongs in lora)"},
        BadConfig{"metering:\n  interval: 2h\n", "at least 10ms and at most 1h 0m"},
        BadConfig{"metering:\n  pue: 0.9\n", "pue must be a number, at least 1"},
        BadConfig{"metering:\n  embodied_share: 0.5\n", "has no meaning without embodied_kg"},
        BadConfig{"metering:\n  other_kind: marginal\n", "has no meaning without other_trace"},
        BadConfig{"metering:\n  on_budget: log\n", "on_budget has no meaning without budget_kwh"},
        BadConfig{"metering:\n  budget_g: 5\n  on_budget: halt\n", "on_budget"},
        BadConfig{"training:\n  epochs: 1\n  epochs: 2\n",
                  "my.yaml:3: key \"epochs\" is given twice, also in line 2"},
        BadConfig{"training:\n  epochs: 1\ntraining:\n  epochs: 2\n", "is given twice"},
        BadConfig{"training:\n  epochs: [1\n", "is not valid YAML"},
        BadConfig{"training:\n\tepochs: 1\n", "my.yaml:2:8: is not valid YAML"},
        BadConfig{"a: *unknown\n", "is not valid YAML"},
        BadConfig{"output_dir: a\n---\noutput_dir: b\n",
                  "my.yaml:2:1: something follows the end of the first document"},
        BadConfig{"  output_dir: a\n,  b: c\n", "something follows the end"},
        BadConfig{"? [a, b]\n: c\n", "a key must be a plain word"},
        BadConfig{"scheduler:\n  api_url: https://a.b\n  api_endpoint: https://c.d\n",
                  "my.yaml:3: api_url (line 2) and api_endpoint mean the same and differ"},
        BadConfig{"scheduler:\n  start_by: 1h\n  max_wait_seconds: 60\n",
                  "mean the same and differ"},
        BadConfig{
            "scheduler:\n  policy: window\n  wait_for_low_carbon: false\n",
            "my.yaml:2: policy: lowest-window contradicts wait_for_low_carbon: false (line 3)"},
        BadConfig{"scheduler:\n  policy: now\n  wait_for_low_carbon: true\n", "contradicts"},
        BadConfig{"scheduler:\n  signal: replay\n", "signal replay needs the key trace"},
        BadConfig{"scheduler:\n  signal: http\n", "needs the key api_url"},
        BadConfig{"scheduler:\n  signal: constant\n", "needs the key constant"},
        BadConfig{"scheduler:\n  signal: command\n",
                  "my.yaml:2: signal command needs the key signal_command"},
        BadConfig{"scheduler:\n  signal: profile, command\n", "needs the key signal_command"},
        BadConfig{"scheduler:\n  signal: profile\n  signal_command: x\n",
                  "my.yaml:3: signal_command has no meaning for signal profile, only for command"},
        BadConfig{"scheduler:\n  signal_command: x\n  skip_waits: true\n",
                  "a live source cannot be replayed"},
        BadConfig{"scheduler:\n  signal: profile\n  trace: a.csv\n",
                  "trace has no meaning for signal profile, only for replay"},
        BadConfig{"scheduler:\n  zone: DE\n  forecast: perfect\n", "forecast has no meaning"},
        BadConfig{"scheduler:\n  trace: a.csv\n  weather: open-meteo\n",
                  "my.yaml:3: open-meteo tells the weather of today"},
        BadConfig{"scheduler:\n  signal: electricity-maps\n  zone: DE\n  weather: a.csv\n",
                  "a file of archived weather is for traces"},
        BadConfig{"scheduler:\n  trace: a.csv\n  weather_points: 54,9\n", "but no weather"},
        BadConfig{"scheduler:\n  api_url: https://a.b\n  skip_waits: true\n",
                  "a live source cannot be replayed"},
        BadConfig{"scheduler:\n  api_url: https://a.b\n  policy: window\n",
                  "policy window needs a forecast"},
        BadConfig{"tracker:\n  measure_power_secs: 15\nmetering:\n  interval: 1s\n",
                  "mean the same and differ"}));

TEST(TrainConfig, AllMistakesOfAFileAreReportedTogetherInTheOrderOfLines) {
  const std::string message = Refusal(
      "scheduler:\n  enabled: maybe\n  polcy: now\ntraining:\n"
      "  epochs: -1\n");
  EXPECT_THAT(message, HasSubstr("my.yaml: 3 mistakes\n  my.yaml:2: enabled"));
  EXPECT_THAT(message, HasSubstr("\n  my.yaml:3: unknown key \"polcy\""));
  EXPECT_THAT(message, HasSubstr("\n  my.yaml:5: epochs"));
}

TEST(TrainConfig, AFileThatUnfoldsWithoutEndIsRefused) {
  std::string text = "a: &a0 [x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string before = "*a" + std::to_string(level - 1);
    text += "b" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int i = 0; i < 8; ++i) text += before + (i < 7 ? ", " : "]\n");
  }
  EXPECT_THAT(Refusal(text), HasSubstr("holds more than 20000 values"));
}

TEST(TrainConfig, AMissingFileIsNamed) {
  const auto config = LoadTrainConfig("/no/such.yaml");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().Message(), HasSubstr("/no/such.yaml"));
}

TEST(ShippedConfigurations, AllLoadWithoutANote) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SourceTree() + "/configs")) {
    const auto folder = entry.path().parent_path().filename();
    if (entry.path().extension() != ".yaml" || folder == "sweeps" || folder == "scenarios" ||
        folder == "prices")
      continue;
    const auto config = LoadTrainConfig(entry.path());
    ASSERT_TRUE(config) << config.error().Message();
    EXPECT_THAT(config->notes, IsEmpty()) << entry.path();
    const std::string& trace = config->scheduler.signal.trace_path;
    EXPECT_TRUE(trace.empty() || std::filesystem::exists(SourceTree() + "/" + trace)) << trace;
    ++count;
  }
  EXPECT_GE(count, 7);
}

TEST(ShippedConfigurations, EachVariantOfAnExperimentChangesOneFactorAndOptimizedAllThree) {
  for (const std::string experiment : {"mnist-caiso/", "demo/"}) {
    const std::string folder = SourceTree() + "/configs/" + experiment;
    const auto baseline = LoadTrainConfig(folder + "baseline.yaml");
    ASSERT_TRUE(baseline);
    EXPECT_THAT(baseline->scheduler.signal.trace_path, HasSubstr("data/carbon/")) << "real hours";
    const auto changed = [&](const std::string& name) {
      const auto variant = LoadTrainConfig(folder + name + ".yaml");
      EXPECT_TRUE(variant) << folder << name;
      EXPECT_EQ(baseline->training.batch_size * baseline->training.accumulation_steps,
                variant->training.batch_size * variant->training.accumulation_steps);
      EXPECT_EQ(baseline->scheduler.signal.trace_path, variant->scheduler.signal.trace_path);
      EXPECT_EQ(baseline->scheduler.clock.start, variant->scheduler.clock.start);
      EXPECT_EQ(baseline->training.seeds, variant->training.seeds);
      return std::vector<bool>{
          baseline->scheduler.policy != variant->scheduler.policy,
          baseline->training.accumulation_steps != variant->training.accumulation_steps,
          baseline->training.precision != variant->training.precision};
    };
    EXPECT_EQ(changed("scheduled"), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(changed("accumulated"), (std::vector<bool>{false, true, false}));
    EXPECT_EQ(changed("bf16"), (std::vector<bool>{false, false, true}));
    EXPECT_EQ(changed("optimized"), (std::vector<bool>{true, true, true}));
  }
}

TEST(TrainConfig, SeveralSourcesAndWhatToDoInAnOutage) {
  const auto config = ParseTrainConfig(
      "scheduler:\n  signal: electricity-maps, profile\n  zone: DE\n  on_outage: run\n", "a.yaml");
  ASSERT_TRUE(config) << config.error().Message();
  EXPECT_EQ(signals::NamesOfSources(config->scheduler.signal), "electricity-maps,profile");
  EXPECT_EQ(config->scheduler.on_outage, core::OnOutage::kRun);
  const auto bad =
      ParseTrainConfig("scheduler:\n  signal: electricity-maps, profle\n  zone: DE\n", "a.yaml");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().Message().find("a.yaml:2"), std::string::npos) << bad.error().Message();
  EXPECT_NE(bad.error().Message().find("did you mean \"profile\"?"), std::string::npos);
}

}  // namespace
}  // namespace ebb::config
