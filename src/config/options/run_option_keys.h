#pragma once
// Rules for the keys of a configuration that are options of a run, made from the table of
// run_option.h.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/run_option.h"
#include "config/yaml/key_reader.h"

namespace ebb::config {

/// The options of one section as a file gives them. This object must outlive its rules.
class RunOptionKeys {
 public:
  explicit RunOptionKeys(std::string section) : section_(std::move(section)) {}

  std::vector<KeyRule> Rules();
  /// The value of a key; its type must be that of the option.
  template <typename T>
  Given<T> Of(std::string_view key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return {};
    return {std::get<T>(*found->second.value), found->second.line};
  }
  bool Has(std::string_view key) const { return values_.contains(key); }
  /// The line of the key; 0 if the file does not give it.
  int LineOf(std::string_view key) const;
  /// Sets the given options in the order of the table.
  void Apply(RunOptions& options) const;
  /// Reports given keys that a source of intensity does not use.
  void RefuseUnused(signals::SignalSource source, Problems& problems) const;

 private:
  void Read(const RunOption& option, const YamlNode& value, Problems& problems);

  std::string section_;
  std::map<std::string, Given<core::OptionValue>, std::less<>> values_;
};

}  // namespace ebb::config
