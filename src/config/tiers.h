#pragma once
// Reads tiers from YAML: a section `tiers` of a sweep file or of a policy in a scenario, or a
// separate file that the service, plans and simulations take with --tiers (docs/config.md).

#include <string>
#include <vector>

#include "base/result.h"
#include "config/yaml/key_reader.h"
#include "core/jobs/tier.h"

namespace ebb::config {

/// A list of {name, threshold (g/kWh; may be missing), max_delay, priority}; names are unique.
std::vector<core::Tier> ReadTiers(const YamlNode& list, Problems& problems);

/// `path` is for messages.
Result<std::vector<core::Tier>> ParseTiers(const std::string& text, const std::string& path);
/// The tiers in a file; the published ones if `path` is empty.
Result<std::vector<core::Tier>> LoadTiers(const std::string& path);

}  // namespace ebb::config
