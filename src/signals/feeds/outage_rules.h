#pragma once
// The limits for stand-ins while a source does not answer, as plain values of the options.

#include "base/time.h"

namespace ebb::signals {

struct OutageRules {
  Duration last_known_limit{std::chrono::hours{1}};  ///< after the end of the last value
  Duration forecast_limit{std::chrono::hours{24}};   ///< since it was issued; 0: no forecast
};

}  // namespace ebb::signals
