#include "audit/figures/accounts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ebb::audit {
namespace {

constexpr double kMicrojoulesPerKwh = 3.6e12;
constexpr Ms kMinute = 60'000;

__extension__ using Wide = __int128;

// The first step that ends after `time`.
Steps::const_iterator EndingAfter(const Steps& steps, Ms time) {
  return std::upper_bound(steps.begin(), steps.end(), time,
                          [](Ms t, const Step& step) { return t < step.span.end; });
}

double FacilityKwh(const Row& row) {
  return static_cast<double>(row.microjoules) / kMicrojoulesPerKwh * row.pue;
}

// Steps laid over each other: a step that is painted later covers the earlier ones.
class Painting {
 public:
  void Paint(const Step& step) {
    Cut(step.span.begin);
    Cut(step.span.end);
    steps_.erase(steps_.lower_bound(step.span.begin), steps_.lower_bound(step.span.end));
    steps_[step.span.begin] = step;
  }
  Steps Take() const {
    Steps steps;
    for (const auto& [begin, step] : steps_) steps.push_back(step);
    return steps;
  }

 private:
  void Cut(Ms at) {
    auto after = steps_.lower_bound(at);
    if (after == steps_.begin()) return;
    Step& before = std::prev(after)->second;
    if (before.span.end <= at) return;
    Step rest = before;
    rest.span.begin = at;
    before.span.end = at;
    steps_[at] = rest;
  }
  std::map<Ms, Step> steps_;
};

// The parts of `span` that no step of `steps` covers.
std::vector<Span> GapsIn(const Steps& steps, Span span) {
  std::vector<Span> gaps;
  Ms from = span.begin;
  for (auto it = EndingAfter(steps, span.begin); it != steps.end() && it->span.begin < span.end;
       ++it) {
    if (it->span.begin > from) gaps.push_back({from, it->span.begin});
    from = it->span.end;
  }
  if (from < span.end) gaps.push_back({from, span.end});
  return gaps;
}

Ms WallAt(const Row& row, Span place, Ms at) {
  return row.wall.begin +
         static_cast<Ms>(static_cast<Wide>(at - place.begin) * row.wall.length() / place.length());
}

void SetValue(Row& part, Steps::const_iterator step, const Steps& steps, Ms at) {
  part.g_per_kwh.reset();
  part.status = 0;
  if (step == steps.end() || step->span.begin > at) return;
  part.g_per_kwh = step->value;
  part.status = step->status;
}

}  // namespace

double Row::grams() const {
  return g_per_kwh ? static_cast<double>(microjoules) / kMicrojoulesPerKwh * pue * *g_per_kwh : 0;
}

std::int64_t EnergyBefore(std::int64_t microjoules, Span whole, Ms until) {
  if (until <= whole.begin) return 0;
  if (until >= whole.end) return microjoules;
  return static_cast<std::int64_t>(static_cast<Wide>(microjoules) * (until - whole.begin) /
                                   whole.length());
}

Steps AccountingSteps(const Steps& version, const Rows& rows) {
  // The steps from the worst to the best, because later ones cover earlier ones. A row without
  // length is worse than a row of any length.
  std::array<std::vector<Step>, 2 * kStatuses.size()> said;
  for (const Row& row : rows) {
    if (!row.g_per_kwh) continue;
    const bool is_moment = row.grid.length() == 0;
    const Span span{row.grid.begin, is_moment ? row.grid.begin + 1 : row.grid.end};
    const auto better = kStatuses.size() - 1 - static_cast<std::size_t>(row.status);
    for (const Span& gap : GapsIn(version, span))
      said[better + (is_moment ? 0 : kStatuses.size())].push_back(
          {gap, *row.g_per_kwh, row.status});
  }
  Painting painting;
  for (const std::vector<Step>& steps : said)
    for (const Step& step : steps) painting.Paint(step);
  Steps all = painting.Take();
  all.insert(all.end(), version.begin(), version.end());
  std::sort(all.begin(), all.end(),
            [](const Step& a, const Step& b) { return a.span.begin < b.span.begin; });
  return all;
}

void AddParts(const Row& row, Span place, const Steps& signal, Rows& parts) {
  Row part = row;
  if (place.length() == 0 || row.wall.length() == 0) {
    part.grid = place;
    SetValue(part, EndingAfter(signal, place.begin), signal, place.begin);
    parts.push_back(part);
    return;
  }
  auto step = EndingAfter(signal, place.begin);
  for (Ms begin = place.begin; begin < place.end;) {
    const bool is_known = step != signal.end() && step->span.begin <= begin;
    Ms end = place.end;
    if (step != signal.end()) end = std::min(end, is_known ? step->span.end : step->span.begin);
    part.grid = {begin, end};
    part.wall = {WallAt(row, place, begin), WallAt(row, place, end)};
    part.microjoules =
        EnergyBefore(row.microjoules, place, end) - EnergyBefore(row.microjoules, place, begin);
    SetValue(part, step, signal, begin);
    parts.push_back(part);
    if (is_known && step->span.end <= end) ++step;
    begin = end;
  }
}

Rows Revalued(const Rows& rows, const Steps& signal) {
  Rows parts;
  parts.reserve(rows.size());
  for (const Row& row : rows) AddParts(row, row.grid, signal, parts);
  return parts;
}

namespace {

struct AttemptSpan {
  int attempt = 0;
  Span span;
  Ms gap_before = 0;  // total time without any attempt before this one begins
};

std::vector<AttemptSpan> AttemptsOf(const Rows& rows) {
  std::map<int, Span> spans;
  for (const Row& row : rows) {
    Span& span = spans.try_emplace(row.attempt, row.grid).first->second;
    span = {std::min(span.begin, row.grid.begin), std::max(span.end, row.grid.end)};
  }
  std::vector<AttemptSpan> attempts;
  for (const auto& [attempt, span] : spans) attempts.push_back({attempt, span, 0});
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
  Ms gap = 0;
  for (std::size_t i = 1, last = 0; i < attempts.size(); ++i) {
    if (attempts[i].span.begin > attempts[last].span.end)
      gap += attempts[i].span.begin - attempts[last].span.end;
    attempts[i].gap_before = gap;
    if (attempts[i].span.end > attempts[last].span.end) last = i;
  }
  return attempts;
}

}  // namespace

Span Extent(const Rows& rows) {
  if (rows.empty()) return {};
  Span span = rows.front().grid;
  for (const Row& row : rows)
    span = {std::min(span.begin, row.grid.begin), std::max(span.end, row.grid.end)};
  return span;
}

std::vector<Span> PlacesFrom(const Rows& rows, Ms start) {
  std::map<int, Ms> gaps;
  for (const AttemptSpan& attempt : AttemptsOf(rows)) gaps[attempt.attempt] = attempt.gap_before;
  const Ms first = Extent(rows).begin;
  std::vector<Span> places;
  places.reserve(rows.size());
  for (const Row& row : rows) {
    const Ms shift = start - first - gaps.at(row.attempt);
    places.push_back({row.grid.begin + shift, row.grid.end + shift});
  }
  return places;
}

bool HasPaused(const Rows& rows) {
  const auto attempts = AttemptsOf(rows);
  return !attempts.empty() && attempts.back().gap_before > 0;
}

Rows MovedTo(const Rows& rows, Ms start, const Steps& signal) {
  const std::vector<Span> places = PlacesFrom(rows, start);
  Rows parts;
  parts.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row moved = rows[i];
    moved.wall = places[i];
    AddParts(moved, places[i], signal, parts);
  }
  return parts;
}

void Sums::Add(const Row& row, std::int64_t energy) {
  microjoules += energy;
  facility += std::llround(static_cast<double>(energy) / 1e6 * row.pue * 1e6);
  by_component[static_cast<std::size_t>(row.component)] += energy;
  by_source[static_cast<std::size_t>(row.source)] += energy;
  if (!row.g_per_kwh) {
    without += energy;
    return;
  }
  grams += static_cast<double>(energy) / kMicrojoulesPerKwh * row.pue * *row.g_per_kwh;
  by_status[static_cast<std::size_t>(row.status)] += energy;
}

std::optional<double> Sums::MeanIntensity() const {
  const std::int64_t known = microjoules - without;
  if (known <= 0 || facility <= 0) return std::nullopt;
  const double pue = static_cast<double>(facility) / static_cast<double>(microjoules);
  return grams / (static_cast<double>(known) / kMicrojoulesPerKwh * pue);
}

Sums SumsOf(const Rows& rows) {
  Sums sums;
  for (const Row& row : rows) sums.Add(row, row.microjoules);
  return sums;
}

Sums SumsWithin(const Rows& rows, Span wall) {
  Sums sums;
  for (const Row& row : rows) {
    const bool is_moment = row.wall.length() == 0;
    const bool inside = row.wall.begin >= wall.begin && row.wall.begin < wall.end;
    const std::int64_t energy =
        is_moment ? (inside ? row.microjoules : 0)
        : std::min(row.wall.end, wall.end) <= std::max(row.wall.begin, wall.begin)
            ? 0
            : EnergyBefore(row.microjoules, row.wall, wall.end) -
                  EnergyBefore(row.microjoules, row.wall, wall.begin);
    if (energy != 0) sums.Add(row, energy);
  }
  return sums;
}

Rows OnOther(const Rows& rows) {
  const auto first =
      std::find_if(rows.begin(), rows.end(), [](const Row& r) { return r.has_other; });
  if (first == rows.end()) return {};
  Rows others = rows;
  for (Row& row : others) {
    row.g_per_kwh = row.has_other ? row.other_g_per_kwh : std::nullopt;
    row.status = row.has_other ? row.other_status : 0;
    row.has_other = false;
  }
  return others;
}

Alternative AlternativeOf(const Rows& rows, Ms start) {
  Alternative result{start, 0, 0};
  for (const Row& row : rows) {
    result.grams += row.grams();
    if (!row.g_per_kwh) result.without += row.microjoules;
  }
  return result;
}

namespace {

// The facility energy used up to each offset from the beginning of the run, with pauses closed up.
// The curve is a straight line between two offsets at which a row begins or ends.
class EnergyCurve {
 public:
  explicit EnergyCurve(const Rows& rows) {
    const std::vector<Span> places = PlacesFrom(rows, 0);
    std::map<Ms, double> changes;  // changes of power in kWh/ms
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Ms end = std::max(places[i].end, places[i].begin + 1);
      const double power = FacilityKwh(rows[i]) / static_cast<double>(end - places[i].begin);
      changes[places[i].begin] += power;
      changes[end] -= power;
    }
    double kwh = 0, power = 0;
    Ms before = 0;
    for (const auto& [at, change] : changes) {
      kwh += power * static_cast<double>(at - before);
      power += change;
      points_.push_back({at, kwh, power});
      before = at;
    }
  }

  Ms length() const { return points_.empty() ? 0 : points_.back().at; }
  double Before(Ms offset) const {
    if (points_.empty() || offset <= points_.front().at) return 0;
    if (offset >= points_.back().at) return points_.back().kwh;
    const auto after =
        std::upper_bound(points_.begin(), points_.end(), offset,
                         [](Ms wanted, const Point& point) { return wanted < point.at; });
    const Point& point = *std::prev(after);
    return point.kwh + point.power * static_cast<double>(offset - point.at);
  }

 private:
  struct Point {
    Ms at;
    double kwh, power;
  };
  std::vector<Point> points_;
};

// The emissions in grams if the run starts at `start`; nullopt if `published` has no value for a
// part of the run.
std::optional<double> GramsAt(const EnergyCurve& curve, Ms start, const Steps& published) {
  const Ms end = start + std::max<Ms>(curve.length(), 1);
  double grams = 0;
  Ms known_until = start;
  for (auto step = EndingAfter(published, start); step != published.end(); ++step) {
    if (step->span.begin > known_until) return std::nullopt;
    const Ms until = std::min(step->span.end, end);
    grams += step->value * (curve.Before(until - start) - curve.Before(known_until - start));
    known_until = until;
    if (known_until >= end) return grams;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> MeanOver(const Steps& steps, Span span) {
  if (span.length() == 0) span.end = span.begin + 1;
  double sum = 0;
  Ms known_until = span.begin;
  for (auto step = EndingAfter(steps, span.begin); step != steps.end(); ++step) {
    if (step->span.begin > known_until) return std::nullopt;
    const Ms until = std::min(step->span.end, span.end);
    sum += step->value * static_cast<double>(until - known_until);
    known_until = until;
    if (known_until >= span.end) return sum / static_cast<double>(span.length());
  }
  return std::nullopt;
}

std::vector<std::optional<double>> GramsFrom(const Rows& rows, const std::vector<Ms>& starts,
                                             const Steps& published) {
  const EnergyCurve curve(rows);
  std::vector<std::optional<double>> grams;
  for (const Ms start : starts) grams.push_back(GramsAt(curve, start, published));
  return grams;
}

std::optional<Alternative> LowestStart(const Rows& rows, Span starts, const Steps& published) {
  const EnergyCurve curve(rows);
  std::optional<Ms> best;
  double fewest = 0;
  for (Ms start = starts.begin; start <= starts.end; start += kMinute) {
    const auto grams = GramsAt(curve, start, published);
    if (!grams || (best && *grams >= fewest)) continue;
    best = start;
    fewest = *grams;
  }
  if (!best) return std::nullopt;
  return AlternativeOf(MovedTo(rows, *best, published), *best);
}

namespace {

constexpr double kMostPlaces = 20'000;
constexpr double kMostStretches = 288;

// The energy in kWh of each of `count` stretches of equal length, in order.
std::vector<double> StretchKwh(const Rows& rows, double length, std::size_t count) {
  const std::vector<Span> places = PlacesFrom(rows, 0);
  const double stretch = length / static_cast<double>(count);
  std::vector<double> kwh(count, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto begin = static_cast<double>(places[i].begin);
    const double end = std::max(static_cast<double>(places[i].end), begin + 1);
    const double power = FacilityKwh(rows[i]) / (end - begin);
    auto k = std::min(static_cast<std::size_t>(begin / stretch), count - 1);
    double from = begin;
    while (k + 1 < count && static_cast<double>(k + 1) * stretch < end) {
      const double to = static_cast<double>(k + 1) * stretch;
      kwh[k++] += power * (to - from);
      from = to;
    }
    kwh[k] += power * (end - from);
  }
  return kwh;
}

}  // namespace

std::optional<Alternative> LowestWithPauses(const Rows& rows, Span window, const Steps& published,
                                            std::optional<Ms> start) {
  Ms last = 0;
  for (const Span& place : PlacesFrom(rows, 0)) last = std::max(last, place.end);
  const auto length = static_cast<double>(last), room = static_cast<double>(window.length());
  if (length <= 0 || room < length) return std::nullopt;
  const auto count = static_cast<std::size_t>(
      std::clamp(std::floor(kMostPlaces * length / room), 1.0, kMostStretches));
  const double place_length = length / static_cast<double>(count);
  const std::vector<double> kwh = StretchKwh(rows, length, count);
  const auto place = [&](std::size_t i) {
    return window.begin + std::llround(static_cast<double>(i) * place_length);
  };
  struct Best {
    double grams = std::numeric_limits<double>::infinity();
    Ms start = 0;
  };
  std::vector<Best> best(count + 1);
  best[0].grams = 0;
  for (std::size_t i = 0; place(i + 1) <= window.end; ++i) {
    const auto mean = MeanOver(published, {place(i), place(i + 1)});
    if (!mean) continue;
    const std::size_t first = start && *start != place(i) ? 2 : 1;
    for (std::size_t done = std::min(count, i + 1); done >= first; --done) {
      const double grams = best[done - 1].grams + kwh[done - 1] * *mean;
      if (grams < best[done].grams)
        best[done] = {grams, done == 1 ? place(i) : best[done - 1].start};
    }
  }
  if (std::isinf(best.back().grams)) return std::nullopt;
  return Alternative{best.back().start, best.back().grams, 0};
}

Cost CostOf(const Rows& rows, const std::vector<Span>& places, const Steps& prices) {
  Cost cost;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double kwh = FacilityKwh(rows[i]);
    Span place = places[i];
    if (place.length() == 0) place.end = place.begin + 1;
    Ms known = 0;
    double amount = 0;
    for (auto step = EndingAfter(prices, place.begin);
         step != prices.end() && step->span.begin < place.end; ++step) {
      const Ms part = std::min(step->span.end, place.end) - std::max(step->span.begin, place.begin);
      amount += step->value * static_cast<double>(part);
      known += part;
    }
    const auto length = static_cast<double>(place.length());
    cost.amount += kwh * amount / length;
    cost.priced_kwh += kwh * static_cast<double>(known) / length;
    if (known < place.length())
      cost.unpriced_kwh += kwh * static_cast<double>(place.length() - known) / length;
  }
  return cost;
}

}  // namespace ebb::audit
