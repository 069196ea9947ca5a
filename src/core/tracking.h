#pragma once
// Where the figures of a run or job go while it lasts: experiment trackers, as their user names
// them (docs/trackers.md). What is a secret is named by the file that holds it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ebb::core {

struct Tracking {
  std::string tensorboard;        ///< directory of event files
  std::string mlflow;             ///< address of a server, or a directory of its file store
  std::string mlflow_experiment;  ///< empty: the group of the run
  std::string mlflow_token_file;  ///< holds the server's token; empty: the environment may

  bool empty() const { return tensorboard.empty() && mlflow.empty(); }
  friend bool operator==(const Tracking&, const Tracking&) = default;
};

/// "http://..." is a server; anything else a directory, also as "file:///...".
bool IsMlflowServer(std::string_view target);

/// Refuses an MLflow target that is neither, and an address that holds a password.
Status CheckMlflowTarget(std::string_view target);

/// What is given, by its key in submissions (docs/api.md).
std::vector<std::pair<std::string, std::string>> KeysOf(const Tracking& tracking);

/// `own`, and `other` where it says nothing.
Tracking Over(const Tracking& own, const Tracking& other);

}  // namespace ebb::core
