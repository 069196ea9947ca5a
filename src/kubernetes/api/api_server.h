#pragma once
// The address of a cluster's API server and the client's credentials, from the service account of a
// pod or from a kubeconfig (config/cluster/kubeconfig.h). Secrets are kept in memory only, and are
// in no message.

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ebb::kubernetes {

struct ApiServer {
  std::string url;       ///< "https://10.0.0.1:443", without a path
  std::string ca_pem{};  ///< authorities for its certificate; empty: the system's
  std::string certificate_pem{}, key_pem{};  ///< of the client; empty: none
  /// Returns the current bearer token, asked for before each request; empty: no token.
  std::function<Result<std::string>()> token{};
  std::string name_space = "default";  ///< used if no other namespace is given
};

/// The folder in which the kubelet puts a pod's credentials.
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// The server for the pod that this program runs in. `variable` reads the environment; `now` says
/// when a token is read again (it is replaced about every hour, and read once a minute). Errors:
/// this is not a pod.
Result<ApiServer> ServerOfPod(const std::function<const char*(const char*)>& variable,
                              const std::function<Duration()>& now,
                              const std::filesystem::path& folder = kServiceAccountFolder);

/// Returns a reader of a file with a token or certificates that is replaced from time to time.
std::function<Result<std::string>()> TextFromFile(std::filesystem::path file,
                                                  std::function<Duration()> now);

}  // namespace ebb::kubernetes
