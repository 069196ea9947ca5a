#pragma once
// Where a cluster's API server is, and who asks it: from the service account of a pod, or from a
// kubeconfig (config/kubeconfig.h). Secrets are in memory only, and in no message.

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ebb::kubernetes {

struct ApiServer {
  std::string url;       ///< "https://10.0.0.1:443", without a path
  std::string ca_pem{};  ///< what its certificate is verified with; empty: the system's authorities
  std::string certificate_pem{}, key_pem{};  ///< of the client; empty: none
  /// The bearer token of this moment, asked for before each request; empty: no token.
  std::function<Result<std::string>()> token{};
  std::string name_space = "default";  ///< where nothing else is said
};

/// Where the kubelet puts what a pod needs to ask.
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// Of the pod that this program runs in. `variable` reads the environment; `now` says when a token
/// is read again (it is replaced about every hour, and read once a minute). Errors: this is not a
/// pod.
Result<ApiServer> ServerOfPod(const std::function<const char*(const char*)>& variable,
                              const std::function<Duration()>& now,
                              const std::filesystem::path& folder = kServiceAccountFolder);

/// A token, or certificates, in a file which somebody replaces from time to time.
std::function<Result<std::string>()> TextFromFile(std::filesystem::path file,
                                                  std::function<Duration()> now);

}  // namespace ebb::kubernetes
