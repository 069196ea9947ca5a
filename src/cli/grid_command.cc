// ebb grid: intensity now, the next hours, and the cleanest window, drawn in the terminal.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/run_options.h"
#include "cli/terminal_plot.h"
#include "plan/gate_policy.h"
#include "platform/system_clock.h"
#include "platform/terminal.h"
#include "runtime/grid_clock.h"
#include "signals/choose_source.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb grid --zone GB
  ebb grid --zone DE
  ebb grid --zone US-CAL-CISO --hours 24 --run-time 4h
  ebb grid --trace CISO_2023.csv.gz --grid-start 2023-05-01T17:00Z --format json)";

struct GridView {
  core::SignalIdentity identity;
  core::SignalView view;
  Interval window;
  Duration run_time;
  std::optional<plan::Window> cleanest;
  std::string state;  ///< of a live source
  std::optional<signals::SignalState> freshness;
  std::string chain;  ///< the sources of the zone
};

Result<GridView> Look(const RunOptions& options, double hours) {
  if (options.scheduler.signal.source == signals::SignalSource::kReplay)
    EBB_RETURN_IF_ERROR(Validate(options));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
  const Time wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const Time now = options.scheduler.clock.start.value_or(wall);
  EBB_RETURN_IF_ERROR(signals::CheckCoverage(*feed, {now, now + Duration{1}}));
  GridView result;
  result.identity = feed->identity();
  result.run_time = options.scheduler.estimated_run_time.value_or(std::chrono::hours{1});
  result.window = {now, now + DurationFromSeconds(hours * 3600)};
  const auto& signal = options.scheduler.signal;
  if (signals::IsLive(signal.source)) {
    result.state = signals::DescribeState(*feed, now);
    result.freshness = signals::StateOf(*feed, now);
  }
  // Where a zone alone chose: how.
  const bool chosen = !signal.source_named && signal.source != signals::SignalSource::kHttp &&
                      signal.source != signals::SignalSource::kReplay &&
                      signal.source != signals::SignalSource::kConstant &&
                      signal.source != signals::SignalSource::kYearlyAverage;
  if (chosen && !options.scheduler.clock.replayed() && !signal.zone.empty())
    result.chain = signals::DescribeChain(signal);
  auto view = feed->Observe(now, result.window.length());
  if (!view && signals::IsLive(signal.source)) {
    Error error = view.error();
    error.next += (error.next.empty() ? "" : "; ") +
                  std::string("for typical days instead, which are modelled: --signal profile");
    return Fail(std::move(error));
  }
  EBB_ASSIGN_OR_RETURN(result.view, std::move(view));
  const Time latest = std::max(now, result.window.end - result.run_time);
  result.cleanest = plan::CleanestWindow(result.view, {now, latest}, result.run_time);
  return result;
}

std::string StatusNote(const core::Sample* sample) {
  return sample ? " (" + std::string(Name(sample->status)) + ")" : "";
}

std::string Text(const GridView& grid) {
  const core::Sample* current = grid.view.Current();
  std::string text = signals::Describe(grid.identity) + "\n";
  if (!grid.chain.empty()) text += "sources of this zone: " + grid.chain + "\n";
  if (!grid.state.empty()) text += "state: " + grid.state + "\n";
  text += FormatTime(grid.view.now) + "  now " +
          (current ? FormatFixed(current->intensity.g_per_kwh, 0) + " g/kWh" : "unknown") +
          StatusNote(current) + "\n";
  if (!grid.view.forecast.series.empty()) text += "forecast: " + grid.view.forecast.method + "\n";
  ChartOptions chart;
  chart.columns = static_cast<std::size_t>(std::clamp(platform::TerminalColumns() - 14, 24, 96));
  if (grid.cleanest)
    chart.marked = Interval{grid.cleanest->start, grid.cleanest->start + grid.run_time};
  text += "\n" + IntensityChart(grid.view, grid.window, chart) + "\n";
  if (!grid.cleanest) return text + "no window of " + FormatDuration(grid.run_time) + " is known\n";
  text += "cleanest " + FormatDuration(grid.run_time) + ": " + FormatTime(grid.cleanest->start) +
          ", " + FormatFixed(grid.cleanest->mean.g_per_kwh, 0) + " g/kWh on average";
  const auto now = grid.view.Mean({grid.view.now, grid.view.now + grid.run_time});
  if (now && now->coverage > 0.999 && now->intensity.g_per_kwh > 0) {
    const double saving = 100 * (1 - grid.cleanest->mean.g_per_kwh / now->intensity.g_per_kwh);
    text += " (" + FormatFixed(saving, 1) + " % below starting now)";
  }
  return text + "\n";
}

nlohmann::ordered_json SampleJson(const core::Sample& sample) {
  return {{"begin", FormatTime(sample.interval.begin)},
          {"end", FormatTime(sample.interval.end)},
          {"carbon_intensity_g_per_kwh", sample.intensity.g_per_kwh},
          {"status", Name(sample.status)}};
}

std::string Json(const GridView& grid) {
  nlohmann::ordered_json json;
  json["schema"] = "ebb.grid/1";
  json["zone"] = grid.identity.zone;
  json["source"] = grid.identity.source;
  json["kind"] = Name(grid.identity.kind);
  json["boundary"] = Name(grid.identity.boundary);
  json["now"] = FormatTime(grid.view.now);
  json["forecast_method"] = grid.view.forecast.method;
  const core::Sample* current = grid.view.Current();
  if (grid.freshness) {
    json["state"] = Name(grid.freshness->freshness);
    if (grid.freshness->value_age) json["value_age_s"] = Seconds(*grid.freshness->value_age);
    if (grid.freshness->answer_age) json["answer_age_s"] = Seconds(*grid.freshness->answer_age);
  }
  json["current"] = current ? SampleJson(*current) : nlohmann::ordered_json();
  json["forecast"] = nlohmann::ordered_json::array();
  const core::IntensitySeries ahead = grid.view.forecast.series.Slice(grid.window);
  for (const core::Sample& sample : ahead.samples()) json["forecast"].push_back(SampleJson(sample));
  json["run_time_s"] = Seconds(grid.run_time);
  json["cleanest_window"] = nlohmann::ordered_json();
  if (grid.cleanest)
    json["cleanest_window"] = {{"start", FormatTime(grid.cleanest->start)},
                               {"mean_g_per_kwh", grid.cleanest->mean.g_per_kwh}};
  return json.dump(2) + "\n";
}

nlohmann::ordered_json SdkPoint(const std::string& zone, Interval interval, Intensity value) {
  return {{"location", zone},
          {"timestamp", FormatTime(interval.begin)},
          {"duration", Seconds(interval.length()) / 60},
          {"value", value.g_per_kwh}};
}

// The answer of the Carbon Aware SDK's /emissions/forecasts/current, for programs that read it.
std::string SdkJson(const GridView& grid) {
  const std::string& zone = grid.identity.zone;
  const core::IntensitySeries ahead = grid.view.forecast.series.Slice(grid.window);
  nlohmann::ordered_json json;
  json["generatedAt"] = FormatTime(grid.view.forecast.issued);
  json["requestedAt"] = FormatTime(grid.view.now);
  json["location"] = zone;
  json["dataStartAt"] = FormatTime(ahead.empty() ? grid.view.now : ahead.span().begin);
  json["dataEndAt"] = FormatTime(ahead.empty() ? grid.view.now : ahead.span().end);
  json["windowSize"] = Seconds(grid.run_time) / 60;
  json["optimalDataPoints"] = nlohmann::ordered_json::array();
  if (grid.cleanest)
    json["optimalDataPoints"].push_back(SdkPoint(
        zone, {grid.cleanest->start, grid.cleanest->start + grid.run_time}, grid.cleanest->mean));
  json["forecastData"] = nlohmann::ordered_json::array();
  for (const core::Sample& sample : ahead.samples())
    json["forecastData"].push_back(SdkPoint(zone, sample.interval, sample.intensity));
  return nlohmann::ordered_json::array({json}).dump(2) + "\n";
}

std::string Print(const GridView& grid, const std::string& format) {
  if (format == "json") return Json(grid);
  return format == "carbon-aware-sdk" ? SdkJson(grid) : Text(grid);
}

}  // namespace

void AddGridCommand(Parser& parser) {
  Command& command =
      parser.Add("grid", "carbon intensity now, ahead, and the cleanest window", kExamples);
  auto values = std::make_shared<FlagValues>();
  auto hours = std::make_shared<std::string>("48");
  auto format = std::make_shared<std::string>("text");
  command.Flag({"hours", "HOURS", "how far to look ahead, 1 to 240 (default 48)"},
               [hours](const std::string& text) { *hours = text; });
  command.Flag({"run-time", "DURATION", "length of the cleanest window (default 1h)"},
               [values](const std::string& text) { (*values)["run-time"] = text; });
  command.Flag({"format", "text|json|carbon-aware-sdk", "how it is printed"},
               [format](const std::string& text) { *format = text; });
  AddFlags(command, FlagGroup::kSignal, *values);
  AddFlags(command, FlagGroup::kClock, *values);
  command.Action([=]() -> Result<int> {
    RunOptions options;
    EBB_RETURN_IF_ERROR(ApplyFlags(*values, options));
    const auto ahead = ParseNumber(*hours);
    if (!ahead || *ahead < 1 || *ahead > 240)
      return Fail({ExitCode::kUsage, "--hours: \"" + *hours + "\" is not accepted", "",
                   "give a number from 1 to 240"});
    EBB_ASSIGN_OR_RETURN(const GridView grid, Look(options, *ahead));
    std::fputs(Print(grid, *format).c_str(), stdout);
    return 0;
  });
}

}  // namespace ebb::cli
