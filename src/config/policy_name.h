#pragma once
// The key that names a policy. It accepts short names (plan/make_policy.h) and gives the policy's
// full name.

#include <string>

#include "config/yaml/key_reader.h"

namespace ebb::config {

/// A name of a policy of queues.
KeyRule ReadPolicyName(const std::string& key, Given<std::string>& out);

}  // namespace ebb::config
