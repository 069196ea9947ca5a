#pragma once
// The settings of a user and of a machine: config.yaml in ~/.config/ebb, and below it in /etc/ebb.
// Every command reads them. What a command line, a run's own file or the environment says goes
// before them. docs/config.md has the table.

#include <optional>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/result.h"
#include "config/settings_file.h"
#include "store/default_path.h"

namespace ebb::app {

struct SettingRow {
  std::string key;         ///< "metering.pue"
  std::string flag{};      ///< of a run, that it is the value of; empty: none
  std::string variable{};  ///< of the environment, which goes before it; empty: none
  std::string fallback{};  ///< what holds where nothing says anything, for people
  bool is_path = false;    ///< "~/" and paths relative to the settings file are understood
  bool is_secret = false;  ///< the variable holds a secret; the setting is its name
};
const std::vector<SettingRow>& SettingRows();

/// A file that is looked at.
struct SettingsFile {
  std::string path;
  bool is_there = false;
  std::optional<Error> problem{};  ///< then nothing of it counts
};

struct UserSettings {
  config::Settings values;
  std::vector<SettingsFile> files;  ///< the one that goes before the others first
  /// The value of a key, or nullptr.
  const config::Setting* Find(std::string_view key) const;
  /// The Error of the first file with one.
  Status Check() const;
};

/// $EBB_CONFIG alone, where that is set ("none": no file); else $XDG_CONFIG_HOME/ebb/config.yaml
/// (~/.config), and below it `machine_file`.
UserSettings LoadUserSettings(const store::Variables& variable,
                              const std::string& machine_file = "/etc/ebb/config.yaml");
/// Of this process's user and environment; read once.
const UserSettings& SettingsOfUser();
/// What the file of this text would be refused for.
Status CheckSettingsText(const std::string& text, const std::string& name);
/// Whether the key takes this value.
Status CheckSettingValue(const std::string& key, const std::string& value);
/// The file that `ebb init` writes; an Error where there is no home directory.
Result<std::string> UserSettingsPath(const store::Variables& variable);

/// What is started with the settings.
enum class SettingsFor {
  kRun,
  kQueue,   ///< of several programs: the scope is that of each
  kSignal,  ///< nothing: only the grid is asked about
};

/// Adds the settings below `given`, as flags. Settings of the signal are left out where `given`
/// names a source, and on a replayed clock. An Error: a settings file has mistakes.
Result<FlagValues> WithSettings(FlagValues given, SettingsFor what,
                                const UserSettings& settings = SettingsOfUser());

/// The settings of what is measured, for a run whose own file goes before them.
Status ApplyMeteringSettings(RunOptions& options, const UserSettings& settings = SettingsOfUser());

/// Where providers' secrets are, if nothing else says so.
void ApplySecretSettings(signals::SignalOptions& options,
                         const UserSettings& settings = SettingsOfUser());

}  // namespace ebb::app
