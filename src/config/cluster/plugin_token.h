#pragma once
// The bearer token of an exec plugin (client.authentication.k8s.io). The caller waits for the first
// token. A thread fetches later ones while the current token is still valid, so that a plugin that
// hangs does not delay the caller: a controller has to renew its lease every few seconds. A plugin
// that failed is asked again after a pause.
//
// Thread contract: one thread asks for tokens. The plugin runs on another thread, and only its
// first answer is waited for.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::config {

/// Runs an exec plugin and returns its output. Called from any thread.
using RunPlugin = std::function<Result<std::string>(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& environment)>;

struct Plugin {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string user_of;  ///< the kubeconfig that names the plugin, for messages
};

struct PluginClocks {
  std::function<Time()> now;             ///< decides when a token has expired
  std::function<Duration()> since_boot;  ///< decides when a plugin is asked again
};

std::function<Result<std::string>()> TokenFromPlugin(Plugin plugin, RunPlugin run,
                                                     PluginClocks clocks);

}  // namespace ebb::config
