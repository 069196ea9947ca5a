#pragma once
// Reads the small values of a sweep file: parameters with the user's exact texts, and conditions.

#include <vector>

#include "config/yaml/key_reader.h"
#include "sweep/condition.h"

namespace ebb::config {

/// A parameter's value as the user wrote it; nullopt if there is a problem.
std::optional<sweep::Value> ReadValue(const std::string& name, const YamlNode& node,
                                      Problems& problems);
/// A map of parameters with one value each.
std::vector<sweep::Setting> ReadSettings(const YamlNode& node, Problems& problems);
/// True if the name can be used in a template and in a condition.
bool IsParameterName(const std::string& name);
/// Reads a comparison, or all / any of several comparisons.
sweep::Condition ReadCondition(const YamlNode& node, Problems& problems);

}  // namespace ebb::config
