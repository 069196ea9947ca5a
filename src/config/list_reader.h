#pragma once
// Rules for values that key_reader.h does not know: lists of sections, lists of texts, sections in
// place, and moments that are either a time or a distance from another. Pure.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/key_reader.h"

namespace ebb::config {

using NodeReader = std::function<void(const YamlNode& value, Problems& problems)>;

/// Every item of a list that must not be empty.
void ReadEach(const std::string& name, const YamlNode& list, Problems& problems,
              const NodeReader& read);
/// The same as a rule.
KeyRule ReadItems(const std::string& name, NodeReader read);
/// A list of different texts that is not empty, or one text.
KeyRule ReadTexts(const std::string& name, Given<std::vector<std::string>>& out);
/// Whatever stands there, with its line.
KeyRule ReadNode(const std::string& name, Given<YamlNode>& out);

/// "2023-05-01T17:00Z", or "30h" after something that the key says.
struct Moment {
  std::optional<Time> time;
  Duration after{0};
  Time From(Time origin) const { return time.value_or(origin + after); }
};
KeyRule ReadMoment(const std::string& name, Given<Moment>& out);
/// The whole text as a moment.
std::optional<Moment> MomentFrom(const YamlNode& value);

/// "17:00" as a distance from midnight.
KeyRule ReadClockTime(const std::string& name, Given<Duration>& out);

}  // namespace ebb::config
