#include "signals/weather/gfs_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "signals/weather/weather_steps.h"

namespace ebb::signals {
namespace {

using Values = const std::vector<double>*;  // one value for each place

Error Twice(const GribField& field) {
  return {ExitCode::kConfiguration,
          "the weather run of " + FormatTime(field.issued) + " has a field of hour " +
              FormatFixed(Hours(field.to), 0) + " twice, with different values",
          "", "keep one of its files"};
}

// Whether two fields agree where files overlap; a missing value equals a missing one.
bool SaysTheSame(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// One quantity over spans of time, as means; sums become means, too.
class Spans {
 public:
  // GFS gives its first sums twice, from the start of the run and from the start of the span, which
  // is the same.
  Status Add(const GribField& field) {
    const auto [there, is_new] = by_end_[field.to].emplace(field.from, &field);
    const bool same = is_new || field.quantity == GribQuantity::kRainSum ||
                      SaysTheSame(there->second->at_points, field.at_points);
    return same ? Status() : Fail(Twice(field));
  }
  bool empty() const { return by_end_.empty(); }

  // The mean from one moment to a later one: as GFS gives it, or as the difference of two spans
  // that began together. The latest such begin is best, because the least is subtracted.
  double MeanOver(Duration from, Duration to, std::size_t place) const {
    const auto longer = by_end_.find(to), shorter = by_end_.find(from);
    if (longer == by_end_.end()) return NAN;
    if (const auto whole = longer->second.find(from); whole != longer->second.end())
      return SumOf(*whole->second, place) / Hours(to - from);
    if (shorter == by_end_.end()) return NAN;
    for (auto span = longer->second.rbegin(); span != longer->second.rend(); ++span) {
      const auto other = shorter->second.find(span->first);
      if (other == shorter->second.end()) continue;
      const double between = SumOf(*span->second, place) - SumOf(*other->second, place);
      return std::max(between, 0.0) / Hours(to - from);  // both are rounded
    }
    return NAN;
  }

 private:
  static double SumOf(const GribField& field, std::size_t place) {
    const double value = field.at_points[place];
    return field.quantity == GribQuantity::kRainSum ? value : value * Hours(field.to - field.from);
  }
  std::map<Duration, std::map<Duration, const GribField*>> by_end_;
};

// The fields of one run.
struct RunFields {
  std::map<Duration, Values> east, north, temperature;
  Spans shortwave, rain, rain_sum;
};

Status AddMoment(const GribField& field, std::map<Duration, Values>& moments) {
  const auto [there, is_new] = moments.emplace(field.to, &field.at_points);
  return is_new || SaysTheSame(*there->second, field.at_points) ? Status() : Fail(Twice(field));
}

Status AddField(const GribField& field, int wind_height_m, RunFields& run) {
  switch (field.quantity) {
    case GribQuantity::kWindEast:
      return field.height_m == wind_height_m ? AddMoment(field, run.east) : Status();
    case GribQuantity::kWindNorth:
      return field.height_m == wind_height_m ? AddMoment(field, run.north) : Status();
    case GribQuantity::kTemperature:
      return AddMoment(field, run.temperature);
    case GribQuantity::kShortwave:
      return run.shortwave.Add(field);
    case GribQuantity::kRain:
      return run.rain.Add(field);
    case GribQuantity::kRainSum:
      return run.rain_sum.Add(field);
  }
  return {};
}

// A moment that lacks a field has no step, so that the hours around it are unknown.
std::vector<WeatherStep> StepsAt(const RunFields& run, Time issued, std::size_t place) {
  std::set<Duration> leads;
  for (const auto& [lead, values] : run.east) leads.insert(lead);
  for (const auto& [lead, values] : run.temperature) leads.insert(lead);
  const auto at = [&](const std::map<Duration, Values>& moments, Duration lead) {
    const auto there = moments.find(lead);
    return there == moments.end() ? NAN : (*there->second)[place];
  };
  const Spans& rain = run.rain.empty() ? run.rain_sum : run.rain;
  std::vector<WeatherStep> steps;
  for (auto lead = leads.begin(); lead != leads.end(); ++lead) {
    WeatherStep step;
    step.at = issued + *lead;
    step.wind_mps = std::hypot(at(run.east, *lead), at(run.north, *lead));
    step.temperature_k = at(run.temperature, *lead);
    if (const auto next = std::next(lead); next != leads.end()) {
      step.shortwave_w_m2 = run.shortwave.MeanOver(*lead, *next, place);
      step.precipitation_mm_h = rain.empty() ? 0 : rain.MeanOver(*lead, *next, place);
    } else if (!steps.empty()) {  // the hours after the last moment are unknown
      step.shortwave_w_m2 = steps.back().shortwave_w_m2;
      step.precipitation_mm_h = steps.back().precipitation_mm_h;
    }
    steps.push_back(step);
  }
  return steps;
}

Result<forecast::WeatherRun> RunOf(const RunFields& fields, Time issued, PlacesOfZone places,
                                   Duration lag) {
  std::vector<forecast::WeatherRun> at_places;
  Time last = issued;
  for (std::size_t place = places.first; place < places.first + places.count; ++place) {
    const auto steps = StepsAt(fields, issued, place);
    if (!steps.empty()) last = steps.back().at;
    at_places.push_back(HourlyRun(issued, issued + lag, steps));
  }
  forecast::WeatherRun run = MeanOverPlaces(at_places);
  const auto told = static_cast<std::size_t>(std::max<Duration>(last - run.begin, Duration{0}) /
                                             std::chrono::hours{1});
  run.hours.resize(std::min(run.hours.size(), told));
  const bool any = std::any_of(run.hours.begin(), run.hours.end(),
                               [](const auto& hour) { return hour.has_value(); });
  if (any) return run;
  return Fail({ExitCode::kConfiguration,
               "the weather run of " + FormatTime(issued) + " has no hour with all of its fields",
               "",
               "a run needs two steps or more, each with UGRD and VGRD at 10 m, TMP at 2 m, and "
               "DSWRF at the surface as a mean"});
}

}  // namespace

int WindHeightOf(const std::vector<GribField>& fields) {
  std::set<std::pair<Time, Duration>> at_10, at_100;
  for (const GribField& field : fields)
    if (field.quantity == GribQuantity::kWindEast)
      (field.height_m == 100 ? at_100 : at_10).insert({field.issued, field.to});
  const bool all =
      !at_100.empty() && std::includes(at_100.begin(), at_100.end(), at_10.begin(), at_10.end());
  return all ? 100 : 10;
}

std::vector<WeatherPoint> PointsOf(const std::vector<ZoneToAsk>& zones) {
  std::vector<WeatherPoint> points;
  for (const ZoneToAsk& zone : zones)
    points.insert(points.end(), zone.points.begin(), zone.points.end());
  return points;
}

Result<RunsByZone> RunsOfZones(const std::vector<GribField>& fields,
                               const std::vector<ZoneToAsk>& zones, int wind_height_m,
                               Duration lag) {
  RunsByZone by_zone;
  PlacesOfZone places;
  for (const ZoneToAsk& zone : zones) {
    places = {places.first + places.count, zone.points.size()};
    EBB_ASSIGN_OR_RETURN(auto runs, RunsOfGfs(fields, places, wind_height_m, lag));
    by_zone.push_back(std::move(runs));
  }
  return by_zone;
}

Result<std::vector<forecast::WeatherRun>> RunsOfGfs(const std::vector<GribField>& fields,
                                                    PlacesOfZone places, int wind_height_m,
                                                    Duration lag) {
  std::map<Time, RunFields> by_issue;
  for (const GribField& field : fields)
    EBB_RETURN_IF_ERROR(AddField(field, wind_height_m, by_issue[field.issued]));
  std::vector<forecast::WeatherRun> runs;
  for (const auto& [issued, run_fields] : by_issue) {
    EBB_ASSIGN_OR_RETURN(auto run, RunOf(run_fields, issued, places, lag));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace ebb::signals
