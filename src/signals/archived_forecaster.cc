#include "signals/archived_forecaster.h"

#include <algorithm>

#include "forecast/rows.h"

namespace ebb::signals {
namespace {

constexpr const char* kArchivedMethod = "archived forecast";

const core::Sample* ArchivedAt(const Trace& trace, Time target, Time now) {
  const core::Sample* best = nullptr;
  Time best_issue{};
  for (const ForecastColumn& column : trace.forecasts) {
    if (column.issue == ForecastIssue::kUnknown) continue;
    const core::Sample* sample = column.series.At(target);
    if (!sample) continue;
    const Time issue = column.IssuedAt(sample->interval.begin);
    if (issue > now || (best && issue <= best_issue)) continue;
    best = sample;
    best_issue = issue;
  }
  return best;
}

class ArchivedForecaster final : public forecast::Forecaster {
 public:
  explicit ArchivedForecaster(const Trace& trace) : trace_(trace) {}

  std::string_view name() const override { return "archived"; }

  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override {
    std::vector<Interval> rows;
    std::vector<double> values;
    for (const Interval& row : forecast::RowsAhead(forecast::KnownBy(history, now), now, horizon)) {
      if (const core::Sample* known = ArchivedAt(trace_, row.begin, now)) {
        rows.push_back(row);
        values.push_back(known->intensity.g_per_kwh);
      }
    }
    return core::Forecast{
        now, kArchivedMethod, forecast::ForecastSeries(history.identity(), rows, values), {}, {}};
  }

 private:
  const Trace& trace_;
};

}  // namespace

bool HasArchive(const Trace& trace) {
  return std::any_of(trace.forecasts.begin(), trace.forecasts.end(),
                     [](const auto& column) { return column.issue != ForecastIssue::kUnknown; });
}

std::unique_ptr<forecast::Forecaster> MakeArchivedForecaster(const Trace& trace) {
  return std::make_unique<ArchivedForecaster>(trace);
}

}  // namespace ebb::signals
