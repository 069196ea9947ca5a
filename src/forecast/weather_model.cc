#include "forecast/weather_model.h"

#include <algorithm>
#include <cmath>

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
// Hours after which an hour's weather, including the hours around it, is settled.
constexpr std::size_t kUnsettled = kSettledHours + kHoursAfter;
// The band uses errors of this many periods: 120 days and the parts that are cut off.
constexpr std::int64_t kErrorPeriods = 6;
constexpr std::size_t kMostFits = 8;
// Number of the last 24 hours that need known weather. With fewer, the rest of their intensity says
// nothing.
constexpr std::size_t kLeastRecentHours = 18;
// Number of hours of a row (inputs and targets) whose weather may be unknown.
constexpr std::size_t kMostUnknown = 24;
// The shortest record, in moments.
constexpr std::size_t kLeastRecord = 21 * kHoursPerDay;
// Leads whose records are taken together: this many to either side.
constexpr std::size_t kLikeLeads = 6;
// Share of runs that are not stale: a run is stale if only one in ten was as old.
constexpr double kUsualAge = 0.9;

// The share of both stages, beside the forecast from the own past, that would have had the smallest
// error at each lead (with its neighbours). 1 if there is no record.
std::vector<double> SharesOf(const std::vector<double>& errors, const std::vector<double>& gains,
                             std::size_t rows) {
  std::vector<double> product(kLeads), square(kLeads), shares(kLeads, 1.0);
  if (rows < kLeastRecord) return shares;
  for (std::size_t i = 0; i < rows * kLeads; ++i) {
    product[i % kLeads] += (errors[i] + gains[i]) * gains[i];
    square[i % kLeads] += gains[i] * gains[i];
  }
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    double numerator = 0, denominator = 0;
    for (std::size_t like = lead - std::min(lead, kLikeLeads);
         like <= std::min(kLeads - 1, lead + kLikeLeads); ++like) {
      numerator += product[like];
      denominator += square[like];
    }
    if (denominator > 0) shares[lead] = std::clamp(numerator / denominator, 0.0, 1.0);
  }
  return shares;
}

}  // namespace

void WeatherModel::Learn(std::span<const core::Sample> known) {
  const std::size_t seen = grid().size();
  const std::size_t stayed = own_.Learn(known);
  if (stayed == seen) return;
  if (stayed == 0) {
    past_ = {};
    fits_.clear();
    return;
  }
  const std::int64_t revised = FitPeriodOf(grid().BeginOf(stayed));
  std::erase_if(fits_, [&](const auto& fit) { return fit.first > revised; });
  for (auto& [period, fit] : fits_) fit.Forget(stayed);
}

// Forgets everything that used hour `from` or a later one.
void WeatherModel::Fit::Forget(std::size_t from) {
  settled = std::min(settled, from);
  const auto reaches =
      std::partition_point(error_issues.begin(), error_issues.end(),
                           [&](std::size_t issue) { return issue + kLeads < from; });
  const auto rows = static_cast<std::size_t>(reaches - error_issues.begin());
  error_issues.resize(rows);
  ages_h.resize(rows);
  errors.resize(rows * kLeads);
  gains.resize(rows * kLeads);
  if (next_error_issue + kLeads >= from)
    next_error_issue = std::max(first_error_issue, from - std::min(from, kLeads));
}

void WeatherModel::Use(std::shared_ptr<const WeatherArchive> archive) {
  if (archive == archive_) return;
  const auto& before = archive_->runs();
  const auto& now = archive->runs();
  const bool has_grown = !before.empty() && before.size() <= now.size() &&
                         std::equal(before.begin(), before.end(), now.begin());
  archive_ = std::move(archive);  // `before` is gone after this
  if (has_grown) return;
  past_ = {};
  fits_.clear();
}

std::optional<WeatherPath> WeatherModel::Expect(std::size_t issue, Time now) {
  auto own = own_.Expect(issue);
  if (!own) return std::nullopt;
  WeatherPath result;
  const std::int64_t period = PeriodOf(issue);
  if (FitOf(period).maps.empty()) {
    result.path = *std::move(own);
    return result;
  }
  Fit& fit = WithRecord(period);
  result = BothStages(fit, *own, issue, now);
  for (std::size_t lead = 0; lead < result.weight.size(); ++lead) {
    const double weight = result.weight[lead] *= fit.shares[lead];
    double& deviation = result.path.deviation[lead];
    deviation = own->deviation[lead] + weight * (deviation - own->deviation[lead]);
    for (double& share : result.effects[lead]) share *= weight;
  }
  if (!result.weight.empty()) AddBand(fit, *own, issue, now, result);
  return result;
}

WeatherModel::Fit& WeatherModel::FitOf(std::int64_t period) {
  const auto found = fits_.find(period);
  if (found != fits_.end()) return found->second;
  // The next question is usually about a moment near the last one.
  if (fits_.size() >= kMostFits) {
    const bool low_is_farther = period - fits_.begin()->first > fits_.rbegin()->first - period;
    fits_.erase(low_is_farther ? fits_.begin() : std::prev(fits_.end()));
  }
  return fits_[period] = MakeFit(BoundaryOf(period));
}

// Fits from what was known when the period began.
WeatherModel::Fit WeatherModel::MakeFit(std::size_t boundary) {
  Fit fit;
  fit.first_error_issue = fit.next_error_issue = boundary;
  if (boundary < kLeastHours) return fit;
  past_.Extend(*archive_, grid(), boundary - kSettledHours);
  fit.map = WeatherMap::Fit(grid(), past_, boundary - kSettledHours);
  if (!fit.map) return fit;
  const std::size_t end = boundary - kUnsettled;
  ExtendSettled(fit, end);
  PastSums sums;
  for (std::size_t issue = kWarmUpHours; issue + kLeads < end; ++issue) {
    const std::size_t first = issue + 1 - kPastHours, last = issue + 1 + kLeads;
    if (grid().UnknownBefore(last) != grid().UnknownBefore(first)) continue;
    if (past_.UnknownBefore(last) - past_.UnknownBefore(first) > kMostUnknown) continue;
    sums.AddRow(fit.rest, issue, grid().BeginOf(issue), {});
  }
  fit.maps = sums.Solve();
  return fit;
}

// Appends the rest of the hours before `end`, whose weather is settled.
void WeatherModel::ExtendSettled(Fit& fit, std::size_t end) {
  fit.rest.Truncate(fit.settled);
  if (end <= fit.settled) return;
  const auto effects = fit.map->Effects(past_.deviations(), fit.settled, end);
  const TypicalDays& days = grid().days();
  for (std::size_t hour = fit.settled; hour < end; ++hour) {
    double effect = 0;
    // The first days have no effect, because there is no typical day before them that gives a
    // level.
    if (hour >= kWarmUpHours) {
      for (const double share : effects[hour - fit.settled]) effect += share;
      effect *= days.Level(hour - kHoursPerDay);
    }
    const bool counts = grid().UnknownBefore(hour + 1) == grid().UnknownBefore(hour);
    fit.rest.Append(days.value(hour) - effect, counts);
  }
  fit.settled = end;
}

WeatherPath WeatherModel::BothStages(Fit& fit, const HourlyPath& own, std::size_t issue, Time now) {
  WeatherPath result;
  result.path.typical = own.typical;
  result.path.deviation = own.deviation;
  const std::size_t settled = issue + 1 - kSettledHours, fixed = issue + 1 - kUnsettled;
  past_.Extend(*archive_, grid(), settled);
  // A question about an earlier moment must not see hours that were settled later.
  fit.settled = std::min(fit.settled, fixed);
  ExtendSettled(fit, fixed);
  const WeatherDeviations deviations = DeviationsAt(
      *archive_, grid(), past_, settled, fixed - kReachBack, issue + 1 + kLeads + kHoursAfter, now);
  if (!RecentWeatherIsKnown(deviations, issue)) return result;
  auto effects = fit.map->Effects(deviations, fixed, issue + 1 + kLeads);
  const TypicalDays& days = grid().days();
  for (std::size_t hour = fixed; hour <= issue; ++hour) {
    double effect = 0;
    for (const double share : effects[hour - fixed]) effect += share;
    const bool counts = grid().UnknownBefore(hour + 1) == grid().UnknownBefore(hour);
    fit.rest.Append(days.value(hour) - days.Level(hour - kHoursPerDay) * effect, counts);
  }
  const std::vector<double> rest = Predict(fit.maps, fit.rest, issue, grid().BeginOf(issue), {});
  const double level = days.Level(issue);
  effects.erase(effects.begin(), effects.end() - kLeads);
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    double value = fit.rest.Ahead(issue, lead) + rest[lead];
    for (double& share : effects[lead]) value += share *= level;
    const Coverage coverage = deviations.CoverageOf(issue + 1 + lead);
    const bool known = coverage != Coverage::kNone;
    if (known) result.path.deviation[lead] = value - own.typical[lead];
    result.weight.push_back(known ? 1 : 0);
    result.coverage.push_back(coverage);
    result.departures.push_back(DeparturesOf(deviations.Of(issue + 1 + lead)));
  }
  result.effects = std::move(effects);
  result.run = archive_->Latest(now);
  return result;
}

bool WeatherModel::RecentWeatherIsKnown(const WeatherDeviations& deviations,
                                        std::size_t issue) const {
  std::size_t known = 0;
  for (std::size_t back = 0; back < kHoursPerDay; ++back)
    if (deviations.CoverageOf(issue - back) == Coverage::kRun) ++known;
  return known >= kLeastRecentHours;
}

// Adds the errors of a period's fit in its own hours, for targets before `boundary`.
void WeatherModel::AddErrors(std::int64_t period, std::size_t boundary) {
  Fit& fit = FitOf(period);
  if (fit.maps.empty()) return;
  const std::size_t end = BoundaryOf(period + 1);
  for (std::size_t& issue = fit.next_error_issue; issue < end && issue + kLeads < boundary;
       ++issue) {
    if (grid().UnknownBefore(issue + 1 + kLeads) != grid().UnknownBefore(issue + 1 - kPastHours))
      continue;
    const auto own = own_.Expect(issue);
    if (!own) continue;
    const Time begin = grid().BeginOf(issue);
    const Time now = publication_.Of({begin, begin + kHour});
    const WeatherPath path = BothStages(fit, *own, issue, now);
    if (path.weight.empty()) continue;
    const auto errors = RelativeErrors(grid().days(), issue, path.path.deviation);
    fit.errors.insert(fit.errors.end(), errors.begin(), errors.end());
    const double level = grid().days().Level(issue);
    for (std::size_t lead = 0; lead < kLeads; ++lead)
      fit.gains.push_back((path.path.deviation[lead] - own->deviation[lead]) / level);
    fit.error_issues.push_back(issue);
    fit.ages_h.push_back(Hours(now - path.run->issued));
  }
}

WeatherModel::Fit& WeatherModel::WithRecord(std::int64_t period) {
  if (Fit& fit = FitOf(period); fit.has_record) return fit;
  const std::size_t boundary = BoundaryOf(period);
  std::vector<double> errors, gains, ages;
  std::vector<std::size_t> issues;
  for (std::int64_t earlier = std::max(period - kErrorPeriods, PeriodOf(0)); earlier < period;
       ++earlier) {
    AddErrors(earlier, boundary);
    const Fit& fit = FitOf(earlier);
    for (std::size_t row = 0; row < fit.error_issues.size(); ++row) {
      const std::size_t issue = fit.error_issues[row];
      if (issue + kLeads >= boundary || issue + kErrorHours < boundary) continue;
      const auto first = static_cast<std::ptrdiff_t>(row * kLeads);
      const auto last = first + static_cast<std::ptrdiff_t>(kLeads);
      errors.insert(errors.end(), fit.errors.begin() + first, fit.errors.begin() + last);
      gains.insert(gains.end(), fit.gains.begin() + first, fit.gains.begin() + last);
      issues.push_back(issue);
      ages.push_back(fit.ages_h[row]);
    }
  }
  Fit& fit = FitOf(period);
  fit.has_record = true;
  fit.shares = SharesOf(errors, gains, issues.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] += (1 - fit.shares[i % kLeads]) * gains[i];
  fit.bands = BandsOf(errors, issues);
  fit.usual_age_h = ages.empty() ? 0 : Quantile(ages, kUsualAge);
  return fit;
}

// If a run is older than usual, its errors are taken from a lead that is longer by the difference.
// While the record with weather is short, the band is the band of the own past.
void WeatherModel::AddBand(const Fit& fit, const HourlyPath& own, std::size_t issue, Time now,
                           WeatherPath& result) const {
  if (own.low.empty()) return;
  if (fit.bands.low.empty()) {
    result.path.low = own.low;
    result.path.high = own.high;
    return;
  }
  const double level = grid().days().Level(issue);
  const double stale_h = std::max(0.0, Hours(now - result.run->issued) - fit.usual_age_h);
  const std::size_t row = issue % kHoursPerDay * kLeads;
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    const auto like = row + std::min(kLeads - 1, lead + static_cast<std::size_t>(stale_h));
    const bool known = result.coverage[lead] != Coverage::kNone;
    result.path.low.push_back(known ? std::min(0.0, fit.bands.low[like] * level) : own.low[lead]);
    result.path.high.push_back(known ? std::max(0.0, fit.bands.high[like] * level)
                                     : own.high[lead]);
  }
}

}  // namespace ebb::forecast
