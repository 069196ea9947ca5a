#include "config/tiers.h"

#include "config/section_table.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "core/options/field_builders.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

const SectionTable<core::Tier>& TierTable() {
  using core::Tier;
  const core::Definition& tier = core::TierDefinition();
  static const SectionTable<Tier> table{
      Key<Tier>(core::Formerly("tier", tier.Of("name")), &Tier::name),
      Key<Tier>(tier.Of("threshold"), &Tier::threshold),
      Key<Tier>(tier.Of("max_delay"), &Tier::max_delay),
      Key<Tier>(tier.Of("priority"), &Tier::priority)};
  return table;
}

void ReadTier(const YamlNode& node, std::vector<core::Tier>& tiers, Problems& problems) {
  core::Tier tier;
  const GivenKeys given = ReadByTable(node, "tiers", TierTable(), tier, problems);
  if (!given.Has("name") || !given.Has("max_delay"))
    problems.Add(node.line, "a tier needs name and max_delay");
  if (given.Has("name") && core::FindTier(tiers, tier.name))
    problems.Add(given.LineOf("name"), "tier " + tier.name + " is given twice");
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
