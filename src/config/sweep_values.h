#pragma once
// The small values of a sweep file: parameters with the user's exact texts, and conditions.

#include <vector>

#include "config/key_reader.h"
#include "sweep/condition.h"

namespace ebb::config {

/// A parameter's value as the user wrote it; nothing after a problem.
std::optional<sweep::Value> ReadValue(const std::string& name, const YamlNode& node,
                                      Problems& problems);
/// A map of parameters with one value each.
std::vector<sweep::Setting> ReadSettings(const YamlNode& node, Problems& problems);
/// Whether the name can stand in a template and a condition.
bool IsParameterName(const std::string& name);
/// A comparison, or all / any of several.
sweep::Condition ReadCondition(const YamlNode& node, Problems& problems);

}  // namespace ebb::config
