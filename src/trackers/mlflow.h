#pragma once
// MLflow, as files (a directory "mlruns", which `mlflow ui` shows) or over its REST API.
//
// Sources: https://mlflow.org/docs/latest/rest-api.html (2.0 API) and the layout of
// mlflow/store/tracking/file_store.py.

#include <atomic>
#include <filesystem>

#include "platform/http.h"
#include "trackers/tracker.h"

namespace ebb::trackers {

/// `note`: the file that keeps the run's id, so that a resumed run continues the same MLflow run.
std::unique_ptr<Tracker> MakeMlflowFiles(std::filesystem::path directory,
                                         std::filesystem::path note);

struct MlflowServer {
  std::string url;  ///< without a final slash
  std::string token;
  std::string user_password;                     ///< "user:password"
  Duration timeout{5000};                        ///< of each request
  const std::atomic<bool>* cancelled = nullptr;  ///< once set, a request under way ends
};
std::unique_ptr<Tracker> MakeMlflowRest(MlflowServer server, std::filesystem::path note);

}  // namespace ebb::trackers
