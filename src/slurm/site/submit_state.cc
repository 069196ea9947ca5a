#include "slurm/site/submit_state.h"

#include <algorithm>

namespace ebb::slurm {

Result<std::string> SubmitStateText(const SubmitState& state) {
  const auto seconds = [](auto time) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(time).count());
  };
  std::string text =
      "until " + seconds(state.until.time_since_epoch()) + "\ndelay " + seconds(state.delay) + '\n';
  for (const auto& [key, names] : {std::pair("partition", &state.partitions),
                                   {"account", &state.accounts},
                                   {"qos", &state.qos}})
    for (const std::string& name : *names) {
      const bool has_blank =
          std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
      if (name.empty() || has_blank)
        return Fail({ExitCode::kUsage, "\"" + name + "\" is not a name in Slurm", key, ""});
      text += std::string(key) + ' ' + name + '\n';
    }
  return text;
}

}  // namespace ebb::slurm
