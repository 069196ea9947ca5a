#include "signals/key_services.h"

#include <array>
#include <cstdlib>

#include "signals/markets/entsoe_api.h"
#include "signals/providers/eia930.h"
#include "signals/providers/electricity_maps.h"
#include "signals/traces/entsoe_areas.h"

namespace ebb::signals {
namespace {

constexpr std::array<KeyService, 3> kServices{{
    {SignalSource::kElectricityMaps, "electricity_maps", "Electricity Maps",
     kElectricityMapsKeyVariable, "https://portal.electricitymaps.com", "hours with imports", false,
     &SignalOptions::electricity_maps_secret},
    {SignalSource::kEntsoe, "entsoe", "ENTSO-E", kEntsoeKeyVariable,
     "https://transparency.entsoe.eu", "what plants generate, an hour late, without imports", true,
     &SignalOptions::entsoe_secret},
    {SignalSource::kEia930, "eia", "EIA", kEiaKeyVariable, "https://www.eia.gov/opendata",
     "what plants generate, hours late, without imports", true, &SignalOptions::eia_secret},
}};

bool Tells(const KeyService& service, std::string_view zone) {
  if (service.source == SignalSource::kEntsoe) return AreaOfZone(zone) != nullptr;
  if (service.source == SignalSource::kEia930) return EiaRespondent(zone).has_value();
  return !zone.empty() && zone != kNeoProfile;
}

bool HasKey(const KeyService& service, const SignalOptions& options) {
  const char* key = std::getenv(service.variable);
  if ((key && *key) || !(options.*service.place).empty()) return true;
  return service.source == SignalSource::kElectricityMaps &&
         (!options.auth_env.empty() || !options.auth_file.empty() || !options.auth_token.empty());
}

}  // namespace

std::span<const KeyService> KeyServices() { return kServices; }

const KeyService* FindKeyService(std::string_view settings) {
  for (const KeyService& service : kServices)
    if (service.settings == settings) return &service;
  return nullptr;
}

std::vector<const KeyService*> KeyServicesOf(std::string_view zone) {
  std::vector<const KeyService*> services;
  for (const KeyService& service : kServices)
    if (Tells(service, zone)) services.push_back(&service);
  return services;
}

std::vector<SignalSource> OwnKeys(const SignalOptions& options) {
  std::vector<SignalSource> sources;
  for (const KeyService& service : kServices)
    if (HasKey(service, options)) sources.push_back(service.source);
  return sources;
}

}  // namespace ebb::signals
