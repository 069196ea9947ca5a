#pragma once
// The power limit with which an attempt of a job starts.

#include <optional>

#include "core/devices/power_cap.h"
#include "core/devices/power_choice.h"

namespace ebb::local {

struct JobPower {
  std::optional<core::PowerCap> cap;  ///< automatic: one is searched for; nullopt: left alone
  core::Slowdown slower_by;           ///< for a search
  std::optional<core::PowerChoice> known{};  ///< search that found `cap`, or why there is none
};

}  // namespace ebb::local
