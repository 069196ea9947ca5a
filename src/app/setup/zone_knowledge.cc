#include "app/setup/zone_knowledge.h"

#include "base/text.h"
#include "base/units_text.h"
#include "core/signal/countries.h"
#include "core/signal/one_value.h"
#include "signals/choose_source.h"
#include "signals/feeds/profile_worth.h"
#include "signals/make_provider.h"

namespace ebb::app {
namespace {

// Short, because a person is waiting.
constexpr Duration kPatience{5000};

// " Live values need a token: free of Electricity Maps (https://...: hours with imports), ...".
std::string TokenText(const std::string& zone) {
  std::string text;
  for (const signals::KeyService* service : signals::KeyServicesOf(zone))
    text += (text.empty() ? "" : ", or of ") + std::string(service->name) + " (" +
            service->address + ": " + service->worth + ")";
  return text.empty() ? "" : " Live values need a free token of " + text + ".";
}

std::string TypicalDaysText(const std::string& zone) {
  const signals::ProfileWorth* worth = signals::WorthOfProfile(zone);
  const bool nothing = worth && worth->worth_nothing();
  return " has typical days (modelled by the hour" +
         (nothing ? "); " + signals::WorthText(zone) + "."
                  : "), so ebb can wait for clean hours: " + signals::WorthText(zone) + ".") +
         TokenText(zone);
}

std::string WithoutToken(const std::string& zone) {
  if (const auto source = signals::LiveWithoutKey(zone))
    return " has live values without a token, by " + std::string(signals::Name(*source)) + ".";
  if (signals::HasProfile(zone)) return TypicalDaysText(zone);
  const core::Country* country = core::CountryOfZone(zone);
  if (country && country->has_mean())
    return " has only the yearly mean of " + std::string(country->name) + " (" +
           IntensityText({country->mean_g_per_kwh}) +
           "): emissions can be counted, but nothing is known about its hours, so nothing can be "
           "gained by waiting." +
           TokenText(zone);
  return " is not known at all without a token: neither live values, typical days nor a yearly "
         "mean. "
         "Give a token, or a value or series with --constant or --trace.";
}

bool IsRefusal(int status) { return status == 401 || status == 403; }

}  // namespace

std::string WhatIsKnownOf(const std::string& zone) {
  signals::SignalOptions options;
  options.zone = zone;
  if (const Status settled = signals::SettleZone(options); !settled)
    return "What is known of " + zone +
           " shows where its region can be asked: " + settled.error().Message() + ".";
  const std::string name =
      options.zone == zone ? zone : zone + " draws from the zone " + options.zone + ", which";
  return name + WithoutToken(options.zone);
}

std::vector<const signals::KeyService*> TokensFor(const std::string& zone) {
  signals::SignalOptions options;
  options.zone = zone;
  // A cloud that does not answer: what serves most zones.
  if (!signals::SettleZone(options)) return {signals::KeyServices().data()};
  if (signals::LiveWithoutKey(options.zone)) return {};
  return signals::KeyServicesOf(options.zone);
}

std::string WhatComesOfToken(const NewSettings& wanted, const signals::HttpGetFunction& http_get,
                             Time now) {
  if (wanted.token.empty() && wanted.token_env.empty() && wanted.token_file.empty()) return "";
  const signals::KeyService* asked = signals::FindKeyService(wanted.token_of);
  if (!asked) return "";
  signals::SignalOptions options;
  options.source = asked->source;
  options.zone = wanted.zone;
  options.auth_token = wanted.token;
  options.auth_env = wanted.token_env;
  options.auth_file = wanted.token_file;
  const auto not_checked = [](const Error& error) {
    return "The token is kept, but not checked: " + error.Message() + ".";
  };
  if (const Status settled = signals::SettleZone(options); !settled)
    return not_checked(settled.error());
  const auto make = signals::ProviderOf(options);
  if (!make) return not_checked(make.error());
  std::optional<int> status;
  const auto provider = (*make)([&](platform::HttpRequest request) {
    request.timeout = std::min(request.timeout, kPatience);
    auto answer = http_get(request);
    if (answer) status = answer->status;
    return answer;
  });
  const auto reading = provider->Read({now, Duration{0}, now, false});
  const std::string service = std::string(asked->name) + " ";
  if (reading) {
    const std::string value =
        reading->known.empty()
            ? "but tells no value of " + options.zone + " now"
            : options.zone + (asked->is_late ? " was at " : " is at ") +
                  IntensityText(reading->known.back().intensity) +
                  (asked->is_late ? " at " + FormatTime(reading->known.back().interval.begin) : "");
    return service + "takes the token; " + value + ".";
  }
  if (status && IsRefusal(*status))
    return service + "refuses the token (HTTP status " + std::to_string(*status) +
           "). It is kept, but until it is corrected there are no live values of " + options.zone +
           "; check it at " + asked->address + " and run ebb init again.";
  if (status) return not_checked(reading.error());
  return service + "cannot be reached (" + reading.error().what +
         "), so the token is kept, but not checked; ebb doctor checks it again.";
}

}  // namespace ebb::app
