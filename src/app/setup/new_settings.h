#pragma once
// The settings file that `ebb init` writes.

#include <string>

#include "base/result.h"

namespace ebb::app {

struct NewSettings {
  std::string zone;
  std::string scope = "process";
  /// The token of one service: the variable or file that holds it, or the token itself, which is
  /// written to a separate file beside the settings. At most one is set.
  std::string token_env, token_file, token;
  /// The service of the token, by the name of its settings (signals/key_services.h).
  std::string token_of = "electricity_maps";
};

/// An Error if no grid zone begins like this and no cloud region has this name. Otherwise a typing
/// error would only show in the first command that asks the grid.
Status CheckNewZone(const std::string& zone);

/// An Error for an unknown zone (see CheckNewZone), or a value for which the file would be refused.
Status CheckNewSettings(const NewSettings& wanted);

/// The settings file as YAML, with comments. `path`: where it will be written.
std::string SettingsText(const NewSettings& wanted, const std::string& path);

/// The file beside the settings at `path` for the token of the service named `token_of`.
std::string NewTokenFile(const std::string& path, const std::string& token_of);

/// Writes the token, if there is one, and then the settings. Each file is written completely or not
/// at all. Only the user can change them, and only the user can read the token.
Status WriteSettings(const NewSettings& wanted, const std::string& path);

}  // namespace ebb::app
