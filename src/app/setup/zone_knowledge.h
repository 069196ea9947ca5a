#pragma once
// The advice of `ebb init` about the given zone and token, before anybody relies on them.

#include <string>
#include <vector>

#include "app/setup/new_settings.h"
#include "base/time.h"
#include "signals/key_services.h"
#include "signals/provider.h"

namespace ebb::app {

/// Describes the data for a zone: live values without a token, typical days, only the yearly mean
/// of its country, or nothing. A cloud region is described as the grid zone that it draws from; so
/// is "cloud", if this machine's cloud names its region. One or two sentences with advice; no line
/// break.
std::string WhatIsKnownOf(const std::string& zone);

/// The services whose token would give live values for the zone, the best first; empty if the zone
/// has live values without a token.
std::vector<const signals::KeyService*> TokensFor(const std::string& zone);

/// Asks the service once if it accepts the token of `wanted`, and describes the result: accepted,
/// refused, or not reached. One or two sentences; "" if there is no token.
std::string WhatComesOfToken(const NewSettings& wanted, const signals::HttpGetFunction& http_get,
                             Time now);

}  // namespace ebb::app
