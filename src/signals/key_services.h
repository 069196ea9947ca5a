#pragma once
// Services that tell live values of a zone to whoever has a key of them: where a free key is had,
// where people put it, and what it brings. One table for the choice of a source, `ebb init` and its
// file.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "signals/signal_options.h"

namespace ebb::signals {

struct KeyService {
  SignalSource source;
  const char* settings;  ///< "eia": the settings eia.token_env, eia.token_file
  const char* name;      ///< "EIA"
  const char* variable;  ///< "EIA_API_KEY"
  const char* address;   ///< where a free key is had
  const char* worth;     ///< what is told, for people
  bool is_late;          ///< sources without a key are better
  SecretPlace SignalOptions::*place;
};

/// The best first.
std::span<const KeyService> KeyServices();
/// By the name of its settings; nullptr: there is none.
const KeyService* FindKeyService(std::string_view settings);

/// The services that tell of this zone, as far as is known without asking.
std::vector<const KeyService*> KeyServicesOf(std::string_view zone);

/// Sources of which the user has a key: in the environment, in the settings, or, of Electricity
/// Maps, in the options of the signal.
std::vector<SignalSource> OwnKeys(const SignalOptions& options);

}  // namespace ebb::signals
