#include "config/cluster/node_groups.h"

#include <algorithm>
#include <utility>

#include "config/cluster/cluster_table.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

using kubernetes::Autoscaler;
using kubernetes::NodeGroup;
using kubernetes::PublishedGroup;

constexpr const char* kKarpenterLabel = "karpenter.sh/nodepool";
// A status has about twenty values for each of up to a thousand groups; a ConfigMap holds 1 MiB.
constexpr int kStatusValues = 200'000;

void ReadLabels(const YamlNode& node, std::map<std::string, std::string>& labels,
                Problems& problems) {
  if (node.kind != YamlNode::Kind::kMap || node.entries.empty())
    return problems.Add(node.line, "labels needs labels of the group's nodes, like {pool: a100}");
  for (const YamlEntry& entry : node.entries) {
    if (entry.value.kind != YamlNode::Kind::kScalar)
      problems.Add(entry.line, "label " + entry.key + " needs a single value");
    labels[entry.key] = entry.value.text;
  }
}

// Reports mistakes that only show when several keys are read together.
void CheckGroup(const NodeGroup& group, int line, Problems& problems) {
  if (group.labels.empty())
    problems.Add(line, "node group " + group.name +
                           " needs labels, by which its nodes are known, like {pool: a100}");
  if (group.gpus <= 0 && group.cores <= 0)
    problems.Add(line, "node group " + group.name + " needs gpus or cores: what one node has");
  if (!group.most_nodes && group.autoscaler == Autoscaler::kSilent)
    problems.Add(line, "node group " + group.name +
                           " needs most_nodes, or an autoscaler that publishes its limit "
                           "(cluster-autoscaler, karpenter)");
}

void ReadGroup(const YamlNode& node, std::vector<NodeGroup>& groups, Problems& problems) {
  NodeGroupSection section;
  const GivenKeys given = ReadByTable(node, "node_groups", NodeGroupTable(), section, problems);
  NodeGroup& group = section.group;
  if (!given.Has("name"))
    return problems.Add(node.line, "a node group needs a name: what its autoscaler calls it");
  if (std::ranges::count(groups, group.name, &NodeGroup::name) > 0)
    problems.Add(given.LineOf("name"), "node group " + group.name + " is given twice");
  if (section.labels) ReadLabels(*section.labels, group.labels, problems);
  if (!section.labels && group.autoscaler == Autoscaler::kKarpenter)
    group.labels[kKarpenterLabel] = group.name;
  if (!section.labels || !group.labels.empty()) CheckGroup(group, node.line, problems);
  groups.push_back(std::move(group));
}

const YamlNode* Find(const YamlNode* node, std::string_view key) {
  if (!node) return nullptr;
  const auto found = std::ranges::find(node->entries, key, &YamlEntry::key);
  return found == node->entries.end() ? nullptr : &found->value;
}

std::string TextOf(const YamlNode* node) { return node ? node->text : ""; }

PublishedGroup ReadPublished(const YamlNode& node) {
  PublishedGroup group;
  group.name = TextOf(Find(&node, "name"));
  if (const auto most = ParseInteger(TextOf(Find(Find(&node, "health"), "maxSize"))))
    group.most_nodes = static_cast<int>(std::clamp<std::int64_t>(*most, 0, 1 << 20));
  const YamlNode* scale_up = Find(&node, "scaleUp");
  if (TextOf(Find(scale_up, "status")) != "Backoff") return group;
  const YamlNode* why = Find(scale_up, "backoffInfo");
  group.stuck = "the Cluster Autoscaler backs off";
  for (const char* key : {"errorCode", "errorMessage"})
    if (const std::string text = TextOf(Find(why, key)); !text.empty()) group.stuck += ": " + text;
  return group;
}

}  // namespace

Result<std::vector<NodeGroup>> ParseNodeGroups(const std::string& text, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  Problems problems(path);
  Given<YamlNode> section;
  std::vector<NodeGroup> groups;
  if (root.kind != YamlNode::Kind::kNull) {
    const std::vector<KeyRule> rules{ReadNode("node_groups", section)};
    ReadSection(root, "", rules, {}, problems);
  }
  if (section)
    ReadEach("node_groups", *section, problems,
             [&](const YamlNode& item, Problems& found) { ReadGroup(item, groups, found); });
  else if (problems.empty())
    problems.Add(0,
                 "node_groups is missing: a list like [{name: a100, labels: {pool: a100}, "
                 "gpus: 8, most_nodes: 4}]");
  if (!problems.empty()) return Fail(problems.ToError());
  return groups;
}

Result<std::vector<NodeGroup>> LoadNodeGroups(const std::string& path) {
  if (path.empty()) return std::vector<NodeGroup>{};
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  return ParseNodeGroups(text, path);
}

Result<std::vector<PublishedGroup>> ParseAutoscalerStatus(const std::string& text,
                                                          const std::string& name) {
  const auto root = ParseYaml(text, name, {.values = kStatusValues});
  const YamlNode* groups = root ? Find(&*root, "nodeGroups") : nullptr;
  if (!root || root->kind != YamlNode::Kind::kMap || !Find(&*root, "autoscalerStatus"))
    return Fail({ExitCode::kConfiguration, "is no status of the Cluster Autoscaler 1.30 or newer",
                 name, "its limits and back-offs are not known then; give most_nodes"});
  std::vector<PublishedGroup> published;
  if (groups)
    for (const YamlNode& group : groups->items) published.push_back(ReadPublished(group));
  return published;
}

}  // namespace ebb::config
