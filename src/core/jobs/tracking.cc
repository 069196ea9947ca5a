#include "core/jobs/tracking.h"

namespace ebb::core {

bool IsMlflowServer(std::string_view target) {
  return target.starts_with("http://") || target.starts_with("https://");
}

Status CheckMlflowTarget(std::string_view target) {
  const auto scheme = target.find("://");
  if (IsMlflowServer(target)) {
    const std::string_view rest = target.substr(scheme + 3);
    if (rest.substr(0, rest.find('/')).find('@') == std::string_view::npos) return {};
    return Fail({ExitCode::kUsage, "an address with a password would be kept and shown", "",
                 "leave user and password out: the environment has them, or a file "
                 "(docs/trackers.md)"});
  }
  if (scheme == std::string_view::npos || target.starts_with("file://")) return {};
  return Fail({ExitCode::kUsage, "\"" + std::string(target) + "\" is not accepted", "",
               "give a directory, or the address of a server: http://... or https://..."});
}

std::vector<std::pair<std::string, std::string>> KeysOf(const Tracking& tracking) {
  std::vector<std::pair<std::string, std::string>> keys{
      {"tensorboard", tracking.tensorboard},
      {"mlflow", tracking.mlflow},
      {"mlflow_experiment", tracking.mlflow_experiment},
      {"mlflow_token_file", tracking.mlflow_token_file}};
  std::erase_if(keys, [](const auto& key) { return key.second.empty(); });
  return keys;
}

Tracking Over(const Tracking& own, const Tracking& other) {
  Tracking both = own;
  if (both.tensorboard.empty()) both.tensorboard = other.tensorboard;
  if (both.mlflow_experiment.empty()) both.mlflow_experiment = other.mlflow_experiment;
  if (!both.mlflow.empty()) return both;
  // A token belongs to its server, so both come from the same settings.
  both.mlflow = other.mlflow;
  both.mlflow_token_file = other.mlflow_token_file;
  return both;
}

}  // namespace ebb::core
