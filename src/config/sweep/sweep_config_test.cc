#include "config/sweep/sweep_config.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "platform/digest.h"
#include "platform/file.h"
#include "sweep/local_jobs.h"
#include "testing/scratch_directory.h"
#include "testing/source_tree.h"

namespace ebb::config {
namespace {

const std::string kRoot = SourceTree() + "/";

SweepConfig Shipped(const std::string& name) {
  auto config = LoadSweepConfig(kRoot + "configs/sweeps/" + name);
  EXPECT_TRUE(config) << config.error().Message();
  return config ? *std::move(config) : SweepConfig{};
}

// Loads shipped sweeps by name from a folder that holds nothing of Ebb.
TEST(ShippedSweeps, NameFilesThatAreThereFromAnyFolder) {
  const auto before = std::filesystem::current_path();
  const auto folder = ScratchDirectory("sweep_anywhere");
  std::filesystem::current_path(folder);
  for (const char* name : {"lora.yaml", "lora-grid54.yaml"}) {
    const auto config = LoadSweepConfig(std::string("configs/sweeps/") + name);
    ASSERT_TRUE(config) << config.error().Message();
    int files = 0;
    for (const sweep::Experiment& experiment : config->sweep.experiments)
      for (const std::string& word : experiment.command)
        if (word.find("configs/") != std::string::npos) {
          EXPECT_TRUE(std::filesystem::exists(word)) << word;
          ++files;
        }
    EXPECT_GE(files, 2 * 21) << "model and tokens of each";
  }
  std::filesystem::current_path(before);
}

// Names as published, in the published order.
const std::vector<std::string> kCoreNames{
    "qwen-lora-r16-a32-lr1e-04-d10-tier1",  "qwen-lora-r16-a64-lr1e-04-d10-tier1",
    "qwen-lora-r16-a128-lr1e-04-d10-tier1", "qwen-lora-r16-a32-lr5e-05-d10-tier1",
    "qwen-lora-r16-a32-lr1e-05-d10-tier1",  "qwen-lora-r16-a32-lr1e-04-d5-tier1",
    "qwen-lora-r16-a32-lr1e-04-d15-tier1",  "qwen-lora-r16-a64-lr5e-05-d10-tier1",
    "qwen-lora-r32-a32-lr1e-04-d10-tier2",  "qwen-lora-r32-a64-lr1e-04-d5-tier2",
    "qwen-lora-r32-a64-lr1e-04-d10-tier2",  "qwen-lora-r32-a64-lr5e-05-d10-tier2",
    "qwen-lora-r32-a128-lr1e-04-d10-tier3", "qwen-lora-r32-a64-lr1e-05-d10-tier3",
    "qwen-lora-r32-a64-lr1e-04-d15-tier3",  "qwen-lora-r32-a128-lr5e-05-d10-tier3",
    "qwen-lora-r32-a128-lr1e-04-d5-tier3",  "qwen-lora-r32-a128-lr1e-04-d15-tier3",
    "qwen-lora-r32-a32-lr1e-04-d15-tier3",  "qwen-lora-r32-a128-lr1e-05-d10-tier3",
    "qwen-lora-r32-a32-lr5e-05-d15-tier3"};

TEST(SweepConfig, ReproducesThePublishedCoreSubset) {
  const sweep::Sweep sweep = Shipped("qwen-lora-core21.yaml").sweep;
  std::vector<std::string> names;
  std::map<std::string, int> tiers;
  for (const sweep::Experiment& experiment : sweep.experiments) {
    names.push_back(experiment.name);
    ++tiers[sweep.TierOf(experiment).name];
  }
  EXPECT_EQ(names, kCoreNames);
  EXPECT_EQ(tiers, (std::map<std::string, int>{{"1", 8}, {"2", 4}, {"3", 9}}));
  const sweep::Experiment& winner = sweep.experiments[16];
  EXPECT_EQ(winner.command,
            (std::vector<std::string>{"python", "/app/train_lora.py", "--r", "32", "--alpha", "128",
                                      "--lr", "1e-04", "--dropout", "0.05"}));
  EXPECT_EQ(winner.duration, std::chrono::minutes{96});
}

// The published tiers of all 54 combinations, in the published order.
TEST(SweepConfig, ReproducesThePublishedTiersOfTheFullGrid) {
  const std::string published =
      "111111111111111111111111111"
      "223223333"
      "223223333"
      "333333333";
  const sweep::Sweep sweep = Shipped("qwen-lora-grid54.yaml").sweep;
  std::string tiers;
  for (const sweep::Experiment& experiment : sweep.experiments)
    tiers += sweep.TierOf(experiment).name;
  EXPECT_EQ(tiers, published);
  EXPECT_EQ(sweep::Describe(sweep.experiments[53]), "r=32,alpha=128,lr=1e-05,dropout=0.15");
}

// Compares with the published tables themselves, if they are available.
TEST(NeedsSharedData, SweepsAgreeWithThePublishedTables) {
  const std::string seeds = ebb::SharedData() + "/seeds/";
  const auto core = platform::ReadFile(seeds + "part2_core_subset_21jobs.csv");
  const auto grid = platform::ReadFile(seeds + "part2_full_grid_54.csv");
  if (!core || !grid) GTEST_SKIP() << "the shared data are not here";
  const auto rows = [](const std::string& text) {
    std::vector<std::vector<std::string>> all;
    for (const std::string_view line : Split(Trim(text), '\n')) {
      all.emplace_back();
      for (const std::string_view field : Split(Trim(line), ',')) all.back().emplace_back(field);
    }
    all.erase(all.begin());
    return all;
  };
  const auto texts = [](const sweep::Experiment& experiment) {
    std::vector<std::string> all;
    for (const sweep::Setting& setting : experiment.settings) all.push_back(setting.value.text);
    return all;
  };
  const sweep::Sweep core_sweep = Shipped("qwen-lora-core21.yaml").sweep;
  const auto core_rows = rows(*core);
  ASSERT_EQ(core_rows.size(), core_sweep.experiments.size());
  for (std::size_t i = 0; i < core_rows.size(); ++i) {
    const auto& row = core_rows[i];
    const sweep::Experiment& experiment = core_sweep.experiments[i];
    const core::Tier& tier = core_sweep.TierOf(experiment);
    EXPECT_EQ(experiment.name, row[1]);
    EXPECT_EQ(texts(experiment), (std::vector<std::string>(row.begin() + 2, row.begin() + 6)));
    EXPECT_EQ(tier.name, row[6]);
    EXPECT_EQ(FormatExact(tier.threshold->g_per_kwh), row[7]);
    EXPECT_EQ(FormatExact(Hours(tier.max_delay)), row[8]);
    EXPECT_EQ(FormatExact(Hours(experiment.duration)), row[9]);
  }
  const sweep::Sweep grid_sweep = Shipped("qwen-lora-grid54.yaml").sweep;
  const auto grid_rows = rows(*grid);
  ASSERT_EQ(grid_rows.size(), grid_sweep.experiments.size());
  for (std::size_t i = 0; i < grid_rows.size(); ++i) {
    const auto& row = grid_rows[i];
    EXPECT_EQ(texts(grid_sweep.experiments[i]),
              (std::vector<std::string>(row.begin(), row.begin() + 4)));
    EXPECT_EQ(grid_sweep.TierOf(grid_sweep.experiments[i]).name, row[4]);
  }
}

TEST(SweepConfig, WrittenOutIsTheSameSweep) {
  for (const char* name : {"qwen-lora-core21.yaml", "digits.yaml"}) {
    sweep::Sweep sweep = Shipped(name).sweep;
    sweep.common.budget.energy = Energy::Joules(1e5);
    sweep.common.budget.emissions = Emissions{0.1};
    sweep.common.budget.action = core::BudgetAction::kLog;
    sweep.budget.energy = Energy::Joules(7.2e6);
    const std::string jobs = sweep::LocalJobs(sweep);
    const auto read = ParseSweepConfig(jobs, "jobs.yaml");
    ASSERT_TRUE(read) << read.error().Message();
    EXPECT_EQ(sweep::LocalJobs(read->sweep), jobs);
    EXPECT_EQ(read->sweep.experiments.size(), sweep.experiments.size());
    EXPECT_EQ(read->sweep.halving, sweep.halving);
    EXPECT_EQ(read->sweep.common.budget.energy, sweep.common.budget.energy);
    EXPECT_EQ(read->sweep.common.budget.emissions->grams, 0.1);
    EXPECT_EQ(read->sweep.common.budget.action, core::BudgetAction::kLog);
    EXPECT_EQ(read->sweep.budget.energy, sweep.budget.energy);
    EXPECT_EQ(read->sweep.budget.emissions.has_value(), false);
  }
}

TEST(SweepConfig, ReadsWhereTasksOfCloudsMayRun) {
  const auto config = LoadSweepConfig(kRoot + "configs/sweeps/qwen-lora-core21.yaml");
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->skypilot);
  const auto text = platform::ReadFile(kRoot + "configs/sweeps/qwen-lora-core21.yaml");
  ASSERT_TRUE(text);
  const auto with_clouds = ParseSweepConfig(
      *text +
          "\nskypilot:\n  regions: [Google/europe-west1-c, AWS/eu-north-1]\n"
          "  bucket: gs://my-bucket\n  accelerator: A100\n  spot: true\n  at_once: 4\n"
          "  workdir: \"\"\n  setup: |\n    pip install a\n    pip install b\n",
      "s.yaml");
  ASSERT_TRUE(with_clouds) << with_clouds.error().Message();
  const sweep::SkypilotOptions& options = *with_clouds->skypilot;
  EXPECT_EQ(options.regions, (std::vector<std::string>{"gcp/europe-west1", "aws/eu-north-1"}));
  EXPECT_EQ(options.bucket, "gs://my-bucket");
  EXPECT_EQ(options.accelerator, "A100");
  EXPECT_TRUE(options.spot);
  EXPECT_EQ(options.at_once, 4);
  EXPECT_EQ(options.workdir, "");
  EXPECT_EQ(options.setup, "pip install a\npip install b\n");
}

// Generated manifests ----------------------------------------------------------------------

void ExpectGolden(const std::string& name, const std::string& actual) {
  const platform::Path path = kRoot + "tests/golden/sweep/" + name;
  if (const char* update = std::getenv("EBB_UPDATE_GOLDEN"); update && *update == '1') {
    ASSERT_TRUE(platform::WriteFileAtomically(path, actual));
  }
  const auto expected = platform::ReadFile(path);
  ASSERT_TRUE(expected) << expected.error().Message();
  EXPECT_EQ(*expected, actual) << "run with EBB_UPDATE_GOLDEN=1 if the change is meant";
}

TEST(SweepConfig, TheCoreSubsetsManifestsAreTheGoldenOnes) {
  const SweepConfig config = Shipped("qwen-lora-core21.yaml");
  const auto files = sweep::KubernetesFiles(config.sweep, config.kubernetes);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 21u);
  std::string digests;
  for (const sweep::GeneratedFile& file : *files)
    digests += platform::Sha256Hex(file.content) + "  " + file.name + "\n";
  ExpectGolden("manifests.sha256", digests);
  for (const std::size_t index : {0, 8, 16})
    ExpectGolden((*files)[index].name, (*files)[index].content);
  const auto scripts = sweep::SlurmFiles(config.sweep, config.slurm);
  ASSERT_TRUE(scripts);
  ExpectGolden((*scripts)[16].name, (*scripts)[16].content);
}

// Checks that a text cannot be read as another type by a reader that guesses types.
void ExpectTextsStayTexts(const YAML::Node& node, const std::vector<std::string>& not_text,
                          const std::string& key = "") {
  if (node.IsScalar()) {
    const bool plain = node.Tag() == "?";
    double number = 0;
    bool truth = false;
    const bool looks_otherwise = node.IsNull() || YAML::convert<double>::decode(node, number) ||
                                 YAML::convert<bool>::decode(node, truth);
    const bool meant = std::find(not_text.begin(), not_text.end(), key) != not_text.end();
    EXPECT_EQ(plain && looks_otherwise, meant) << key << ": " << node.Scalar();
    return;
  }
  for (const auto& item : node) {
    if (node.IsMap())
      ExpectTextsStayTexts(item.second, not_text, item.first.Scalar());
    else
      ExpectTextsStayTexts(item, not_text, key);
  }
}

TEST(SweepConfig, ManifestsReadBackAsWritten) {
  SweepConfig config = Shipped("qwen-lora-core21.yaml");
  for (const std::string hostile :
       {"$(id)", "a: b", "1e-04", "true", "x\ny", "'", "\"", "# no", "", "\xc3\xa4", "\x01"}) {
    sweep::Experiment& experiment = config.sweep.experiments[0];
    experiment.rationale = hostile;
    experiment.settings = {{"p", sweep::Value::From(hostile)}};
    config.kubernetes.technique = hostile;
    const std::string text = sweep::KubernetesManifest(config.sweep, experiment, config.kubernetes);
    const YAML::Node manifest = YAML::Load(text);
    const YAML::Node annotations = manifest["metadata"]["annotations"];
    EXPECT_EQ(annotations["compute-gardener.io/tier-rationale"].as<std::string>(), hostile);
    EXPECT_EQ(annotations["compute-gardener.io/config"].as<std::string>(), "p=" + hostile);
    EXPECT_EQ(annotations["compute-gardener.io/technique"].as<std::string>(), hostile);
    EXPECT_EQ(annotations["compute-gardener.io/tier"].Tag(), "!");
    ExpectTextsStayTexts(
        manifest,
        {"suspend", "shutdownAfterJobFinishes", "enableInTreeAutoscaling", "containerPort",
         "defaultMode", "replicas", "minReplicas", "maxReplicas", "fsGroup", "runAsUser",
         "runAsGroup", "nvidia.com/gpu", "ttlSecondsAfterFinished", "activeDeadlineSeconds"});
  }
}

// Mistakes ---------------------------------------------------------------------------------

constexpr const char* kSmall = R"(parameters:
  grid:
    lr: [1e-04, 5e-05]
estimates:
  - {duration: 1h, power_w: 300}
name_template: "run-{lr}"
command: [train, "{lr}"]
)";

std::string ErrorOf(const std::string& text) {
  const auto config = ParseSweepConfig(text, "s.yaml");
  return config ? "" : config.error().Message();
}

// kSmall with one line replaced, or added at the end.
std::string With(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  if (from.empty()) return text + to;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

// A sweep file with random parameters whose last line is `search`.
std::string RandomFile(const std::string& parameters, const std::string& search) {
  return "parameters: {random: " + parameters +
         "}\n"
         "estimates:\n"
         "  - {duration: 1h, power_w: 300}\n"
         "name_template: \"run-{lr}\"\n"
         "command: [train, \"{lr}\"]\n" +
         search;
}
const std::string kThreeTrials = "search: {method: random, trials: 3, seed: 5}\n";

TEST(SweepConfig, RandomParametersAreDrawnBySeedAndThenAListLikeAnyOther) {
  const std::string parameters =
      "{lr: {log_uniform: [1e-5, 1e-2]}, batch: {choice: [32, 1e2]}, layers: {integer: [2, 4]}}";
  const auto read = [&](const std::string& search) {
    const auto config = ParseSweepConfig(RandomFile(parameters, search), "s.yaml");
    EXPECT_TRUE(config) << config.error().Message();
    std::vector<std::string> experiments;
    if (!config) return experiments;
    for (const sweep::Experiment& experiment : config->sweep.experiments) {
      experiments.push_back(Describe(experiment));
      EXPECT_EQ(experiment.command.at(1), experiment.settings.at(0).value.text);
      const double lr = *experiment.settings[0].value.number;
      EXPECT_TRUE(lr >= 1e-5 && lr <= 1e-2) << lr;
      const std::string& batch = experiment.settings[1].value.text;
      EXPECT_TRUE(batch == "32" || batch == "1e2") << batch << ": the text of the file";
    }
    return experiments;
  };
  const auto three = read(kThreeTrials);
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three, read(kThreeTrials));
  EXPECT_NE(three, read("search: {trials: 3, seed: 6}\n"));
  auto nine = read("search: {trials: 9, seed: 5}\n");
  ASSERT_EQ(nine.size(), 9u);
  nine.resize(3);
  EXPECT_EQ(three, nine) << "more trials keep the first";
}

TEST(SweepConfig, TakesASmallFile) {
  const auto config = ParseSweepConfig(kSmall, "dir/s.yaml");
  ASSERT_TRUE(config) << config.error().Message();
  EXPECT_EQ(config->sweep.name, "s");
  EXPECT_EQ(config->sweep.experiments[0].name, "run-1e-04");
  EXPECT_EQ(config->sweep.tiers[0].max_delay, std::chrono::hours{24});
}

TEST(SweepConfig, OlderNamesOfKeysAreReadButNotBesideThePresentOnes) {
  std::string older =
      With("duration: 1h", "run_time: 1h") + "pausable: true\npause_overhead: 1m\nrun_limit: 3h\n";
  const auto read = ParseSweepConfig(older, "s.yaml");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(read->sweep.experiments.at(0).duration, std::chrono::hours{1});
  EXPECT_TRUE(read->sweep.common.job.checkpointable);
  EXPECT_EQ(read->sweep.common.job.pause_cost, std::chrono::minutes{1});
  EXPECT_EQ(read->sweep.common.time_limit, std::chrono::hours{3});
  EXPECT_NE(ErrorOf(older + "time_limit: 3h\n")
                .find("s.yaml:11: run_limit (line 10) and time_limit are the same key: leave out "
                      "run_limit"),
            std::string::npos);
  EXPECT_NE(ErrorOf(With("duration: 1h", "run_time: 1h, duration: 1h"))
                .find("run_time (line 5) and duration are the same key"),
            std::string::npos);
}

struct Case {
  std::string text, message;
};

TEST(SweepConfig, NamesEveryMistakeWithItsLine) {
  const std::vector<Case> cases{
      {"", "the file is empty"},
      {"[1, 2]", "the file must be a section of keys"},
      {With("", "comand: [x]\n"),
       "s.yaml:8: unknown key \"comand\" at the top level (did you mean"},
      {With("", "gpus: 2\n"),
       "s.yaml:8: unknown key \"gpus\" at the top level (here it is called "
       "\"devices\")"},
      {With("[train, \"{lr}\"]", "train {lr}"), "s.yaml:7: command must be a list of words"},
      {With("[train, \"{lr}\"]", "[train, \"{rl}\"]"),
       "s.yaml:7: there is no parameter rl for {rl}"},
      {With("[train, \"{lr}\"]", "[train, \"{lr\"]"), "s.yaml:7: \"{\" without \"}\""},
      {With("[train, \"{lr}\"]", "[]"), "s.yaml:7: command must be a list with at least one entry"},
      {With("[train, \"{lr}\"]", "[\"a\\0b\"]"), "s.yaml:7: a value of command holds a NUL"},
      {With("run-{lr}", "run"), "s.yaml:6: experiments 1 and 2 are both called run"},
      {With("[1e-04, 5e-05]", "[]"), "s.yaml:3: lr must be a list with at least one entry"},
      {With("[1e-04, 5e-05]", "[1e-04, 0.0001]"),
       "s.yaml:3: parameter lr has the value 0.0001 twice"},
      {With("[1e-04, 5e-05]", "[[1], 2]"), "s.yaml:3: a value of lr must be a number or a text"},
      {With("lr: [", "1r: ["), "s.yaml:3: \"1r\" is not a valid name for a parameter"},
      {With("lr: [", "name: ["), "a parameter cannot be called name"},
      {With("1h", "-1h"), "duration must be a duration"},
      {With("1h", "0"), "duration must be a duration"},
      {With("300", "0"), "power_w must be a number"},
      {With("power_w: 300", "when: lr << 3, power_w: 300"), "is not a comparison"},
      {With("power_w: 300", "when: ls == 3, power_w: 300"),
       "there is no parameter ls (did you mean"},
      {With("power_w: 300", "when: {none: [lr == 3]}, power_w: 300"),
       "a condition is a comparison"},
      {With("power_w: 300", "when: lr == 3, power_w: 300"), "no estimate of run time and power"},
      {With("", "sample: {size: 0}\n"), "s.yaml:8: size must be a whole number, at least 1"},
      {With("", "devices: 0\n"), "s.yaml:8: devices must be a whole number"},
      {With("", "tiers:\n  - {name: 1}\n"), "s.yaml:9: a tier needs name and max_delay"},
      {With("", "tiers:\n  - {name: 1, max_delay: 1h}\n  - {name: 1, max_delay: 2h}\n"),
       "s.yaml:10: tier 1 is given twice"},
      {With("", "tiers:\n  - {name: 1, max_delay: 1h}\n  - {name: 2, max_delay: 2h}\n"),
       "no tier rule matches lr=1e-04"},
      {With("", "tier_rules:\n  - {tier: 7}\n"), "s.yaml:9: there is no tier 7"},
      {With("", "successive_halving: {epochs: 3, minimum_epochs: 3}\n"),
       "must be less than epochs"},
      {With("", "budget: {action: log}\n"), "s.yaml:8: budget limits nothing"},
      {With("", "sweep_budget: {}\n"), "s.yaml:8: sweep_budget"},
      {With("", "sweep_budget: {energy_kwh: 1, action: log}\n"), "action"},
      {With("", "budget: {energy_kwh: 0}\n"), "s.yaml:8: energy_kwh must be"},
      {With("", "budget: {emission_g: 5}\n"), "(did you mean"},
      {With("", "budget: {emissions_g: 5, action: pause}\n"),
       "s.yaml:8: action pause is for programs that write checkpoints"},
      {With("", "kubernetes: {namespace: A B}\n"), "s.yaml:8: namespace \"A B\" is not a name"},
      {With("", "slurm: {partition: a;b}\n"), "s.yaml:8: partition \"a;b\" may hold letters"},
      {With("", "skypilot: {regions: [aws/eu-nort-1], bucket: b}\n"),
       "(did you mean \"eu-north-1\"?)"},
      {With("", "skypilot: {regions: [aws/eu-north-1, AWS/eu-north-1], bucket: b}\n"),
       "s.yaml:8: region aws/eu-north-1 is given twice"},
      {With("", "skypilot: {regions: [aws/eu-north-1]}\n"), "s.yaml:8: bucket is missing"},
      {With("", "skypilot: {bucket: b}\n"), "s.yaml:8: regions are missing"},
      {With("", "skypilot: {regions: [aws/eu-north-1], bucket: b, at_once: 0}\n"),
       "s.yaml:8: at_once must be"},
      {With("", "experiments: []\n"), "parameters does not go with experiments"},
      {With("  grid:", "  list: [{lr: 1}]\n  grid:"),
       "parameters are a grid, a list or random: give one of them"},
      {With("", "search: {trials: 3}\n"), "s.yaml:8: search goes with random parameters"},
      {RandomFile("{lr: {log_uniform: [1e-5, 1e-2]}}", ""), "random parameters need search"},
      {RandomFile("{lr: {log_uniform: [1e-5, 1e-2]}}", "search: {seed: 1}\n"),
       "s.yaml:6: search needs trials"},
      {RandomFile("{lr: {log_uniform: [1e-5, 1e-2]}}", "search: {method: grid, trials: 2}\n"),
       "s.yaml:6: method"},
      {RandomFile("{lr: {log_uniform: [1e-5, 1e-2]}}", "search: {trials: 2, startup: 1}\n"),
       "startup and parallel are for method: bayesian"},
      {RandomFile("{lr: {log_uniform: [1e-5, 1e-2]}}", "search: {method: bayesian, trials: 2}\n"),
       "ebb sweep search s.yaml"},
      {RandomFile("{lr: {log_uniform: [0, 1e-2]}}", kThreeTrials), "no values at or below 0"},
      {RandomFile("{lr: {uniform: [2, 1]}}", kThreeTrials), "the smaller one first"},
      {RandomFile("{lr: {uniform: [1, 2, 3]}}", kThreeTrials), "needs two numbers"},
      {RandomFile("{lr: {integer: [1, 2.5]}}", kThreeTrials), "two whole numbers"},
      {RandomFile("{lr: {normal: [1, 2]}}", kThreeTrials), "there is no distribution normal"},
      {RandomFile("{lr: {choice: []}}", kThreeTrials), "at least one entry"},
      {RandomFile("{lr: [1, 2]}", kThreeTrials), "needs one distribution"},
      {RandomFile("{1r: {uniform: [1, 2]}}", kThreeTrials), "is not a valid name"},
      {RandomFile("{lr: {uniform: [1, 2]}, lr: {uniform: [1, 2]}}", kThreeTrials), "lr"},
      {RandomFile("{lr: {choice: [1]}}", kThreeTrials), "are both called run-1"},
      {"parameters: &p {grid: *p}\n", ""},
      {"a: &a [*a, *a]\n", ""},
  };
  for (const Case& c : cases) {
    const std::string error = ErrorOf(c.text);
    EXPECT_FALSE(error.empty()) << c.text;
    EXPECT_NE(error.find(c.message), std::string::npos) << c.text << "\n" << error;
  }
}

TEST(SweepConfig, ReportsAllMistakesOfAFileTogether) {
  const std::string error =
      ErrorOf("parameters: {grid: {lr: []}}\ntires: 3\nestimates: [{duration: x}]\n");
  for (const char* part :
       {"s.yaml:1: lr must be a list", "s.yaml:2: unknown key \"tires\"",
        "s.yaml:3: duration must be", "the file needs a command", "the file needs a name_template"})
    EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
}

}  // namespace
}  // namespace ebb::config
