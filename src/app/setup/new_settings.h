#pragma once
// The settings file that `ebb init` writes.

#include <string>

#include "base/result.h"

namespace ebb::app {

struct NewSettings {
  std::string zone;
  std::string scope = "process";
  /// Of one service: where its token is, or the token itself, which goes into a file of its own
  /// beside the settings. At most one of them.
  std::string token_env, token_file, token;
  /// Whose it is, by the name of its settings (signals/key_services.h).
  std::string token_of = "electricity_maps";
};

/// An Error: no grid zone begins like this, and no cloud region is called so. A slip of the fingers
/// would otherwise be found by the first command that asks the grid.
Status CheckNewZone(const std::string& zone);

/// An Error: a zone as above, or a value that the file would be refused for.
Status CheckNewSettings(const NewSettings& wanted);

/// The YAML, with comments. `path` is where it goes.
std::string SettingsText(const NewSettings& wanted, const std::string& path);

/// Beside the settings at `path`, of the service with these settings.
std::string NewTokenFile(const std::string& path, const std::string& token_of);

/// Writes the token, if there is one, and then the settings: each wholly or not at all, for nobody
/// else to change; the token for nobody else to read.
Status WriteSettings(const NewSettings& wanted, const std::string& path);

}  // namespace ebb::app
