#pragma once
// The bearer token of an exec plugin (client.authentication.k8s.io). The first is waited for. Later
// ones are fetched by a thread while the one before still holds, so that a plugin that hangs does
// not hold up whoever asks: a controller has to renew its lease every few seconds. A plugin that
// failed is asked again after a pause.
//
// Thread contract: one thread asks. The plugin runs on another one, and is only waited for the
// first time.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::config {

/// What an exec plugin printed. Called by any thread.
using RunPlugin = std::function<Result<std::string>(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& environment)>;

struct Plugin {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string user_of;  ///< the kubeconfig, for messages
};

struct PluginClocks {
  std::function<Time()> now;             ///< when a token has expired
  std::function<Duration()> since_boot;  ///< when a plugin is asked again
};

std::function<Result<std::string>()> TokenFromPlugin(Plugin plugin, RunPlugin run,
                                                     PluginClocks clocks);

}  // namespace ebb::config
