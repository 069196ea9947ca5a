#pragma once
// Reads a kubeconfig, the file in which kubectl keeps the addresses of clusters and the credentials
// of their users
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/). Ebb
// reads the server, its certificate authority, client certificates, tokens and exec plugins
// (client.authentication.k8s.io). It refuses passwords and plugins of an older kind.

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "config/cluster/plugin_token.h"
#include "kubernetes/api/api_server.h"

namespace ebb::config {

struct KubeconfigPorts {
  std::function<Duration()> since_boot;  ///< decides when token files are read again
  std::function<Time()> now;             ///< decides when a plugin's token has expired
  RunPlugin run_plugin;
};

/// `context`: the name of a context in the file; empty for the current one.
Result<kubernetes::ApiServer> LoadKubeconfig(const std::string& file, const std::string& context,
                                             const KubeconfigPorts& ports);

}  // namespace ebb::config
