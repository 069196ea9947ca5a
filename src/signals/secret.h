#pragma once
// Tokens of services, from the places where people put them. They are in no message.

#include <string>

#include "base/result.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// What `text` holds in its first line. An Error where that is empty or could not be part of a
/// header line.
Result<std::string> CheckSecret(std::string_view text, const std::string& where);

/// The first line of the file of `place`, or else its variable, or else `own_variable`, which wins
/// over both where it is set. `where` is the service, `next` what to do where there is none.
Result<std::string> SecretAt(const SecretPlace& place, const std::string& own_variable,
                             const std::string& where, const std::string& next);

}  // namespace ebb::signals
