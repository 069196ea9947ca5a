#include "signals/http/payload_points.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr Duration kOneHour{std::chrono::hours{1}};
constexpr Duration kShortestStep{std::chrono::minutes{1}};
constexpr Duration kLongestStep{std::chrono::hours{24}};

Status CheckValue(const Point& point, const std::string& where) {
  if (!point.value || (*point.value >= 0 && *point.value <= kHighestPossibleGPerKwh)) return {};
  return Fail({ExitCode::kUnavailable,
               "the value " + FormatExact(*point.value) + " at " + FormatTime(point.begin) +
                   " cannot be gCO2eq/kWh",
               where, "check what unit the address answers in"});
}

// Orders the points by time and leaves one per time; the better status is sorted first, so that
// std::unique keeps it.
void OrderAndMerge(std::vector<Point>& points) {
  std::reverse(points.begin(), points.end());
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    const auto rank = [](const Point& point) {
      return std::tuple(point.begin, !point.value, point.status);
    };
    return rank(a) < rank(b);
  });
  const auto same_time = [](const Point& a, const Point& b) { return a.begin == b.begin; };
  points.erase(std::unique(points.begin(), points.end(), same_time), points.end());
}

Duration ShortestDistance(const std::vector<Point>& points) {
  Duration shortest = kLongestStep;
  for (std::size_t i = 1; i < points.size(); ++i)
    shortest = std::min(shortest, Duration(points[i].begin - points[i - 1].begin));
  return points.size() < 2 ? kOneHour : std::max(shortest, kShortestStep);
}

}  // namespace

Result<std::optional<double>> NumberOrNull(const JsonNode& row, std::string_view member,
                                           const std::string& where) {
  const JsonNode* node = row.Find(member);
  if (node && node->is_null()) return std::optional<double>();
  if (const auto number = node ? node->AsNumber() : std::nullopt) return number;
  return Fail({ExitCode::kUnavailable,
               "a row's " + std::string(member) + (node ? " is not a number" : " is missing"),
               where, "compare the answer with the provider's documentation"});
}

Result<Time> TimeMember(const JsonNode& row, std::string_view member, const std::string& where) {
  if (const auto time = row.TimeOf(member)) return *time;
  return Fail(
      {ExitCode::kUnavailable,
       "a row's " + std::string(member) + (row.Find(member) ? " is not a time" : " is missing"),
       where, "compare the answer with the provider's documentation"});
}

Result<std::vector<core::Sample>> SamplesFrom(std::vector<Point> points,
                                              std::optional<Duration> step,
                                              const std::string& where) {
  for (const Point& point : points) EBB_RETURN_IF_ERROR(CheckValue(point, where));
  OrderAndMerge(points);
  const Duration length = step.value_or(ShortestDistance(points));
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    Time end = point.end.value_or(point.begin + length);
    if (end <= point.begin)
      return Fail({ExitCode::kUnavailable,
                   "the interval at " + FormatTime(point.begin) + " ends before it begins", where,
                   "compare the answer with the provider's documentation"});
    if (i + 1 < points.size()) end = std::min(end, points[i + 1].begin);
    if (point.value) samples.push_back({{point.begin, end}, Intensity{*point.value}, point.status});
  }
  return samples;
}

}  // namespace ebb::signals
