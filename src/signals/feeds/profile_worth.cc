#include "signals/feeds/profile_worth.h"

#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/csv.h"
#include "base/text.h"
#include "base/units_text.h"
#include "signals/feeds/zone_profiles.h"

namespace ebb::signals {

extern const std::string_view profile_check_file;  // data/profiles, embedded

namespace {

// From this share on, the text says that the source had estimated these hours.
constexpr double kManyEstimatesPercent = 50;
// From this percentage on, waiting is worth it, even if one value for the year describes the hours
// better.
constexpr double kStillCleanerPercent = 5;

std::vector<ProfileWorth> ReadChecks() {
  std::vector<ProfileWorth> checks;
  CsvReader reader(profile_check_file, "check of typical days");
  EBB_CHECK(reader.Next().value_or(false));
  while (reader.Next().value_or(false)) {
    const auto& fields = reader.fields();
    EBB_CHECK(fields.size() == 7);
    const auto number = [&](std::size_t at) {
      const auto value = ParseNumber(fields[at]);
      EBB_CHECK(value.has_value());
      return *value;
    };
    checks.push_back(
        {fields[0], std::string(fields[1]), number(2), number(3), number(4), number(5), number(6)});
  }
  return checks;
}

std::string CleanestText(const ProfileWorth& worth) {
  const double below = worth.cleanest_below_percent;
  return "the six hours that they call cleanest lay " + FormatFixed(std::fabs(below), 1) + " % " +
         (below < 0 ? "above" : "below") + " the mean";
}

std::string NothingText(const ProfileWorth& worth) {
  const std::string text = "typical hours are worth nothing here: in 2024 ";
  if (worth.mae_typical_g_per_kwh < worth.mae_mean_g_per_kwh) return text + CleanestText(worth);
  return text + "they were off by " + FormatFixed(worth.mae_typical_g_per_kwh, 1) +
         " g/kWh on average, and one value for the year by " +
         FormatFixed(worth.mae_mean_g_per_kwh, 1) + " g/kWh" +
         (worth.cleanest_below_percent >= kStillCleanerPercent ? ", although " + CleanestText(worth)
                                                               : "");
}

}  // namespace

const ProfileWorth* WorthOfProfile(std::string_view zone) {
  static const std::vector<ProfileWorth> checks = ReadChecks();
  const ZoneProfile* profile = FindZoneProfile(zone);
  if (!profile) return nullptr;
  for (const ProfileWorth& worth : checks)
    if (worth.zone == profile->zone) return &worth;
  return nullptr;
}

std::string WorthText(std::string_view zone) {
  const ProfileWorth* worth = WorthOfProfile(zone);
  if (!worth) return "they were not checked on another year";
  if (worth->worth_nothing()) return NothingText(*worth);
  std::string text = "in 2024 " + CleanestText(*worth);
  if (worth->estimated_percent >= kManyEstimatesPercent)
    text += "; " + FormatFixed(worth->estimated_percent, 0) +
            " % of the values behind them are estimates of their source";
  return text;
}

}  // namespace ebb::signals
