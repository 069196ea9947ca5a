#pragma once
// A YAML document as plain values with their lines. Only this file knows the YAML library. Size and
// depth are limited because aliases can turn a small file into a huge tree. Pure.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ebb::config {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 0;                    ///< 1-based
  std::string text;                ///< kScalar
  std::vector<YamlNode> items;     ///< kList
  std::vector<YamlEntry> entries;  ///< kMap, in the order of the file, duplicates included
};

struct YamlEntry {
  std::string key;
  int line = 0;
  YamlNode value;
};

/// Limits on a file: enough for its purpose, and too little to exhaust memory. The defaults are for
/// configurations.
struct YamlLimits {
  std::size_t bytes = 1 << 20;
  int values = 20'000;                         ///< counted with aliases unfolded
  std::string next = "is it the right file?";  ///< advice in the error about a file that is too
                                               ///< large
};

/// The single document of `text`; kNull if the text is empty. `name` is for messages.
Result<YamlNode> ParseYaml(const std::string& text, const std::string& name,
                           const YamlLimits& limits = {});

}  // namespace ebb::config
