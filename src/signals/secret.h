#pragma once
// Tokens of services, read from the places where users put them. No message ever shows a token.

#include <string>

#include "base/result.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// The first line of `text`. An Error if it is empty or cannot be part of a header line.
Result<std::string> CheckSecret(std::string_view text, const std::string& where);

/// `own_variable`, if it is set and not empty; else the first line of the file of `place`, or else
/// its variable. For an Error, `where` is the service and `next` the advice.
Result<std::string> SecretAt(const SecretPlace& place, const std::string& own_variable,
                             const std::string& where, const std::string& next);

}  // namespace ebb::signals
