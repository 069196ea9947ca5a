#include "signals/feeds/profile_feed.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "base/text.h"
#include "signals/feeds/hourly_model_feed.h"
#include "signals/feeds/profile_worth.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/signal_options.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

// Correlation of daily means on neighbouring days: the median of 14 zones, 2022-2023, after removal
// of a 91-day moving mean (0.39 JP-TK to 0.91 IN-WE; US-CAL-CISO 0.71).
constexpr double kDayCorrelation = 0.7;
// The level of a day is a sum over this many days of white noise; the rest is below 0.4 %.
constexpr int kNoiseDays = 16;
// The wandering level never takes an hour below this share of its typical value.
constexpr double kLowestShare = 0.2;

// A stationary level with standard deviation 1 and the correlation above, one value per day; any
// day can be computed alone.
double DayLevel(std::uint64_t seed, std::int64_t day) {
  double level = 0, weight = 1, variance = 0;
  for (int back = 0; back < kNoiseDays; ++back) {
    level += weight * Random(SeedFor(seed, static_cast<std::uint64_t>(day - back))).Normal();
    variance += weight * weight;
    weight *= kDayCorrelation;
  }
  return level / std::sqrt(variance);
}

// The level runs straight from noon to noon, so the mean over a day has weight 3/4 on its own noon
// and 1/8 on each neighbour's. Its standard deviation, with correlation r: sqrt(19/32 + 3r/8 +
// r^2/32).
double DailyMeanDeviation() {
  const double r = kDayCorrelation;
  return std::sqrt(19.0 / 32 + 3 * r / 8 + r * r / 32);
}

class ZoneModel final : public HourlyModel {
 public:
  ZoneModel(std::string zone, const ZoneProfile& profile, std::uint64_t seed)
      : zone_(std::move(zone)),
        profile_(profile),
        offset_(chr::minutes{profile.utc_offset_minutes}),
        seed_(seed) {}

  core::SignalIdentity identity() const override {
    const std::string whose =
        zone_ == profile_.zone ? "" : "of " + std::string(profile_.zone) + ", which holds it ";
    return {zone_, core::SignalKind::kAverage, core::Boundary::kLifecycle,
            "typical days " + whose + "(means 2022-2023) with seeded variation, modelled"};
  }
  std::vector<std::string> notes() const override {
    const ProfileWorth* worth = WorthOfProfile(zone_);
    if (!worth || !worth->worth_nothing()) return {};
    return {zone_ + ": " + WorthText(zone_)};
  }
  std::string forecast_method() const override { return "typical day"; }
  Duration hour_offset() const override { return -(offset_ % Duration{chr::hours{1}}); }

  Intensity At(Time hour) const override {
    const double typical = Typical(hour);
    return {std::max(kLowestShare * typical, typical + Variation(hour))};
  }
  // The typical day, plus the current hour's deviation from it, which fades with the day level's
  // correlation.
  Intensity Expected(Time hour, Time now_hour) const override {
    const double typical = Typical(hour);
    const double deviation = At(now_hour).g_per_kwh - Typical(now_hour);
    const double days = Hours(hour - now_hour) / 24;
    return {
        std::max(kLowestShare * typical, typical + deviation * std::pow(kDayCorrelation, days))};
  }

 private:
  const SeasonProfile& SeasonOf(Time local) const {
    const chr::year_month_day date{chr::floor<chr::days>(local)};
    return profile_.seasons[static_cast<unsigned>(date.month()) % 12 / 3];
  }
  double Typical(Time hour) const {
    const Time local = hour + offset_;
    const auto hour_of_day = chr::floor<chr::hours>(local - chr::floor<chr::days>(local)).count();
    return SeasonOf(local).g_per_kwh[static_cast<std::size_t>(hour_of_day)];
  }
  // The variation in the middle of the hour.
  double Variation(Time hour) const {
    const Time local = hour + offset_;
    const Time since_noon = local + chr::minutes{30} - chr::hours{12};
    const auto day = chr::floor<chr::days>(since_noon);
    const double part = Hours(since_noon - day) / 24;
    const std::int64_t number = day.time_since_epoch().count();
    const double level = (1 - part) * DayLevel(seed_, number) + part * DayLevel(seed_, number + 1);
    return level / DailyMeanDeviation() * SeasonOf(local).day_to_day_sd_g_per_kwh;
  }

  std::string zone_;
  const ZoneProfile& profile_;
  Duration offset_;
  std::uint64_t seed_;
};

// Values of NEO's scheduler.py: 200+10h from 2, 350+5h from 7, 400+5(h-11) from 11, 380-10(h-18)
// from 18, else 280+5h.
constexpr std::array<double, 24> kNeoTable{280, 285, 220, 230, 240, 250, 260, 385,
                                           390, 395, 400, 400, 405, 410, 415, 420,
                                           425, 430, 380, 370, 360, 350, 340, 395};

class NeoModel final : public HourlyModel {
 public:
  explicit NeoModel(NeoClock clock) : clock_(std::move(clock)) {}
  core::SignalIdentity identity() const override {
    return {std::string(kNeoProfile), core::SignalKind::kAverage, core::Boundary::kUnknown,
            "NEO's mock table of 24 values by the clock of " +
                (clock_.name.empty() ? "UTC" : clock_.name) + ", modelled"};
  }
  std::string forecast_method() const override { return "NEO's mock table"; }
  // The minutes of the zone's offset from UTC in 2020: in hardly any zone they change.
  Duration hour_offset() const override {
    return -(OffsetAt(Time{chr::hours{24 * 365 * 50}}) % Duration{chr::hours{1}});
  }
  Intensity At(Time hour) const override {
    const Time local = hour + OffsetAt(hour);
    const auto hour_of_day = chr::floor<chr::hours>(local - chr::floor<chr::days>(local)).count();
    return {kNeoTable[static_cast<std::size_t>(hour_of_day)]};
  }
  Intensity Expected(Time hour, Time) const override { return At(hour); }

 private:
  Duration OffsetAt(Time time) const {
    return clock_.utc_offset ? clock_.utc_offset(time) : Duration{0};
  }

  NeoClock clock_;
};

}  // namespace

std::vector<std::string> ProfileZones() {
  std::vector<std::string> zones;
  for (const ZoneProfile& profile : ZoneProfiles()) zones.emplace_back(profile.zone);
  return zones;
}

Error NoProfileOf(std::string_view zone) {
  std::vector<std::string> known = ProfileZones();
  known.emplace_back(kNeoProfile);
  return {ExitCode::kConfiguration,
          "zone \"" + std::string(zone) + "\" has no profile" + SuggestionText(zone, known), "",
          "ebb zones lists the zones; or replay a trace"};
}

Result<std::unique_ptr<runtime::SignalFeed>> MakeZoneProfileFeed(std::string_view zone,
                                                                 std::uint64_t seed) {
  const ZoneProfile* profile = FindZoneProfile(zone);
  if (!profile) return Fail(NoProfileOf(zone));
  // The seed includes the zone, so that two zones with one seed do not share their weather.
  const auto index = static_cast<std::uint64_t>(profile - ZoneProfiles().data());
  return MakeHourlyModelFeed(
      std::make_unique<ZoneModel>(std::string(zone), *profile, SeedFor(seed, index)));
}

std::unique_ptr<runtime::SignalFeed> MakeNeoProfileFeed(const NeoClock& clock) {
  return MakeHourlyModelFeed(std::make_unique<NeoModel>(clock));
}

}  // namespace ebb::signals
