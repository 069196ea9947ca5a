#pragma once
// The section `policies` of a scenario: names, or sections with a policy's options. A policy
// accepts the keys that it has a use for, and no others.

#include <string>
#include <vector>

#include "config/key_reader.h"
#include "sim/scenario.h"

namespace ebb::config {

/// Labels are unique. Without a section: the planner alone.
std::vector<sim::PolicyChoice> ReadPolicies(const Given<YamlNode>& section, Problems& problems);

/// The choices with these labels, and policies by their names with default options.
Result<std::vector<sim::PolicyChoice>> ChoosePolicies(const std::vector<sim::PolicyChoice>& choices,
                                                      const std::vector<std::string>& names);

}  // namespace ebb::config
