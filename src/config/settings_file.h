#pragma once
// A user's settings, which every command reads: a YAML file of known keys, some of them in
// sections, each with one text as its value. What the texts mean is for
// app/options/user_settings.h. Nothing unknown passes: all mistakes of a file are reported
// together, each with its line. Pure.

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
  /// "~/.config/ebb/config.yaml:3", with the path as it is.
  std::string Where() const { return file + ":" + std::to_string(line); }
};
/// By key: "zone", "metering.pue".
using Settings = std::map<std::string, Setting, std::less<>>;

/// An Error says what is wrong with the value of a key, and what to give.
using CheckSetting = std::function<Status(const std::string& key, const std::string& value)>;

/// `name` is for messages. An empty file has no settings. A key that would hold a secret is refused
/// without its value: the file only says where secrets are.
Result<Settings> ParseSettings(const std::string& text, const std::string& name,
                               std::span<const std::string> keys, const CheckSetting& check);

}  // namespace ebb::config
