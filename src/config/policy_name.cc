#include "config/policy_name.h"

#include "plan/make_policy.h"

namespace ebb::config {

KeyRule ReadPolicyName(const std::string& key, Given<std::string>& out) {
  const auto names = plan::PolicyNames();
  const KeyRule choice = ReadChoice(key, out, {names.begin(), names.end()});
  return {key, [choice](const YamlNode& value, Problems& problems) {
            YamlNode meant = value;
            meant.text = plan::PolicyNameOf(value.text);
            choice.read(meant, problems);
          }};
}

}  // namespace ebb::config
