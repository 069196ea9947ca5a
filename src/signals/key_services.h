#pragma once
// Services that publish live values of a zone for users with a key: the address of a free key, the
// place of the key, and its use. One table for the choice of a source, `ebb init` and its file.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "signals/signal_options.h"

namespace ebb::signals {

struct KeyService {
  SignalSource source;
  const char* settings;  ///< "eia": prefix of the settings eia.token_env, eia.token_file
  const char* name;      ///< "EIA"
  const char* variable;  ///< "EIA_API_KEY"
  const char* address;   ///< page that gives a free key
  const char* worth;     ///< data of the service, for people
  bool is_late;          ///< sources without a key are better
  SecretPlace SignalOptions::*place;
};

/// All services, the best first.
std::span<const KeyService> KeyServices();
/// The service with these settings; nullptr if there is none.
const KeyService* FindKeyService(std::string_view settings);

/// The services that cover this zone, as far as is known without asking.
std::vector<const KeyService*> KeyServicesOf(std::string_view zone);

/// Sources for which the user has a key: in the environment, in the settings, or, for Electricity
/// Maps, in the options of the signal.
std::vector<SignalSource> OwnKeys(const SignalOptions& options);

}  // namespace ebb::signals
