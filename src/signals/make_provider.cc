#include "signals/make_provider.h"

#include <array>
#include <cstdlib>

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/markets/entsoe_api.h"
#include "signals/providers/caiso.h"
#include "signals/providers/carbon_aware_sdk.h"
#include "signals/providers/command_source.h"
#include "signals/providers/eia930.h"
#include "signals/providers/electricity_maps.h"
#include "signals/providers/energy_charts_intensity.h"
#include "signals/providers/entsoe_generation.h"
#include "signals/providers/ercot.h"
#include "signals/providers/ieso.h"
#include "signals/providers/miso.h"
#include "signals/providers/nyiso.h"
#include "signals/providers/open_electricity.h"
#include "signals/providers/spp.h"
#include "signals/providers/uk_carbon_intensity.h"
#include "signals/providers/watttime.h"
#include "signals/secret.h"
#include "signals/traces/entsoe_areas.h"
#include "signals/traces/expat.h"

namespace ebb::signals {
namespace {

using MadeProvider = Result<MakeProviderFunction>;

constexpr const char* kHowToName =
    "set it to the token, or name a file that holds it with --api-token-file";

// The secret from the options, or from the file or variable that they name, or else from the
// provider's own variable; "" if there is neither.
Result<std::string> Secret(const SignalOptions& options, const std::string& own_variable,
                           const std::string& where) {
  if (!options.auth_token.empty()) return CheckSecret(options.auth_token, where);
  const bool is_named = !options.auth_file.empty() || !options.auth_env.empty();
  if (!is_named && own_variable.empty()) return std::string();
  return SecretAt({options.auth_env, options.auth_file}, is_named ? "" : own_variable, where,
                  kHowToName);
}

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

// The options with the place of the provider's own secret: named by the options, else the
// provider's variable, else the place in the user's settings.
SignalOptions WithSecretOf(const SignalOptions& given, const SecretPlace& place,
                           const char* own_variable) {
  SignalOptions options = given;
  const bool named =
      !given.auth_token.empty() || !given.auth_file.empty() || !given.auth_env.empty();
  if (named || IsSet(own_variable) || !given.url.empty()) return options;
  options.auth_file = place.file;
  options.auth_env = place.env;
  return options;
}

// The server to ask, without a final slash.
Result<std::string> Server(const SignalOptions& options, const std::string& usual, bool secret) {
  std::string url = options.url.empty() ? usual : options.url;
  while (url.ends_with('/')) url.pop_back();
  EBB_RETURN_IF_ERROR(CheckAddress(url, secret));
  return url;
}

Status NeedZone(const SignalOptions& options, const char* example) {
  if (!options.zone.empty()) return {};
  return Fail({ExitCode::kConfiguration,
               std::string(Name(options.source)) + " needs to be told which zone to ask for", "",
               std::string("give --zone, e.g. ") + example});
}

Error NoSuchZone(const SignalOptions& options, std::string example) {
  return {ExitCode::kConfiguration,
          std::string(Name(options.source)) + " has no zone \"" + options.zone + "\"", "",
          "give --zone " + std::move(example)};
}

MadeProvider ElectricityMaps(const SignalOptions& given) {
  const SignalOptions options =
      WithSecretOf(given, given.electricity_maps_secret, kElectricityMapsKeyVariable);
  EBB_RETURN_IF_ERROR(NeedZone(options, "DE"));
  ElectricityMapsOptions made;
  made.zone = options.zone;
  made.boundary = options.boundary.value_or(core::Boundary::kLifecycle);
  EBB_ASSIGN_OR_RETURN(made.base_url, Server(options, kElectricityMapsUrl, true));
  EBB_ASSIGN_OR_RETURN(made.key,
                       Secret(options, kElectricityMapsKeyVariable, ShownUrl(made.base_url)));
  return
      [made](HttpGetFunction http_get) { return MakeElectricityMaps(made, std::move(http_get)); };
}

MadeProvider Uk(const SignalOptions& options) {
  const auto area = UkAreaFromZone(options.zone.empty() ? "GB" : options.zone);
  if (!area)
    return Fail({ExitCode::kConfiguration,
                 "\"" + options.zone + "\" is not a zone of the UK Carbon Intensity API", "",
                 "give GB, GB-1 to GB-17 (a region), or GB-RG41 (an outward postcode)"});
  EBB_ASSIGN_OR_RETURN(const std::string url, Server(options, kUkCarbonIntensityUrl, false));
  return [made = UkCarbonIntensityOptions{url, *area}](HttpGetFunction http_get) {
    return MakeUkCarbonIntensity(made, std::move(http_get));
  };
}

MadeProvider EnergyCharts(const SignalOptions& options) {
  EBB_RETURN_IF_ERROR(NeedZone(options, "DE"));
  const auto country = EnergyChartsCountry(options.zone);
  if (!country)
    return Fail({ExitCode::kConfiguration,
                 "Energy-Charts has no carbon intensity of zone \"" + options.zone + "\"", "",
                 "give a whole European country, for example DE, FR or DK"});
  EBB_ASSIGN_OR_RETURN(const std::string url, Server(options, kEnergyChartsUrl, false));
  const auto boundary = options.boundary.value_or(core::Boundary::kUnknown);
  return [made = EnergyChartsIntensityOptions{url, options.zone, *country, boundary}](
             HttpGetFunction http_get) {
    return MakeEnergyChartsIntensity(made, std::move(http_get));
  };
}

// An operator that publishes what its plants generate by fuel, without a key.
struct KeylessOperator {
  SignalSource source;
  std::string_view zone;
  const char* url;
  Result<OperatorMix> (*mix)(std::string base_url, core::Boundary boundary);
};
constexpr auto kOperators =
    std::to_array<KeylessOperator>({{SignalSource::kCaiso, kCaisoZone, kCaisoUrl, CaisoMix},
                                    {SignalSource::kNyiso, kNyisoZone, kNyisoUrl, NyisoMix},
                                    {SignalSource::kErcot, kErcotZone, kErcotUrl, ErcotMix},
                                    {SignalSource::kMiso, kMisoZone, kMisoUrl, MisoMix},
                                    {SignalSource::kSpp, kSppZone, kSppUrl, SppMix},
                                    {SignalSource::kIeso, kIesoZone, kIesoUrl, IesoMix}});

MadeProvider Operator(const SignalOptions& options, const KeylessOperator& asked) {
  if (!options.zone.empty() && options.zone != asked.zone)
    return Fail(NoSuchZone(options, std::string(asked.zone)));
  EBB_ASSIGN_OR_RETURN(const std::string url, Server(options, asked.url, false));
  EBB_ASSIGN_OR_RETURN(const OperatorMix made,
                       asked.mix(url, options.boundary.value_or(core::Boundary::kLifecycle)));
  return [made](HttpGetFunction http_get) { return MakeOperatorMix(made, std::move(http_get)); };
}

MadeProvider OpenElectricity(const SignalOptions& options) {
  EBB_RETURN_IF_ERROR(NeedZone(options, "AU-NSW"));
  const auto path = OpenElectricityPath(options.zone);
  if (!path) return Fail(NoSuchZone(options, "AU-NSW, AU-QLD, AU-SA, AU-TAS, AU-VIC or AU-WA"));
  EBB_ASSIGN_OR_RETURN(const std::string url, Server(options, kOpenElectricityUrl, false));
  const OperatorMix made = OpenElectricityMix(
      url, options.zone, *path, options.boundary.value_or(core::Boundary::kLifecycle));
  return [made](HttpGetFunction http_get) { return MakeOperatorMix(made, std::move(http_get)); };
}

MadeProvider Eia930(const SignalOptions& given) {
  const SignalOptions options = WithSecretOf(given, given.eia_secret, kEiaKeyVariable);
  EBB_RETURN_IF_ERROR(NeedZone(options, "US-MIDA-PJM"));
  const auto respondent = EiaRespondent(options.zone);
  if (!respondent) return Fail(NoSuchZone(options, "US-MIDA-PJM, for example, or US"));
  Eia930Options made;
  made.zone = options.zone;
  made.respondent = *respondent;
  made.boundary = options.boundary.value_or(core::Boundary::kLifecycle);
  EBB_ASSIGN_OR_RETURN(made.base_url, Server(options, kEiaUrl, true));
  EBB_ASSIGN_OR_RETURN(made.key, Secret(options, kEiaKeyVariable, ShownUrl(made.base_url)));
  return [made](HttpGetFunction http_get) {
    return MakeOperatorMix(Eia930Mix(made), std::move(http_get));
  };
}

MadeProvider Entsoe(const SignalOptions& given) {
  const SignalOptions options = WithSecretOf(given, given.entsoe_secret, kEntsoeKeyVariable);
  EBB_RETURN_IF_ERROR(NeedZone(options, "NL"));
  const EntsoeArea* area = AreaOfZone(options.zone);
  if (!area) return Fail(NoSuchZone(options, "NL or DK-DK1, for example"));
  EntsoeGenerationOptions made;
  made.zone = options.zone;
  made.area = area->balance;
  made.boundary = options.boundary.value_or(core::Boundary::kLifecycle);
  EBB_ASSIGN_OR_RETURN(made.base_url, Server(options, kEntsoeUrl, true));
  EBB_ASSIGN_OR_RETURN(made.token, Secret(options, kEntsoeKeyVariable, ShownUrl(made.base_url)));
  return [made](HttpGetFunction http_get) {
    return MakeOperatorMix(EntsoeGenerationMix(made), std::move(http_get));
  };
}

// A file or named variable holds "user:password"; without one, the two variables of the official
// client are read.
MadeProvider WattTime(const SignalOptions& given) {
  const SignalOptions options = WithSecretOf(given, given.watttime_secret, kWattTimeUserVariable);
  EBB_RETURN_IF_ERROR(NeedZone(options, "CAISO_NORTH"));
  WattTimeOptions made;
  made.region = options.zone;
  if (options.kind == core::SignalKind::kAverage) made.signal_type = "co2_aoer";
  EBB_ASSIGN_OR_RETURN(made.base_url, Server(options, kWattTimeUrl, true));
  if (options.auth_file.empty() && options.auth_env.empty()) {
    const std::string where = ShownUrl(made.base_url);
    EBB_ASSIGN_OR_RETURN(made.user, SecretAt({}, kWattTimeUserVariable, where, kHowToName));
    EBB_ASSIGN_OR_RETURN(made.password, SecretAt({}, kWattTimePasswordVariable, where, kHowToName));
  } else {
    EBB_ASSIGN_OR_RETURN(const std::string pair, Secret(options, "", ""));
    const auto colon = pair.find(':');
    if (colon == std::string::npos)
      return Fail({ExitCode::kConfiguration, "WattTime's secret has no colon", "",
                   "write it as user:password"});
    made.user = pair.substr(0, colon);
    made.password = pair.substr(colon + 1);
  }
  return [made](HttpGetFunction http_get) { return MakeWattTime(made, std::move(http_get)); };
}

MadeProvider CarbonAwareSdk(const SignalOptions& options) {
  EBB_RETURN_IF_ERROR(NeedZone(options, "westus"));
  CarbonAwareSdkOptions made;
  made.location = options.zone;
  if (!options.kind)
    return Fail({ExitCode::kConfiguration,
                 "a Carbon Aware SDK does not say whether its values are average or marginal",
                 ShownUrl(options.url),
                 "give --signal-kind: marginal where it asks WattTime, average where it asks "
                 "Electricity Maps"});
  made.kind = *options.kind;
  EBB_ASSIGN_OR_RETURN(made.key, Secret(options, "", ShownUrl(options.url)));
  EBB_ASSIGN_OR_RETURN(made.base_url, Server(options, "", !made.key.empty()));
  return [made](HttpGetFunction http_get) { return MakeCarbonAwareSdk(made, std::move(http_get)); };
}

MadeProvider Json(const SignalOptions& options) {
  JsonAddressOptions made;
  made.url = options.url;
  made.shape = options.json;
  made.refresh = options.refresh;
  made.identity = {options.zone, options.kind.value_or(core::SignalKind::kAverage),
                   options.boundary.value_or(core::Boundary::kUnknown), ""};
  EBB_RETURN_IF_ERROR(CheckAddress(options.url, false));
  EBB_ASSIGN_OR_RETURN(const std::string token, Secret(options, "", ShownUrl(options.url)));
  EBB_RETURN_IF_ERROR(CheckAddress(options.url, !token.empty()));
  if (!token.empty()) made.header = options.auth_header + ": " + token;
  made.hint = "name what holds your token: --api-token-env or --api-token-file";
  if (!options.auth_env.empty())
    made.hint = "check the token in the environment variable " + options.auth_env;
  if (!options.auth_file.empty()) made.hint = "check the token in " + options.auth_file;
  if (!GramsPerKwhOf(made.shape.unit))
    return Fail({ExitCode::kConfiguration, "the unit \"" + made.shape.unit + "\" is not known", "",
                 std::string("choose one of ") + kIntensityUnits});
  return [made](HttpGetFunction http_get) { return MakeJsonAddress(made, std::move(http_get)); };
}

MadeProvider Program(const SignalOptions& options) {
  CommandSourceOptions made;
  made.words = WordsOfCommand(options.command);
  if (made.words.empty())
    return Fail({ExitCode::kConfiguration, "the signal \"command\" needs a program", "",
                 "give --signal-command \"PROGRAM ARGUMENTS\""});
  made.identity = {options.zone, options.kind.value_or(core::SignalKind::kAverage),
                   options.boundary.value_or(core::Boundary::kUnknown), ""};
  return [made](const HttpGetFunction&) { return MakeCommandSource(made, RunSourceProgram); };
}

}  // namespace

MadeProvider ProviderOf(const SignalOptions& options) {
  for (const KeylessOperator& keyless : kOperators)
    if (keyless.source == options.source) return Operator(options, keyless);
  switch (options.source) {
    case SignalSource::kElectricityMaps:
      return ElectricityMaps(options);
    case SignalSource::kUkCarbonIntensity:
      return Uk(options);
    case SignalSource::kWattTime:
      return WattTime(options);
    case SignalSource::kCarbonAwareSdk:
      return CarbonAwareSdk(options);
    case SignalSource::kEnergyCharts:
      return EnergyCharts(options);
    case SignalSource::kOpenElectricity:
      return OpenElectricity(options);
    case SignalSource::kEia930:
      return Eia930(options);
    case SignalSource::kEntsoe:
      return Entsoe(options);
    case SignalSource::kHttp:
      return Json(options);
    case SignalSource::kCommand:
      return Program(options);
    default:
      return Fail({ExitCode::kBug, "a source that is not live has no provider", "", ""});
  }
}

std::string MissingLibraryOf(SignalSource source) {
  const bool reads_xml = source == SignalSource::kIeso || source == SignalSource::kEntsoe;
  if (!reads_xml) return {};
  const auto expat = LibExpat();
  return expat ? std::string() : expat.error().where;
}

std::vector<SignalSource> KeylessSources(std::string_view zone) {
  std::vector<SignalSource> sources;
  if (UkAreaFromZone(zone)) sources.push_back(SignalSource::kUkCarbonIntensity);
  for (const KeylessOperator& keyless : kOperators)
    if (keyless.zone == zone) sources.push_back(keyless.source);
  if (OpenElectricityPath(zone) && !OpenElectricityIsLate(zone))
    sources.push_back(SignalSource::kOpenElectricity);
  if (EnergyChartsCountry(zone)) sources.push_back(SignalSource::kEnergyCharts);
  return sources;
}

}  // namespace ebb::signals
