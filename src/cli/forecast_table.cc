#include "cli/forecast_table.h"

#include <utility>

#include "base/text.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/weather_forecaster.h"
#include "report/json_parts.h"
#include "signals/feeds/replay_feed.h"
#include "signals/traces/archived_forecaster.h"

namespace ebb::cli {
namespace {

// With less history the regression is not used, and the comparison would be of one method with
// itself.
constexpr Duration kFirstHistory{std::chrono::days{70}};
constexpr std::size_t kLeadsPrinted = 96;

std::string Cell(const std::string& text, std::size_t width) {
  return text.size() >= width ? " " + text : std::string(width - text.size(), ' ') + text;
}
std::string Number(double value, int decimals, std::size_t width = 9) {
  return Cell(FormatFixed(value, decimals), width);
}
std::string PadRight(const std::string& text, std::size_t width) {
  return text.size() >= width ? text + " " : text + std::string(width - text.size(), ' ');
}

std::string MeanError(const forecast::Score& score) {
  return score.rows > 0 ? Number(score.MeanAbsoluteError(), 1) : Cell("-", 9);
}

double DayAheadMape(const MethodScore& method) {
  return 100 * forecast::DayAhead(method.scores.by_lead).MeanRelativeError();
}

std::string Line(const TraceScore& trace, const MethodScore& method) {
  const forecast::Score day = forecast::DayAhead(method.scores.by_lead);
  const forecast::Score second = forecast::Over(method.scores.by_lead, 25, 49);
  const forecast::Score later = forecast::Over(method.scores.by_lead, 49, 97);
  const double yardstick = DayAheadMape(trace.methods.front());
  const std::string against =
      yardstick > 0 ? FormatFixed(100 * (DayAheadMape(method) / yardstick - 1), 1) + " %" : "-";
  const std::string coverage =
      day.banded_rows > 0 ? FormatFixed(100 * day.Coverage(), 1) + " %" : "-";
  const std::string later_coverage =
      later.banded_rows > 0 ? FormatFixed(100 * later.Coverage(), 1) + " %" : "-";
  return PadRight(trace.zone, 14) + PadRight(method.method, 16) +
         Cell(FormatFixed(DayAheadMape(method), 2) + " %", 9) + Cell(against, 10) +
         MeanError(method.scores.running) + Number(day.MeanAbsoluteError(), 1) +
         Number(second.MeanAbsoluteError(), 1) + Number(later.MeanAbsoluteError(), 1) +
         Number(day.Bias(), 1, 8) + Cell(coverage, 9) + Cell(later_coverage, 9) + "\n";
}

nlohmann::ordered_json Json(const forecast::Score& score) {
  nlohmann::ordered_json json{{"rows", static_cast<long long>(score.rows)},
                              {"mae_g_per_kwh", score.MeanAbsoluteError()},
                              {"mape", score.MeanRelativeError()},
                              {"bias_g_per_kwh", score.Bias()}};
  json["coverage_p10_p90"] = nullptr;
  if (score.banded_rows > 0) json["coverage_p10_p90"] = score.Coverage();
  return json;
}

nlohmann::ordered_json EntryOf(const TraceScore& trace) {
  nlohmann::ordered_json entry{{"zone", trace.zone},
                               {"source", trace.source},
                               {"from", FormatTime(trace.issues.begin)},
                               {"to", FormatTime(trace.issues.end)},
                               {"publication_lag_s", nullptr}};
  if (const auto lag = trace.publication.lag()) entry["publication_lag_s"] = Seconds(*lag);
  for (const MethodScore& method : trace.methods) {
    nlohmann::ordered_json scored{{"method", method.method},
                                  {"day_ahead", Json(forecast::DayAhead(method.scores.by_lead))}};
    const forecast::ScoreByLead& by_lead = method.scores.by_lead;
    scored["running"] = nullptr;
    if (method.scores.running.rows > 0) scored["running"] = Json(method.scores.running);
    for (std::size_t lead = 0; lead <= kLeadsPrinted && lead < by_lead.size(); ++lead) {
      nlohmann::ordered_json at_lead = Json(by_lead[lead]);
      at_lead["lead_h"] = lead;
      if (by_lead[lead].rows > 0) scored["by_lead"].push_back(std::move(at_lead));
    }
    entry["methods"].push_back(std::move(scored));
  }
  return entry;
}

}  // namespace

std::shared_ptr<const forecast::DriverInputs> InputsOf(const std::vector<forecast::Driver>& drivers,
                                                       const core::Publication& publication) {
  if (drivers.empty()) return nullptr;
  return std::make_shared<const forecast::DriverInputs>(drivers, publication);
}

Result<Contenders> OwnContenders(const core::Publication& publication,
                                 const forecast::BesidePast& beside) {
  Contenders contenders;
  for (const std::string_view name : forecast::ForecasterNames()) {
    EBB_ASSIGN_OR_RETURN(auto forecaster, forecast::MakeForecaster(name));
    contenders.push_back(forecast::AsPublished(std::move(forecaster), publication));
  }
  if (beside.typical)
    contenders.push_back(
        forecast::AsPublished(forecast::MakeEarlyForecaster(beside.typical), publication));
  if (beside.drivers)
    contenders.push_back(forecast::AsPublished(
        std::make_unique<forecast::RidgeForecaster>(beside.drivers, beside.typical), publication));
  if (beside.weather)
    contenders.push_back(std::make_unique<forecast::WeatherForecaster>(
        beside.weather, publication, beside.drivers, beside.typical));
  return contenders;
}

Result<std::vector<MethodScore>> ScoreAll(const Contenders& contenders,
                                          const core::IntensitySeries& series,
                                          forecast::BacktestOptions options,
                                          const std::function<void(double share)>& progress) {
  std::vector<MethodScore> methods;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    options.progress = [&](double share) {
      progress((static_cast<double>(i) + share) / static_cast<double>(contenders.size()));
    };
    EBB_ASSIGN_OR_RETURN(auto scores, forecast::Backtest(*contenders[i], series, options));
    methods.push_back({std::string(contenders[i]->name()), std::move(scores)});
  }
  return methods;
}

Result<TraceScore> ScoreTrace(const signals::Trace& trace, const BacktestQuestion& question,
                              const std::function<void(double share)>& progress) {
  const Interval span = trace.series.span();
  TraceScore result{trace.series.identity().zone,
                    trace.series.identity().source,
                    question.publication.value_or(signals::UsualPublication(trace)),
                    {},
                    question.every,
                    {}};
  result.issues = {question.from.value_or(span.begin + kFirstHistory),
                   question.to.value_or(span.end)};
  if (Overlap(result.issues, span).length() <= Duration::zero())
    return Fail({ExitCode::kConfiguration,
                 "no forecast can be scored from " + FormatTime(result.issues.begin) + " to " +
                     FormatTime(result.issues.end) + ": the trace covers " +
                     FormatTime(span.begin) + " to " + FormatTime(span.end),
                 result.source, "choose --from and --to inside it, or a longer trace"});
  EBB_ASSIGN_OR_RETURN(
      Contenders contenders,
      OwnContenders(result.publication,
                    {question.weather, InputsOf(question.drivers, result.publication)}));
  if (signals::HasArchive(trace))
    contenders.push_back(signals::MakeArchivedForecaster(trace, result.publication));
  forecast::BacktestOptions options;
  options.issues = Overlap(result.issues, span);
  options.every = question.every;
  EBB_ASSIGN_OR_RETURN(result.methods, ScoreAll(contenders, trace.series, options, progress));
  return result;
}

std::string BacktestText(const std::vector<TraceScore>& scores) {
  std::string text;
  for (const TraceScore& trace : scores)
    text += trace.source + ": forecasts made " + FormatTime(trace.issues.begin) + " to " +
            FormatTime(trace.issues.end) + ", every " + FormatDuration(trace.every) + ", " +
            core::Describe(trace.publication) + "\n";
  text +=
      "\n                               within 24 h: against    MAE, g/kWh: the running hour, and "
      "hours ahead   bias   in P10 to P90\n";
  text +=
      "zone          method             MAPE  persist.  running     1-24    25-48    49-96    1-24"
      "     1-24    49-96\n";
  for (const TraceScore& trace : scores) {
    for (const MethodScore& method : trace.methods) text += Line(trace, method);
  }
  return text;
}

std::string ScoreJson(const TraceScore& trace) { return report::Document(EntryOf(trace)); }

std::string BacktestJson(const std::vector<TraceScore>& scores) {
  nlohmann::ordered_json json{{"schema", "ebb.forecast-backtest/1"}};
  json["traces"] = nlohmann::ordered_json::array();
  for (const TraceScore& trace : scores) json["traces"].push_back(EntryOf(trace));
  return report::Document(json);
}

}  // namespace ebb::cli
