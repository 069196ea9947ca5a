#include "config/sites_file.h"

#include <algorithm>

#include "config/yaml/file_names.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "core/options/field_builders.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

constexpr double kMostSlots = 1024;
constexpr double kMostMb = 1e7;
constexpr double kMostMbitPerSecond = 1e6;
constexpr double kBytesPerMegabit = 1e6 / 8;
constexpr std::int64_t kUsualMostMb = 2000;
constexpr const char* kHere = "here";  // the name of the service's own machine

struct SiteKeys {
  Given<std::string> name, host, zone, ssh, ebb, folder, trace, signal, cpu_model;
  Given<std::vector<std::string>> gpus, leave_out;
  Given<double> pue, constant, cpu_tdp, bandwidth;
  Given<std::int64_t> slots, most_mb;
};

std::vector<KeyRule> RulesFor(SiteKeys& keys) {
  return {
      ReadText("name", keys.name),
      ReadText("host", keys.host),
      ReadText("zone", keys.zone),
      ReadText("signal", keys.signal),
      ReadText("trace", keys.trace),
      ReadNumber("constant_g_per_kwh", keys.constant, {0, core::kMostIntensity}),
      ReadNumber("pue", keys.pue, {1, 10}),
      ReadNumber("bandwidth_mbit_s", keys.bandwidth, {0.01, kMostMbitPerSecond}),
      ReadInteger("slots", keys.slots, {1, kMostSlots}),
      ReadTexts("gpus", keys.gpus),
      ReadChoice("folder", keys.folder, {"copy", "same"}),
      ReadTexts("leave_out", keys.leave_out),
      ReadInteger("most_mb", keys.most_mb, {1, kMostMb}),
      ReadNumber("cpu_tdp_w", keys.cpu_tdp, {1, 10'000}),
      ReadText("ssh", keys.ssh),
      ReadText("ebb", keys.ebb),
  };
}

void Check(const SiteKeys& keys, const YamlNode& node, const std::vector<SiteEntry>& others,
           Problems& problems) {
  if (!keys.name || !keys.host) problems.Add(node.line, "a site needs name and host");
  if (keys.name && *keys.name == kHere)
    problems.Add(keys.name.line, "\"here\" is this machine: give the other one another name");
  if (!keys.zone && !keys.constant)
    problems.Add(node.line, "a site needs the zone of its grid: zone, such as NO-NO1");
  if (keys.trace && keys.constant)
    problems.Add(keys.trace.line, "trace and constant_g_per_kwh are both given: leave one out");
  if (keys.slots && keys.gpus)
    problems.Add(keys.gpus.line, "slots (of the CPU) and gpus are both given: leave one out");
  const bool is_known = std::ranges::any_of(
      others, [&](const SiteEntry& other) { return keys.name && other.site.name == *keys.name; });
  if (is_known) problems.Add(keys.name.line, "two sites are called \"" + *keys.name + "\"");
}

SiteEntry EntryOf(const SiteKeys& keys, const std::string& folder) {
  SiteEntry entry;
  entry.site = {
      keys.name.value_or(""), keys.zone.value_or(keys.name.value_or("")), {keys.pue.value_or(1)}};
  if (keys.bandwidth) entry.site.bytes_per_second = *keys.bandwidth * kBytesPerMegabit;
  entry.host = keys.host.value_or("");
  entry.ssh = keys.ssh.value_or(entry.ssh);
  entry.ebb = keys.ebb.value_or(entry.ebb);
  entry.slots = static_cast<int>(keys.slots.value_or(0));
  entry.gpus = keys.gpus.value_or({});
  entry.copies_folder = keys.folder.value_or("copy") == "copy";
  entry.leave_out = keys.leave_out.value_or({".git", ".venv", "__pycache__"});
  entry.most_mb = static_cast<std::uint64_t>(keys.most_mb.value_or(kUsualMostMb));
  entry.signal["zone"] = entry.site.zone;
  if (keys.signal) entry.signal["signal"] = *keys.signal;
  if (keys.trace) entry.signal["trace"] = Beside(folder, *keys.trace);
  if (keys.constant) entry.signal["constant"] = FormatExact(*keys.constant);
  if (keys.cpu_tdp) entry.metering["cpu-tdp"] = FormatExact(*keys.cpu_tdp);
  return entry;
}

}  // namespace

Result<std::vector<SiteEntry>> ParseSites(const std::string& text, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, path));
  Problems problems(path);
  Given<YamlNode> section;
  std::vector<SiteEntry> sites;
  if (root.kind != YamlNode::Kind::kNull) {
    const std::vector<KeyRule> rules{ReadNode("sites", section)};
    ReadSection(root, "", rules, {}, problems);
  }
  if (section)
    ReadEach("sites", *section, problems, [&](const YamlNode& node, Problems& found) {
      SiteKeys keys;
      const std::vector<KeyRule> rules = RulesFor(keys);
      ReadSection(node, "sites", rules, {}, found);
      Check(keys, node, sites, found);
      sites.push_back(EntryOf(keys, FolderOf(path)));
    });
  else
    problems.Add(
        0, "sites is missing: a list like [{name: norway, host: gpu.example.no, zone: NO-NO1}]");
  if (!problems.empty()) return Fail(problems.ToError());
  return sites;
}

Result<std::vector<SiteEntry>> LoadSites(const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  return ParseSites(text, path);
}

}  // namespace ebb::config
