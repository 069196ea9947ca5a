#include "signals/traces/archived_forecaster.h"

#include <algorithm>

#include "forecast/rows.h"

namespace ebb::signals {
namespace {

constexpr const char* kArchivedMethod = "archived forecast";

class ArchivedForecaster final : public forecast::Forecaster {
 public:
  ArchivedForecaster(const Trace& trace, const core::Publication& publication)
      : trace_(trace), publication_(publication) {}

  std::string_view name() const override { return "archived"; }

  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override {
    const auto known = forecast::KnownBy(history, now, publication_);
    const Time as_of = forecast::AsOf(known, now, publication_);
    std::vector<Interval> rows;
    std::vector<double> values;
    Time issued = Time::min();
    for (const Interval& row : forecast::RowsAhead(known, as_of, now + horizon - as_of)) {
      const auto archived = ArchivedAt(trace_, row.begin, now);
      if (!archived) continue;
      rows.push_back(row);
      values.push_back(archived->sample.intensity.g_per_kwh);
      issued = std::max(issued, archived->issued);
    }
    return core::Forecast{rows.empty() ? as_of : issued,
                          kArchivedMethod,
                          forecast::ForecastSeries(history.identity(), rows, values),
                          {},
                          {}};
  }

 private:
  const Trace& trace_;
  core::Publication publication_;
};

}  // namespace

std::optional<ArchivedValue> ArchivedAt(const Trace& trace, Time target, Time now) {
  std::optional<ArchivedValue> best;
  for (const ForecastColumn& column : trace.forecasts) {
    if (column.issue == ForecastIssue::kUnknown) continue;
    const core::Sample* sample = column.series.At(target);
    if (!sample) continue;
    const Time issued = column.IssuedAt(sample->interval.begin);
    if (issued <= now && (!best || issued > best->issued)) best = ArchivedValue{*sample, issued};
  }
  return best;
}

bool HasArchive(const Trace& trace) {
  return std::any_of(trace.forecasts.begin(), trace.forecasts.end(),
                     [](const auto& column) { return column.issue != ForecastIssue::kUnknown; });
}

std::unique_ptr<forecast::Forecaster> MakeArchivedForecaster(const Trace& trace,
                                                             const core::Publication& publication) {
  return std::make_unique<ArchivedForecaster>(trace, publication);
}

}  // namespace ebb::signals
