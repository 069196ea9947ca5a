#pragma once
// Lists every setting with its value and its origin, for people and programs. Secrets are never
// shown: for a variable that holds one, only the fact that it is set.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/service_place.h"
#include "app/options/user_settings.h"

namespace ebb::app {

enum class SettingFrom { kFlag, kVariable, kFile, kDefault, kGuess, kNothing };
/// "flag", "environment", "file", "default", "guess" or "not set".
std::string_view Name(SettingFrom from);

struct ShownSetting {
  std::string key;
  std::string value;  ///< "" with kNothing
  SettingFrom from = SettingFrom::kNothing;
  std::string where;  ///< "--zone", "EBB_ZONE", "/home/me/.config/ebb/config.yaml:3", the reason of
                      ///< a guess
};

/// The settings in the order of SettingRows. `given` are flags of this command line. Sends no
/// request, except to a cloud's metadata service to guess the zone if the firmware names a cloud.
std::vector<ShownSetting> ShowSettings(const UserSettings& settings,
                                       const store::Variables& variable, const FlagValues& given,
                                       const ServicePlace& place);

}  // namespace ebb::app
