#include "config/policy_name.h"

#include "plan/make_policy.h"

namespace ebb::config {

KeyRule ReadPolicyName(const std::string& key, Given<std::string>& out,
                       std::vector<std::string> names) {
  const KeyRule choice = ReadChoice(key, out, std::move(names));
  return {key, [choice](const YamlNode& value, Problems& problems) {
            YamlNode meant = value;
            meant.text = plan::PolicyNameOf(value.text);
            choice.read(meant, problems);
          }};
}

}  // namespace ebb::config
