// Measures the correlation of errors of the carbon intensity at different hours, which
// core/run/uncertainty.h needs for the uncertainty of a saving. A saving compares two sets of
// hours: an error that both share cancels, an independent error of each hour does not.
//
//   intensity_errors_bench TRACE.csv...
//
// Errors are relative, truth / expected - 1, for two kinds of expectation: Ebb's own forecast,
// issued at every hour of the day in turn, and typical days (the mean of month and hour in the year
// before). Hours whose expected value is less than a fifth of the mean are left out. The
// correlation is the mean product of the errors of two hours over the mean square, up to a day
// apart and one to four days apart.
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "forecast/better_on_record.h"
#include "signals/traces/trace_csv.h"

namespace ebb {
namespace {

using std::chrono::days;
using std::chrono::hours;

constexpr int kHours = 96;

// The agreement of errors within a forecast, over many forecasts.
struct Agreement {
  double products_day = 0, products_days = 0, squares = 0;
  double pairs_day = 0, pairs_days = 0, rows = 0;

  void Add(const std::vector<std::pair<int, double>>& errors) {
    for (std::size_t i = 0; i < errors.size(); ++i) {
      squares += errors[i].second * errors[i].second;
      ++rows;
      for (std::size_t j = i + 1; j < errors.size(); ++j) {
        const bool within_day = errors[j].first - errors[i].first < 24;
        (within_day ? products_day : products_days) += errors[i].second * errors[j].second;
        ++(within_day ? pairs_day : pairs_days);
      }
    }
  }
  void Print(const char* what) const {
    const double mean_square = squares / rows;
    std::printf(
        "  %-13s error %4.1f %% (root mean square), correlation %.2f within a day, %.2f one "
        "to four days apart\n",
        what, 100 * std::sqrt(mean_square), products_day / pairs_day / mean_square,
        products_days / pairs_days / mean_square);
  }
};

std::optional<double> Truth(const core::IntensitySeries& series, Time hour) {
  const auto mean = series.Mean({hour, hour + hours{1}});
  if (!mean || mean->coverage < 1) return std::nullopt;
  return mean->intensity.g_per_kwh;
}

template <typename Expected>
std::vector<std::pair<int, double>> ErrorsFrom(const core::IntensitySeries& series, Time issued,
                                               double least, Expected expected) {
  std::vector<std::pair<int, double>> errors;
  for (int hour = 0; hour < kHours; ++hour) {
    const Time begin = issued + hours{hour};
    const auto truth = Truth(series, begin);
    const std::optional<double> wanted = expected(begin);
    if (truth && wanted && *wanted > least) errors.emplace_back(hour, *truth / *wanted - 1);
  }
  return errors;
}

using MonthAndHour = std::pair<unsigned, int>;

MonthAndHour KindOf(Time hour) {
  const std::chrono::year_month_day date(std::chrono::floor<days>(hour));
  return {static_cast<unsigned>(date.month()),
          static_cast<int>((hour - std::chrono::floor<days>(hour)) / hours{1})};
}

// Typical days of the first year of the series.
std::map<MonthAndHour, double> TypicalDays(const core::IntensitySeries& series, Time until) {
  std::map<MonthAndHour, std::pair<double, int>> sums;
  for (Time hour = series.span().begin; hour < until; hour += hours{1})
    if (const auto truth = Truth(series, hour)) {
      auto& [sum, count] = sums[KindOf(hour)];
      sum += *truth;
      ++count;
    }
  std::map<MonthAndHour, double> means;
  for (const auto& [kind, sum] : sums) means[kind] = sum.first / sum.second;
  return means;
}

int Measure(const char* file) {
  const auto trace = signals::LoadTrace(file, {});
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().Message().c_str());
    return 4;
  }
  const core::IntensitySeries& series = trace->series;
  const Interval span = series.span();
  // A relative error near 0 says nothing.
  const double least = 0.2 * series.Mean(span)->intensity.g_per_kwh;
  const bool is_long = span.length() > days{500};
  const Time from = span.begin + (is_long ? days{366} : days{150});
  const auto forecaster = forecast::MakeBestForecaster();
  const auto typical = TypicalDays(series, from);
  Agreement of_forecast, of_typical;
  for (Time issued = from; issued + hours{kHours} < span.end; issued += hours{31}) {
    const auto ahead = forecaster->At(series, issued, hours{kHours});
    if (!ahead) continue;
    of_forecast.Add(
        ErrorsFrom(series, issued, least, [&](Time hour) { return Truth(ahead->series, hour); }));
    if (!is_long) continue;
    of_typical.Add(ErrorsFrom(series, issued, least, [&](Time hour) {
      const auto found = typical.find(KindOf(hour));
      return found == typical.end() ? std::nullopt : std::optional(found->second);
    }));
  }
  std::printf("%s\n", series.identity().source.c_str());
  of_forecast.Print("forecast");
  if (is_long) of_typical.Print("typical days");
  return 0;
}

}  // namespace
}  // namespace ebb

int main(int count, char** words) {
  int code = 0;
  for (int i = 1; i < count; ++i) code = std::max(code, ebb::Measure(words[i]));
  return code;
}
