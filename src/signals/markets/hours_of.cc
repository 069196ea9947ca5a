#include "signals/markets/hours_of.h"

#include "forecast/drivers.h"

namespace ebb::signals {

MarketHours HoursOf(const OperatorParts& parts) {
  MarketHours hours;
  const auto told = parts.ByHour("answer");
  if (!told) return hours;
  for (const ExpectedHour& hour : *told)
    hours.push_back({hour.begin, {hour.load_mw, hour.wind_mw, hour.solar_mw}, {}});
  return hours;
}

MarketHours HoursOf(const core::PriceSeries& prices) {
  MarketHours hours;
  const forecast::Driver driver = forecast::DriverOf(prices);
  for (std::size_t i = 0; i < driver.hours.size(); ++i)
    if (driver.hours[i])
      hours.push_back({driver.begin + static_cast<Duration::rep>(i) * std::chrono::hours{1},
                       {1000 * driver.hours[i]->value},
                       {}});
  return hours;
}

}  // namespace ebb::signals
