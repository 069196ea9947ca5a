#pragma once
// The key that names a policy. It accepts short names (plan/make_policy.h) and gives the policy's
// full name.

#include <string>
#include <vector>

#include "config/yaml/key_reader.h"

namespace ebb::config {

/// A name that must be one of `names`.
KeyRule ReadPolicyName(const std::string& key, Given<std::string>& out,
                       std::vector<std::string> names);

}  // namespace ebb::config
