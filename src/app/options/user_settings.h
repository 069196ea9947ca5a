#pragma once
// The settings of a user and of a machine: config.yaml in ~/.config/ebb, and below it in /etc/ebb.
// Every command reads them. The command line, a run's own file and the environment take precedence.
// docs/config.md and docs/run-options.md have the tables.

#include <optional>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/result.h"
#include "config/settings_file.h"
#include "store/database/default_path.h"

namespace ebb::app {

struct SettingRow {
  std::string key;         ///< "metering.pue"
  std::string flag{};      ///< flag of a run that has the same value; empty if there is none
  std::string variable{};  ///< environment variable that takes precedence; empty if there is none
  std::string fallback{};  ///< default, in words for people
  bool is_path = false;    ///< "~/" and paths relative to the settings file are allowed
  bool is_secret = false;  ///< the variable holds a secret; the setting is its name
};
const std::vector<SettingRow>& SettingRows();

/// A settings file that may exist.
struct SettingsFile {
  std::string path;
  bool is_there = false;
  std::optional<Error> problem{};  ///< if set, nothing of the file counts
};

struct UserSettings {
  config::Settings values;
  std::vector<SettingsFile> files;  ///< the file with precedence first
  /// The value of a key, or nullptr.
  const config::Setting* Find(std::string_view key) const;
  /// The Error of the first file that has one.
  Status Check() const;
};

/// Loads only $EBB_CONFIG if it is set ("none": no file); else $XDG_CONFIG_HOME/ebb/config.yaml
/// (~/.config), and below it `machine_file`.
UserSettings LoadUserSettings(const store::Variables& variable,
                              const std::string& machine_file = "/etc/ebb/config.yaml");
/// The settings for this process's user and environment; read once.
const UserSettings& SettingsOfUser();
/// Fails if a settings file with this text would be refused.
Status CheckSettingsText(const std::string& text, const std::string& name);
/// Fails if the key does not accept this value.
Status CheckSettingValue(const std::string& key, const std::string& value);
/// The path that `ebb init` writes to; an Error if there is no home directory.
Result<std::string> UserSettingsPath(const store::Variables& variable);

/// The kind of command that uses the settings.
enum class SettingsFor {
  kRun,
  kQueue,   ///< several programs: each is measured by itself
  kSignal,  ///< nothing is started: only the grid is asked about
};

/// Adds the settings below `given`, as flags. Settings of the signal are left out if `given` names
/// a source, and on a replayed clock. An Error if a settings file has mistakes.
Result<FlagValues> WithSettings(FlagValues given, SettingsFor what,
                                const UserSettings& settings = SettingsOfUser());

/// Applies the metering settings for a run whose own file takes precedence.
Status ApplyMeteringSettings(RunOptions& options, const UserSettings& settings = SettingsOfUser());

/// Sets the places of providers' secrets that are not set otherwise.
void ApplySecretSettings(signals::SignalOptions& options,
                         const UserSettings& settings = SettingsOfUser());

}  // namespace ebb::app
