#pragma once
// Rules for values that key_reader.h does not know: lists of sections, lists of texts, sections in
// place, and moments that are either a time or a distance from another. Pure.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml/key_reader.h"

namespace ebb::config {

using NodeReader = std::function<void(const YamlNode& value, Problems& problems)>;

/// Calls `read` for every item of a list, which must not be empty.
void ReadEach(const std::string& name, const YamlNode& list, Problems& problems,
              const NodeReader& read);
/// A rule that reads a list in the same way.
KeyRule ReadItems(const std::string& name, NodeReader read);
/// A non-empty list of different texts, or one text.
KeyRule ReadTexts(const std::string& name, Given<std::vector<std::string>>& out);
/// The node of the key, of any kind, with its line.
KeyRule ReadNode(const std::string& name, Given<YamlNode>& out);

/// A time ("2023-05-01T17:00Z"), or a distance ("30h") from a moment that the key defines.
struct Moment {
  std::optional<Time> time;
  Duration after{0};
  Time From(Time origin) const { return time.value_or(origin + after); }
};
KeyRule ReadMoment(const std::string& name, Given<Moment>& out);
/// The whole text as a moment; nullopt if it is not one.
std::optional<Moment> MomentFrom(const YamlNode& value);

/// A clock time ("17:00") as a distance from midnight.
KeyRule ReadClockTime(const std::string& name, Given<Duration>& out);

}  // namespace ebb::config
