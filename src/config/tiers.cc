#include "config/tiers.h"

#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "core/options/field_builders.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

constexpr Range kThresholds{0, core::kMostIntensity};
constexpr Range kPriorities{-core::kMostPriority, core::kMostPriority};

void ReadTier(const YamlNode& node, std::vector<core::Tier>& tiers, Problems& problems) {
  Given<std::string> name;
  Given<double> threshold;
  Given<Duration> max_delay;
  Given<std::int64_t> priority;
  const std::vector<KeyRule> rules{
      Formerly("tier", ReadText("name", name)),
      Formerly("threshold_g_per_kwh", ReadNumber("threshold", threshold, kThresholds)),
      ReadDuration("max_delay", max_delay, Duration::zero()),
      ReadInteger("priority", priority, kPriorities)};
  ReadSection(node, "tiers", rules, {}, problems);
  if (!name || !max_delay) problems.Add(node.line, "a tier needs name and max_delay");
  if (name && core::FindTier(tiers, *name))
    problems.Add(name.line, "tier " + *name + " is given twice");
  core::Tier tier;
  tier.name = name.value_or("");
  if (threshold) tier.threshold = Intensity{*threshold};
  tier.max_delay = max_delay.value_or({});
  tier.priority = static_cast<int>(priority.value_or(0));
  tiers.push_back(std::move(tier));
}

}  // namespace

std::vector<core::Tier> ReadTiers(const YamlNode& list, Problems& problems) {
  std::vector<core::Tier> tiers;
  ReadEach("tiers", list, problems,
           [&](const YamlNode& item, Problems& found) { ReadTier(item, tiers, found); });
  return tiers;
}

Result<std::vector<core::Tier>> ParseTiers(const std::string& text, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  Problems problems(path);
  Given<YamlNode> section;
  std::vector<core::Tier> tiers;
  if (root.kind != YamlNode::Kind::kNull) {
    const std::vector<KeyRule> rules{ReadNode("tiers", section)};
    ReadSection(root, "", rules, {}, problems);
  }
  if (section)
    tiers = ReadTiers(*section, problems);
  else
    problems.Add(0,
                 "tiers is missing: a list like [{name: urgent, threshold: 225, max_delay: 24h}]");
  if (!problems.empty()) return Fail(problems.ToError());
  return tiers;
}

Result<std::vector<core::Tier>> LoadTiers(const std::string& path) {
  if (path.empty()) return core::PublishedTiers();
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  return ParseTiers(text, path);
}

}  // namespace ebb::config
