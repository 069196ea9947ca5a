#include "forecast/typical_year.h"

#include <cmath>

namespace ebb::forecast {
namespace {

namespace chr = std::chrono;

constexpr double kDaysOfYear = 365.25;
constexpr double kMiddleOfWinter = 14.5;  // 15 January, in days from the begin of the year

// Position of a day between the middles of two seasons: the season whose middle comes before it,
// and the share of the way to the next middle.
struct Place {
  std::size_t season, next;
  double towards_next;
};

Place PlaceIn(Time local) {
  const auto day = chr::floor<chr::days>(local);
  const chr::year_month_day date{day};
  const auto year = chr::sys_days{date.year() / chr::January / 1};
  const double since = static_cast<double>((day - year).count()) - kMiddleOfWinter;
  const double seasons = (since < 0 ? since + kDaysOfYear : since) / (kDaysOfYear / kSeasons);
  const auto season = static_cast<std::size_t>(seasons);
  return {season % kSeasons, (season + 1) % kSeasons, seasons - static_cast<double>(season)};
}

double Between(const Place& place, double season, double next) {
  return (1 - place.towards_next) * season + place.towards_next * next;
}

double MeanOf(const std::array<double, 24>& day) {
  double sum = 0;
  for (const double value : day) sum += value;
  return sum / static_cast<double>(day.size());
}

}  // namespace

// An hour that begins between two local hours takes a part of each.
double TypicalYear::At(Time hour) const {
  const Time local = hour + utc_offset;
  const auto first = chr::floor<chr::hours>(local);
  const double of_second = Hours(local - first);
  const auto index = static_cast<std::size_t>((first - chr::floor<chr::days>(local)).count());
  const Place place = PlaceIn(local);
  const auto at = [&](std::size_t local_hour) {
    return Between(place, g_per_kwh[place.season][local_hour], g_per_kwh[place.next][local_hour]);
  };
  return (1 - of_second) * at(index) + of_second * at((index + 1) % 24);
}

double TypicalYear::DayMean(Time hour) const {
  const Place place = PlaceIn(hour + utc_offset);
  return Between(place, MeanOf(g_per_kwh[place.season]), MeanOf(g_per_kwh[place.next]));
}

}  // namespace ebb::forecast
