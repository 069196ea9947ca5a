#include "config/run/train_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/enum_names.h"
#include "config/run/lora_section.h"
#include "config/run/scheduler_section.h"
#include "config/run/training_section.h"
#include "config/yaml/file_names.h"
#include "config/yaml/key_reader.h"
#include "config/yaml/yaml_tree.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "platform/shipped_files.h"

namespace ebb::config {
namespace {

// All keys of a file, before their combined meaning is resolved.
struct FileKeys {
  SchedulerKeys scheduler;
  TrainingKeys training;
  LoraKeys lora;
  MeteringKeys metering;
  Given<std::string> output_dir;
  Given<std::string> data_dir;
};

void ReadFile(const YamlNode& root, FileKeys& keys, Problems& problems) {
  struct Section {
    std::string name;
    std::vector<KeyRule> rules;
  };
  const std::vector<Section> sections{{"scheduler", SchedulerRules(keys.scheduler)},
                                      {"training", TrainingRules(keys.training)},
                                      {"lora", LoraRules(keys.lora)},
                                      {"tracker", TrackerRules(keys.metering)},
                                      {"metering", MeteringRules(keys.metering)}};
  std::vector<SectionKeys> all;
  for (const Section& section : sections) all.push_back(KeysOf(section.name, section.rules));

  std::vector<KeyRule> top{ReadText("output_dir", keys.output_dir),
                           ReadText("data_dir", keys.data_dir)};
  for (const Section& section : sections) {
    top.push_back({section.name, [&](const YamlNode& map, Problems& found) {
                     if (section.name == "lora") keys.lora.line = map.line;
                     ReadSection(map, section.name, section.rules, all, found);
                   }});
  }
  all.push_back(KeysOf("", top));
  ReadSection(root, "", top, all, problems);
}

std::string ResolveOutputDir(const FileKeys& keys, std::string fallback,
                             std::vector<std::string>& notes) {
  const Given<std::string>& tracker = keys.metering.tracker_output_dir;
  if (keys.output_dir && tracker && *keys.output_dir != *tracker)
    notes.push_back("everything of a run is written under output_dir " + *keys.output_dir +
                    ": tracker.output_dir " + *tracker + " is not used");
  return keys.output_dir.value_or(tracker.value_or(std::move(fallback)));
}

}  // namespace

namespace {
constexpr std::array<std::string_view, 4> kRaplUseNames{"packages", "packages+dram", "psys",
                                                        "none"};
constexpr std::array<std::string_view, 2> kCpuModelNames{"linear", "codecarbon"};
}  // namespace

std::vector<std::string> RaplUseNames() { return {kRaplUseNames.begin(), kRaplUseNames.end()}; }

std::string_view Name(RaplUse use) { return kRaplUseNames[static_cast<std::size_t>(use)]; }

std::optional<RaplUse> RaplUseFromName(std::string_view name) {
  const auto found = std::find(kRaplUseNames.begin(), kRaplUseNames.end(), name);
  if (found == kRaplUseNames.end()) return std::nullopt;
  return static_cast<RaplUse>(found - kRaplUseNames.begin());
}

std::string SchedulerConfig::PriceContradiction() const {
  const bool weighs = prices.weight > 0;
  if (prices.path.empty() && (weighs || prices.threshold))
    return "a price weight or threshold needs prices: say what electricity costs";
  if (weighs && !NeedsForecast(policy))
    return "policy " + std::string(plan::PolicyNameOf(Name(policy))) +
           " does not compare starts, so a price weight means nothing to it: use lowest-window or "
           "carbon-time, or a price threshold";
  return "";
}

std::vector<std::string> CpuModelNames() { return {kCpuModelNames.begin(), kCpuModelNames.end()}; }
std::string_view Name(CpuModel model) { return kCpuModelNames[static_cast<std::size_t>(model)]; }
std::optional<CpuModel> CpuModelFromName(std::string_view name) {
  return EnumFromName<CpuModel>(kCpuModelNames, name);
}

Result<TrainConfig> ParseTrainConfig(const std::string& text, const std::string& name,
                                     const MeteringConfig& metering) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, name));
  if (root.kind == YamlNode::Kind::kNull)
    return Fail({ExitCode::kConfiguration, "the file is empty", name,
                 "configs/baseline.yaml shows what belongs in it"});
  Problems problems(name);
  FileKeys keys;
  ReadFile(root, keys, problems);
  TrainConfig config;
  config.source = name;
  config.scheduler = ResolveScheduler(keys.scheduler, problems, config.notes);
  config.training = ResolveTraining(keys.training, keys.lora, FileStem(name, "run"), problems);
  config.metering = ResolveMetering(keys.metering, metering, problems);
  config.output_dir = ResolveOutputDir(keys, config.output_dir, config.notes);
  config.data_dir = keys.data_dir.value_or(config.data_dir);
  if (config.training.lora && keys.data_dir)
    problems.Add(keys.data_dir.line,
                 "data_dir is of image classifiers: lora.data or lora.tokens names the files");
  if (!problems.empty()) return Fail(problems.ToError());
  return config;
}

Result<TrainConfig> LoadTrainConfig(const std::string& name, const MeteringConfig& metering) {
  const std::string path = platform::Shipped(name);
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  EBB_ASSIGN_OR_RETURN(TrainConfig config, ParseTrainConfig(text, path, metering));
  if (auto& lora = config.training.lora)
    for (std::string* file : {&lora->base, &lora->tokens}) *file = platform::Shipped(*file);
  return config;
}

}  // namespace ebb::config
