#include "config/settings_file.h"

#include <algorithm>
#include <array>
#include <vector>

#include "config/yaml/key_reader.h"
#include "config/yaml/yaml_tree.h"

namespace ebb::config {
namespace {

constexpr std::array<std::string_view, 8> kSecretKeys{
    "token", "api_token", "api_key", "key", "password", "secret", "user", "username"};

struct Section {
  std::string name;  // "" for the top level
  std::vector<KeyRule> rules;
};

// Removes keys that would hold a secret, and reports them without their values.
void RefuseSecrets(YamlNode& map, Problems& problems) {
  std::erase_if(map.entries, [&](const YamlEntry& entry) {
    if (std::find(kSecretKeys.begin(), kSecretKeys.end(), entry.key) == kSecretKeys.end())
      return false;
    problems.Add(entry.line, "the key " + entry.key +
                                 " would hold a secret: write the secret into a file with mode 600 "
                                 "and name that with token_file, or name an environment variable "
                                 "with token_env");
    return true;
  });
  for (YamlEntry& entry : map.entries)
    if (entry.value.kind == YamlNode::Kind::kMap) RefuseSecrets(entry.value, problems);
}

// Reads the values of keys into the settings.
class Reader {
 public:
  Reader(std::string file, const CheckSetting& check) : file_(std::move(file)), check_(check) {}

  KeyRule Rule(const std::string& section, const std::string& name) {
    const std::string key = section.empty() ? name : section + "." + name;
    return {name, [this, key](const YamlNode& value, Problems& problems) {
              if (value.kind != YamlNode::Kind::kScalar || Trim(value.text).empty()) {
                problems.Add(value.line, key + " must be a text or a number");
                return;
              }
              const std::string text(Trim(value.text));
              if (const auto sound = check_(key, text); !sound) {
                const Error& error = sound.error();
                problems.Add(value.line, key + ": " + error.what +
                                             (error.next.empty() ? "" : " (" + error.next + ")"));
                return;
              }
              settings_[key] = {text, file_, value.line};
            }};
  }
  Settings Take() { return std::move(settings_); }

 private:
  std::string file_;
  const CheckSetting& check_;
  Settings settings_;
};

std::vector<Section> SectionsOf(std::span<const std::string> keys, Reader& reader) {
  std::vector<Section> sections{{"", {}}};
  for (const std::string& key : keys) {
    const auto dot = key.find('.');
    const std::string name = dot == std::string::npos ? "" : key.substr(0, dot);
    auto section = std::find_if(sections.begin(), sections.end(),
                                [&](const Section& other) { return other.name == name; });
    if (section == sections.end()) section = sections.insert(sections.end(), {name, {}});
    section->rules.push_back(
        reader.Rule(name, dot == std::string::npos ? key : key.substr(dot + 1)));
  }
  return sections;
}

}  // namespace

Result<Settings> ParseSettings(const std::string& text, const std::string& name,
                               std::span<const std::string> keys, const CheckSetting& check) {
  EBB_ASSIGN_OR_RETURN(YamlNode root, ParseYaml(text, name));
  Problems problems(name);
  RefuseSecrets(root, problems);
  Reader reader(name, check);
  const std::vector<Section> sections = SectionsOf(keys, reader);
  std::vector<KeyRule> top = sections.front().rules;
  std::vector<SectionKeys> all;
  for (const Section& section : sections) {
    if (!section.name.empty()) {
      top.push_back({section.name, [&](const YamlNode& map, Problems& found) {
                       ReadSection(map, section.name, section.rules, all, found);
                     }});
      all.push_back(KeysOf(section.name, section.rules));
    }
  }
  all.push_back(KeysOf("", top));
  ReadSection(root, "", top, all, problems);
  if (!problems.empty()) return Fail(problems.ToError());
  return reader.Take();
}

}  // namespace ebb::config
