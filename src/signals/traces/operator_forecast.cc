#include "signals/traces/operator_forecast.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "signals/traces/csv_rows.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr Duration kLongest{std::chrono::days{50 * 366}};
constexpr double kMostMw = 10'000'000;  // more than all plants of the world together

// The known part of a quantity in one hour.
struct HourOfOne {
  Duration covered{};
  double mw_hours = 0;
  std::optional<Time> published;
};

double& FieldOf(ExpectedHour& hour, Quantity quantity) {
  if (quantity == Quantity::kLoad) return hour.load_mw;
  return quantity == Quantity::kSolar ? hour.solar_mw : hour.wind_mw;
}

std::optional<Time> Later(std::optional<Time> a, std::optional<Time> b) {
  return a && b ? std::max(a, b) : a ? a : b;
}

}  // namespace

Status OperatorParts::Add(Quantity quantity, const ExpectedPower& power) {
  const Time hour = std::chrono::floor<std::chrono::hours>(power.interval.begin);
  if (power.interval.end > hour + kHour)
    return Fail({ExitCode::kConfiguration, "the row is of more than one hour", "",
                 "give a row for each hour, or for equal parts of it"});
  if (!(std::abs(power.mw) <= kMostMw))
    return Fail({ExitCode::kConfiguration, "the power is none that a grid can have", "",
                 "leave it empty where it is not known"});
  Part& part =
      parts_[quantity][power.interval.begin] = {power.interval.end, power.mw, power.published};
  if (!part.published && usual_) part.published = usual_->Of(power.interval.begin);
  return {};
}

Result<OperatorForecast> OperatorParts::ByHour(const std::string& path) const {
  const auto fail = [&](const char* what, const char* next) {
    return Fail({ExitCode::kConfiguration, what, path, next});
  };
  const bool has_sum = parts_.contains(Quantity::kWind);
  const bool has_wind =
      parts_.contains(Quantity::kWindOnshore) || parts_.contains(Quantity::kWindOffshore);
  if (!parts_.contains(Quantity::kLoad))
    return fail("does not tell what load is expected", "add the forecast of load");
  if (!has_sum && !has_wind && !parts_.contains(Quantity::kSolar))
    return fail("tells neither what wind nor what sun is expected",
                "add the forecast of wind and solar generation");
  if (has_sum && has_wind)
    return fail("tells wind as a sum and by itself", "leave one of them out");
  std::map<Time, std::map<Quantity, HourOfOne>> hours;
  for (const auto& [quantity, parts] : parts_)
    for (auto part = parts.begin(); part != parts.end(); ++part) {
      const auto next = std::next(part);
      const Time end =
          next == parts.end() ? part->second.end : std::min(part->second.end, next->first);
      HourOfOne& hour = hours[std::chrono::floor<std::chrono::hours>(part->first)][quantity];
      hour.covered += end - part->first;
      hour.mw_hours += part->second.mw * Hours(end - part->first);
      hour.published = Later(hour.published, part->second.published);
    }
  OperatorForecast whole;
  for (const auto& [begin, quantities] : hours) {
    ExpectedHour hour{begin};
    bool is_whole = quantities.size() == parts_.size();
    for (const auto& [quantity, one] : quantities) {
      is_whole = is_whole && one.covered == kHour;
      FieldOf(hour, quantity) += one.mw_hours;
      hour.published = Later(hour.published, one.published);
    }
    if (is_whole) whole.push_back(hour);
  }
  if (!whole.empty() && whole.back().begin - whole.front().begin > kLongest)
    return fail("is of more than 50 years", "give the years that are of use");
  if (whole.empty())
    return fail("has no hour with all of load, wind and sun", "is it the right file?");
  return whole;
}

Result<std::optional<double>> ReadPowerField(std::string_view text, const std::string& path,
                                             std::size_t line) {
  const std::string word = Lowercase(Trim(text));
  if (word.empty() || word == "-" || word == "n/e" || word == "n/a" || word == "nan")
    return std::optional<double>();
  const auto value = ParseNumber(word);
  if (!value || !(std::abs(*value) <= kMostMw))
    return Fail(AtLine(path, line, Quoted(text) + " is no power in MW",
                       "leave it empty where it is not known"));
  return value;
}

Status AddAtLine(Quantity quantity, const ExpectedPower& power, const std::string& path,
                 std::size_t line, OperatorParts& parts) {
  auto added = parts.Add(quantity, power);
  if (!added) added.error().where = path + ":" + std::to_string(line);
  return added;
}

std::vector<forecast::Driver> DriversOf(const OperatorForecast& hours) {
  if (hours.empty()) return {};
  const Time begin = hours.front().begin;
  const auto count = static_cast<std::size_t>((hours.back().begin - begin) / kHour) + 1;
  const auto driver_of = [&](std::string name, double ExpectedHour::*value_mw) {
    forecast::Driver driver{std::move(name), begin, {}};
    driver.hours.resize(count);
    for (const ExpectedHour& hour : hours)
      if (hour.published)
        driver.hours[static_cast<std::size_t>((hour.begin - begin) / kHour)] =
            forecast::DriverHour{hour.*value_mw, *hour.published};
    return driver;
  };
  return {driver_of("expected load", &ExpectedHour::load_mw),
          driver_of("wind", &ExpectedHour::wind_mw), driver_of("sun", &ExpectedHour::solar_mw)};
}

}  // namespace ebb::signals
