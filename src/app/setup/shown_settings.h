#pragma once
// Every setting with its value and where that comes from, for people and programs who ask. No
// secret is among them: of a variable that holds one, only that it is set.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/service_place.h"
#include "app/options/user_settings.h"

namespace ebb::app {

enum class SettingFrom { kFlag, kVariable, kFile, kDefault, kGuess, kNothing };
/// "flag", "environment", "file", "default", "guess", "not set".
std::string_view Name(SettingFrom from);

struct ShownSetting {
  std::string key;
  std::string value;  ///< "" with kNothing
  SettingFrom from = SettingFrom::kNothing;
  std::string where;  ///< "--zone", "EBB_ZONE", "/home/me/.config/ebb/config.yaml:3", why a guess
};

/// In the order of SettingRows. `given` are flags of this command line. Asks nobody but a cloud's
/// metadata service for a guess of the zone, and only where the firmware names the cloud.
std::vector<ShownSetting> ShowSettings(const UserSettings& settings,
                                       const store::Variables& variable, const FlagValues& given,
                                       const ServicePlace& place);

}  // namespace ebb::app
