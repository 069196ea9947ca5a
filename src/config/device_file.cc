#include "config/device_file.h"

#include "config/yaml/key_reader.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

constexpr Range kPowerW{0, 1e5};
constexpr Range kTflops{1e-6, 1e6};

struct ProfileKeys {
  Given<double> idle, max, tflops;
  Given<std::string> source;
};

std::vector<KeyRule> OwnRules(ProfileKeys& keys) {
  return {ReadNumber("idle_w", keys.idle, kPowerW), ReadNumber("max_w", keys.max, kPowerW),
          ReadNumber("tflops", keys.tflops, kTflops), ReadText("source", keys.source)};
}

KeyRule Ignore(std::string name) {
  return {std::move(name), [](const YamlNode&, Problems&) {}};
}

// The reference uses one form for all hardware; it does not give a GPU's power by frequency.
std::vector<KeyRule> ReferenceRules(ProfileKeys& keys) {
  return {ReadNumber("idlePower", keys.idle, kPowerW),
          ReadNumber("maxPower", keys.max, kPowerW),
          Ignore("numCores"),
          Ignore("baseFrequencyGHz"),
          Ignore("frequencyRangeGHz"),
          Ignore("powerScaling")};
}

using RulesFor = std::vector<KeyRule> (*)(ProfileKeys&);

void ReadModels(const Given<YamlNode>& section, const std::string& title, RulesFor rules_for,
                const std::string& file, std::vector<core::DeviceProfile>& profiles,
                Problems& problems) {
  if (!section) return;
  if ((*section).kind != YamlNode::Kind::kMap) {
    problems.Add(section.line, title + " must be a section of device models");
    return;
  }
  for (const YamlEntry& entry : (*section).entries) {
    ProfileKeys keys;
    const std::vector<KeyRule> rules = rules_for(keys);
    ReadSection(entry.value, entry.key, rules, {}, problems);
    if (!keys.idle && !keys.max && !keys.tflops)
      problems.Add(entry.line, "\"" + entry.key + "\" says nothing of the device");
    if (keys.idle && keys.max && *keys.idle >= *keys.max)
      problems.Add(keys.idle.line,
                   "\"" + entry.key + "\" draws more power when idle than at its maximum");
    for (const core::DeviceProfile& other : profiles)
      if (other.model == entry.key)
        problems.Add(entry.line, "\"" + entry.key + "\" is given twice");
    core::DeviceProfile profile;
    profile.model = entry.key;
    if (keys.idle) profile.idle = Power{*keys.idle};
    if (keys.max) profile.max = Power{*keys.max};
    profile.tflops = keys.tflops.value;
    profile.source = keys.source.value_or(file);
    profiles.push_back(std::move(profile));
  }
}

}  // namespace

Result<std::vector<core::DeviceProfile>> ParseDeviceProfiles(const std::string& text,
                                                             const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, name));
  if (root.kind == YamlNode::Kind::kNull)
    return Fail({ExitCode::kConfiguration, "the file is empty", name,
                 "docs/devices.md shows what belongs in it"});
  Problems problems(name);
  Given<YamlNode> own, reference;
  const std::vector<KeyRule> rules{
      ReadNode("devices", own), ReadNode("gpuProfiles", reference), Ignore("cpuProfiles"),
      Ignore("memProfiles"),    Ignore("cloudInstanceMapping"),     Ignore("cpuModelMappings")};
  ReadSection(root, "", rules, {}, problems);
  std::vector<core::DeviceProfile> profiles;
  ReadModels(own, "devices", OwnRules, name, profiles, problems);
  ReadModels(reference, "gpuProfiles", ReferenceRules, name, profiles, problems);
  if (!problems.empty()) return Fail(problems.ToError());
  return profiles;
}

Result<std::vector<core::DeviceProfile>> LoadDeviceProfiles(const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  return ParseDeviceProfiles(text, path);
}

}  // namespace ebb::config
