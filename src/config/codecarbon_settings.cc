#include "config/codecarbon_settings.h"

#include <filesystem>
#include <set>

#include "base/text.h"
#include "platform/file.h"

namespace ebb::config {
namespace {

constexpr std::string_view kSection = "codecarbon";
constexpr std::string_view kDefaults = "DEFAULT";
constexpr std::string_view kPrefix = "codecarbon_";
constexpr std::size_t kLimitBytes = 1 << 20;

std::size_t IndentOf(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? 0 : first;
}

// Reads a file line by line.
class IniReader {
 public:
  explicit IniReader(std::string where) : where_(std::move(where)) {}

  Status Line(std::string_view line, int number) {
    number_ = number;
    const std::string_view text = Trim(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') return {};
    const std::size_t indent = IndentOf(line);
    if (!key_.empty() && indent > key_indent_) return Continue(text);
    if (text.front() == '[') return Section(text);
    if (section_.empty())
      return Wrong("stands before the first section", "begin with [codecarbon]");
    key_indent_ = indent;
    return Pair(text);
  }

  Result<CodeCarbonSettings> Take() {
    CodeCarbonSettings settings = std::move(sections_[std::string(kSection)]);
    if (sections_seen_.contains(kSection)) settings.merge(sections_[std::string(kDefaults)]);
    for (auto& [key, setting] : settings) EBB_RETURN_IF_ERROR(Unescape(key, setting));
    return settings;
  }

 private:
  Status Wrong(std::string what, std::string next) const {
    return Fail({ExitCode::kConfiguration, std::move(what), where_ + ":" + std::to_string(number_),
                 std::move(next)});
  }

  Status Section(std::string_view text) {
    const auto end = text.find(']');
    if (end == std::string_view::npos || end == 1)
      return Wrong("is not a section", "write it as [codecarbon]");
    section_ = text.substr(1, end - 1);
    key_.clear();
    if (section_ != kDefaults && !sections_seen_.insert(section_).second)
      return Wrong("the section [" + section_ + "] is given twice", "join the two");
    return {};
  }

  Status Pair(std::string_view text) {
    const auto delimiter = text.find_first_of("=:");
    const std::string key = Lowercase(Trim(text.substr(0, delimiter)));
    // The error does not show the line, which may hold a secret.
    if (delimiter == std::string_view::npos || key.empty())
      return Wrong("is no \"key = value\"", "comments begin with #");
    const CodeCarbonSetting setting{std::string(Trim(text.substr(delimiter + 1))),
                                    where_ + ":" + std::to_string(number_)};
    if (!sections_[section_].emplace(key, setting).second)
      return Wrong("the key " + key + " is given twice", "remove one of the two");
    key_ = key;
    return {};
  }

  Status Continue(std::string_view text) {
    std::string& value = sections_[section_][key_].value;
    value += (value.empty() ? "" : "\n") + std::string(text);
    return {};
  }

  static Status Unescape(const std::string& key, CodeCarbonSetting& setting) {
    std::string plain;
    for (std::size_t i = 0; i < setting.value.size(); ++i) {
      const char next = i + 1 < setting.value.size() ? setting.value[i + 1] : '\0';
      if (setting.value[i] == '%' && next == '(')
        return Fail({ExitCode::kConfiguration,
                     key + " refers to another key with %(...)s, which is not filled in here",
                     setting.origin, "write the value itself; a percent sign is %%"});
      if (setting.value[i] == '%' && next == '%') ++i;
      plain += setting.value[i];
    }
    setting.value = std::move(plain);
    return {};
  }

  std::string where_;
  int number_ = 0;
  std::string section_, key_;
  std::size_t key_indent_ = 0;
  std::set<std::string, std::less<>> sections_seen_;
  std::map<std::string, CodeCarbonSettings> sections_;
};

void Overlay(CodeCarbonSettings& below, CodeCarbonSettings above) {
  above.merge(below);
  below = std::move(above);
}

Status OverlayFile(const std::string& directory, CodeCarbonSettings& settings) {
  const platform::Path file = platform::Path(directory) / kCodeCarbonFile;
  std::error_code ignored;
  if (directory.empty() || !std::filesystem::exists(file, ignored)) return {};
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, kLimitBytes));
  EBB_ASSIGN_OR_RETURN(CodeCarbonSettings found, ParseCodeCarbonFile(text, file.string()));
  Overlay(settings, std::move(found));
  return {};
}

}  // namespace

Result<CodeCarbonSettings> ParseCodeCarbonFile(std::string_view text, const std::string& where) {
  IniReader reader(where);
  int number = 0;
  for (const std::string_view line : Split(text, '\n'))
    EBB_RETURN_IF_ERROR(reader.Line(line, ++number));
  return reader.Take();
}

CodeCarbonSettings CodeCarbonFromEnvironment(std::span<const std::string> environment) {
  CodeCarbonSettings settings;
  for (const std::string& entry : environment) {
    const auto equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const std::string key = Lowercase(name);
    if (equals == std::string::npos || !key.starts_with(kPrefix) || key == kPrefix) continue;
    settings[key.substr(kPrefix.size())] = {entry.substr(equals + 1), name};
  }
  return settings;
}

Result<CodeCarbonSettings> LoadCodeCarbonSettings(const std::string& home_directory,
                                                  const std::string& working_directory,
                                                  std::span<const std::string> environment) {
  CodeCarbonSettings settings;
  EBB_RETURN_IF_ERROR(OverlayFile(home_directory, settings));
  std::error_code ignored;
  if (!std::filesystem::equivalent(home_directory, working_directory, ignored))
    EBB_RETURN_IF_ERROR(OverlayFile(working_directory, settings));
  Overlay(settings, CodeCarbonFromEnvironment(environment));
  return settings;
}

}  // namespace ebb::config
