#pragma once
// Reads the section `policies` of a scenario: names, or sections with a policy's options. A policy
// accepts only keys that it uses.

#include <optional>
#include <string>
#include <vector>

#include "config/yaml/key_reader.h"
#include "sim/scenario.h"

namespace ebb::config {

/// The policies, with unique labels; only the planner if there is no section.
std::vector<sim::PolicyChoice> ReadPolicies(const std::optional<YamlNode>& section,
                                            Problems& problems);

/// The choices with these labels, and policies by their names with default options.
Result<std::vector<sim::PolicyChoice>> ChoosePolicies(const std::vector<sim::PolicyChoice>& choices,
                                                      const std::vector<std::string>& names);

}  // namespace ebb::config
