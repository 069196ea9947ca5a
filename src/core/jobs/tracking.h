#pragma once
// Experiment trackers that get the figures of a run or job while it lasts, as their user names them
// (docs/trackers.md). A secret is named by the file that holds it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ebb::core {

struct Tracking {
  std::string tensorboard;        ///< directory of event files
  std::string mlflow;             ///< address of a server, or a directory of its file store
  std::string mlflow_experiment;  ///< name of the experiment; empty: the group of the run
  std::string mlflow_token_file;  ///< file that holds the server's token; empty: the environment
                                  ///< may hold it

  bool empty() const { return tensorboard.empty() && mlflow.empty(); }
  friend bool operator==(const Tracking&, const Tracking&) = default;
};

/// True for "http://...". Anything else is a directory, also as "file:///...".
bool IsMlflowServer(std::string_view target);

/// Refuses an MLflow target that is neither a server nor a directory, and an address that holds a
/// password.
Status CheckMlflowTarget(std::string_view target);

/// The given settings with their keys in submissions (docs/api.md).
std::vector<std::pair<std::string, std::string>> KeysOf(const Tracking& tracking);

/// The settings of `own`, and those of `other` that `own` lacks.
Tracking Over(const Tracking& own, const Tracking& other);

}  // namespace ebb::core
