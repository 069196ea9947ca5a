#pragma once
// WattTime, API v3 (docs: docs.watttime.org): marginal intensity (co2_moer), every 5 minutes, with
// a forecast of up to 72 hours. Log in with user and password (HTTP Basic) for a token that lasts
// 30 minutes. Answers are in pounds per MWh and are converted; the signal index, which free
// accounts have, is a percentile and never read as an intensity.

#include <memory>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

inline constexpr const char* kWattTimeUrl = "https://api.watttime.org";
inline constexpr const char* kWattTimeUserVariable = "WATTTIME_USER";
inline constexpr const char* kWattTimePasswordVariable = "WATTTIME_PASSWORD";

/// Reads the token from the answer to a login.
Result<std::string> ParseWattTimeLogin(std::string_view body, const std::string& where);

/// Reads rows of /v3/forecast (all kForecast; meta has generated_at) or of /v3/historical. Units
/// other than pounds per MWh are an Error, above all a percentile, which is the index's unit.
Result<Payload> ParseWattTime(std::string_view body, const std::string& where);

struct WattTimeOptions {
  std::string base_url = kWattTimeUrl;
  std::string region;  ///< e.g. CAISO_NORTH
  std::string user;
  std::string password;
  std::string signal_type = "co2_moer";
};
std::unique_ptr<Provider> MakeWattTime(WattTimeOptions options, HttpGetFunction http_get);

}  // namespace ebb::signals
