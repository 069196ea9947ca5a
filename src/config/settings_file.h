#pragma once
// A user's settings, which every command reads: a YAML file of known keys, some of them in
// sections, each with one text as its value. app/options/user_settings.h interprets the texts.
// Unknown keys are refused. All mistakes of a file are reported together, each with its line. Pure.

#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/result.h"

namespace ebb::config {

struct Setting {
  std::string value;
  std::string file;
  int line = 0;
  /// File and line, as in "~/.config/ebb/config.yaml:3", with the path unchanged.
  std::string Where() const { return file + ":" + std::to_string(line); }
};
/// Settings by key: "zone", "metering.pue".
using Settings = std::map<std::string, Setting, std::less<>>;

/// Checks the value of a key. The Error says what is wrong and which values are allowed.
using CheckSetting = std::function<Status(const std::string& key, const std::string& value)>;

/// `name` is for messages. An empty file has no settings. A key that would hold a secret is refused
/// without showing its value: the file may only say where secrets are.
Result<Settings> ParseSettings(const std::string& text, const std::string& name,
                               std::span<const std::string> keys, const CheckSetting& check);

}  // namespace ebb::config
