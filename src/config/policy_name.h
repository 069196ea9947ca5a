#pragma once
// The key that names a policy: short names are understood (plan/make_policy.h), and what is read is
// the policy's name.

#include <string>
#include <vector>

#include "config/key_reader.h"

namespace ebb::config {

/// One of `names`.
KeyRule ReadPolicyName(const std::string& key, Given<std::string>& out,
                       std::vector<std::string> names);

}  // namespace ebb::config
