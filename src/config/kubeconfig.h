#pragma once
// A kubeconfig: the file in which kubectl keeps where clusters are and who asks them
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/). Read are
// the server, its certificate authority, client certificates, tokens and exec plugins
// (client.authentication.k8s.io); a password or a plugin of an older kind is refused.

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "config/plugin_token.h"
#include "kubernetes/api_server.h"

namespace ebb::config {

struct KubeconfigPorts {
  std::function<Duration()> since_boot;  ///< when files with tokens are read again
  std::function<Time()> now;             ///< when a plugin's token has expired
  RunPlugin run_plugin;
};

/// `context`: one of the file; empty: its current one.
Result<kubernetes::ApiServer> LoadKubeconfig(const std::string& file, const std::string& context,
                                             const KubeconfigPorts& ports);

}  // namespace ebb::config
