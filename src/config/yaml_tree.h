#pragma once
// A YAML document as plain values with their lines: the border behind which the YAML library stays.
// Limits on size and depth, since aliases can make a small file a huge tree. Pure.

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

/// What a file may hold: enough for its purpose, and too little to exhaust anything. The defaults
/// are for configurations.
struct YamlLimits {
  std::size_t bytes = 1 << 20;
  int values = 20'000;                         ///< with aliases unfolded
  std::string next = "is it the right file?";  ///< what to do about one that holds more
};

/// The single document of `text`; an empty one is kNull. `name` is for messages.
Result<YamlNode> ParseYaml(const std::string& text, const std::string& name,
                           const YamlLimits& limits = {});

}  // namespace ebb::config
