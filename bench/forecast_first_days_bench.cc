// Measures the value of typical days while little of a zone's own past is known: the error of the
// day ahead, and the emissions in the lowest windows chosen by the forecast.
//
//   forecast_first_days_bench TRACE.csv ZONE FROM TO
//
// A forecast is made every 13 hours from FROM to TO, with 1, 3, 7 and 14 days of past and nothing
// before them; each hour is known an hour after its end. Prints a row for each length of the past
// and method: the mean absolute error over the next 24 h, and the average grams of a load of 1 kW
// for four hours that starts at once, at the lowest window of the forecast, and at the lowest
// actual window. bench/forecast-first-days makes figures of them.
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "forecast/typical_forecaster.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/traces/trace_csv.h"

namespace ebb {
namespace {

using std::chrono::days;
using std::chrono::hours;

constexpr int kDay = 24, kWindow = 4;
constexpr std::array kPasts{1, 3, 7, 14};
constexpr Duration kBetween{hours{13}};

using ByHour = std::array<double, kDay>;

struct Sums {
  double error = 0, at_once = 0, chosen = 0, best = 0;
  int moments = 0;
};

// The values of a day by hour; nullopt if an hour is missing.
std::optional<ByHour> DayFrom(const core::IntensitySeries& series, Time now) {
  ByHour day{};
  for (int hour = 0; hour < kDay; ++hour) {
    const auto mean = series.Mean({now + hours{hour}, now + hours{hour + 1}});
    if (!mean || mean->coverage < 1) return std::nullopt;
    day[static_cast<std::size_t>(hour)] = mean->intensity.g_per_kwh;
  }
  return day;
}

double WindowAt(const ByHour& day, int begin) {
  double sum = 0;
  for (int hour = begin; hour < begin + kWindow; ++hour) sum += day[static_cast<std::size_t>(hour)];
  return sum / kWindow;
}

int LowestWindow(const ByHour& day) {
  int lowest = 0;
  for (int begin = 1; begin + kWindow <= kDay; ++begin)
    if (WindowAt(day, begin) < WindowAt(day, lowest)) lowest = begin;
  return lowest;
}

void Add(const ByHour& expected, const ByHour& came, Sums& sums) {
  for (std::size_t hour = 0; hour < came.size(); ++hour)
    sums.error += std::fabs(expected[hour] - came[hour]) / kDay;
  sums.at_once += WindowAt(came, 0);
  sums.chosen += WindowAt(came, LowestWindow(expected));
  sums.best += WindowAt(came, LowestWindow(came));
  ++sums.moments;
}

Status Measure(const std::string& trace_path, const std::string& zone, Interval issues) {
  EBB_ASSIGN_OR_RETURN(const signals::Trace trace, signals::LoadTrace(trace_path));
  const auto typical = signals::TypicalYearOf(zone);
  if (!typical) return Fail({ExitCode::kConfiguration, "no typical days of " + zone, "", ""});
  std::map<std::pair<int, std::string>, Sums> sums;
  for (Time now = issues.begin; now < issues.end; now += kBetween) {
    const auto came = DayFrom(trace.series, now);
    if (!came) continue;
    for (const int past : kPasts) {
      const auto seen = trace.series.Slice({now - days{past}, now + days{1}});
      std::vector<std::unique_ptr<forecast::Forecaster>> methods;
      methods.push_back(forecast::MakeEarlyForecaster(typical));
      for (const auto name : {forecast::kPersistence, forecast::kSeasonalNaive}) {
        EBB_ASSIGN_OR_RETURN(auto method, forecast::MakeForecaster(name));
        methods.push_back(std::move(method));
      }
      for (auto& method : methods) {
        const std::string name(method->name());
        const auto published = forecast::AsPublished(std::move(method), core::kMeasuredPublication);
        EBB_ASSIGN_OR_RETURN(const auto ahead, published->At(seen, now, hours{kDay}));
        if (const auto expected = DayFrom(ahead.series, now))
          Add(*expected, *came, sums[{past, name}]);
      }
    }
  }
  for (const auto& [key, sum] : sums) {
    const double count = sum.moments;
    std::printf("%s,%d,%s,%.3f,%.3f,%.3f,%.3f,%d\n", zone.c_str(), key.first, key.second.c_str(),
                sum.error / count, sum.at_once / count, sum.chosen / count, sum.best / count,
                sum.moments);
  }
  return {};
}

Status MeasureAll(const std::vector<std::string>& words) {
  if (words.size() != 4) return Fail({ExitCode::kUsage, "TRACE ZONE FROM TO", "", ""});
  Interval issues;
  EBB_ASSIGN_OR_RETURN(issues.begin, ParseTime(words[2]));
  EBB_ASSIGN_OR_RETURN(issues.end, ParseTime(words[3]));
  std::puts("zone,past_days,method,mae,at_once,chosen,best,moments");
  return Measure(words[0], words[1], issues);
}

}  // namespace
}  // namespace ebb

int main(int count, char** words) {
  const auto status = ebb::MeasureAll({words + 1, words + count});
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().Message().c_str());
  return 1;
}
