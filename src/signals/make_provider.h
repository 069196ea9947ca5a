#pragma once
// Turns options into a live provider, with its secrets read from the environment or a file. Checks
// everything that can be checked without asking a service: a missing key, a zone that the provider
// does not have, a token that would travel unencrypted. The only place that knows all providers.

#include <string>

#include "signals/provider.h"
#include "signals/signal_options.h"

namespace ebb::signals {

Result<MakeProviderFunction> ProviderOf(const SignalOptions& options);

/// The library that reads the answers of a source, if it is not on this machine; "" if nothing is
/// missing.
std::string MissingLibraryOf(SignalSource source);

/// The live sources of average intensity that cover a zone and need no key, the best first.
std::vector<SignalSource> KeylessSources(std::string_view zone);

}  // namespace ebb::signals
