#pragma once
// What `ebb init` tells of the zone and the token that it was given, before somebody builds on
// them.

#include <string>
#include <vector>

#include "app/setup/new_settings.h"
#include "base/time.h"
#include "signals/key_services.h"
#include "signals/provider.h"

namespace ebb::app {

/// Which case a zone is: live values without a token, typical days, only the yearly mean of its
/// country, or nothing. A cloud region is told as the zone that it draws from; "cloud" too, where
/// this machine's cloud says its region. One sentence or two, with what to do; no line break.
std::string WhatIsKnownOf(const std::string& zone);

/// The services of which a token would bring live values, the best first; none where the zone has
/// them without one.
std::vector<const signals::KeyService*> TokensFor(const std::string& zone);

/// Asks the service once whether it takes the token of `wanted`, and says what came back: taken,
/// refused, or not reached. One sentence or two; "" where there is no token.
std::string WhatComesOfToken(const NewSettings& wanted, const signals::HttpGetFunction& http_get,
                             Time now);

}  // namespace ebb::app
