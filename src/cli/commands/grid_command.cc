// ebb grid: intensity now, the next hours with their band, and the cleanest windows, drawn in the
// terminal or as SVG.
#include <cmath>
#include <cstdio>

#include "app/options/user_settings.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "cli/service_flags.h"
#include "cli/site_text.h"
#include "cli/terminal_plot.h"
#include "core/signal/one_value.h"
#include "plan/gate_policy.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "report/draw/outlook_plot.h"
#include "report/json_parts.h"
#include "runtime/grid_clock.h"
#include "signals/choose_source.h"
#include "signals/make_feed.h"
#include "web/api/carbon_aware.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb grid --zone GB
  ebb grid --zone DE
  ebb grid --zone US-CAL-CISO --hours 24 --duration 4h
  ebb grid --zone aws/eu-west-2 --duration 2h --windows 3 --plot london.svg
  ebb grid --zone cloud --signal electricity-maps,profile
  ebb grid --sites                   each site of the queue service, its devices, and what runs there
  ebb grid --trace CISO_2023.csv.gz --grid-start 2023-05-01T17:00Z --format json)";

struct GridView {
  core::SignalIdentity identity;
  core::SignalView view;
  Interval window;
  Duration duration;
  std::vector<plan::Window> windows;          ///< the cleanest first
  std::string zone_origin;                    ///< the cloud region that named the zone
  std::optional<runtime::SignalState> state;  ///< of a live source
  std::string chain;                          ///< the sources of the zone
  std::vector<std::string> notes;             ///< further notes for people
};

Result<GridView> Look(const app::RunOptions& options, double hours, int windows) {
  if (options.scheduler.signal.source == signals::SignalSource::kReplay)
    EBB_RETURN_IF_ERROR(app::Validate(options));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
  const Time wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const Time now = options.scheduler.clock.start.value_or(wall);
  EBB_RETURN_IF_ERROR(signals::CheckCoverage(*feed, {now, now + Duration{1}}));
  GridView result;
  result.identity = feed->identity();
  result.duration = options.scheduler.duration.value_or(std::chrono::hours{1});
  result.window = {now, now + DurationFromSeconds(hours * 3600)};
  const auto& signal = options.scheduler.signal;
  result.zone_origin = signal.zone_origin;
  result.state = feed->State(now);
  // If the zone alone decided on the source, the output says how.
  const bool chosen = !signal.source_named && signal.source != signals::SignalSource::kHttp &&
                      signal.source != signals::SignalSource::kReplay &&
                      signal.source != signals::SignalSource::kCommand &&
                      signal.source != signals::SignalSource::kConstant;
  if (chosen && !options.scheduler.clock.replayed() && !signal.zone.empty())
    result.chain = signals::DescribeChain(signal);
  auto view = feed->Observe(now, result.window.length());
  result.notes = feed->TakeNotes();
  if (!view && signals::IsLive(signal.source)) {
    Error error = view.error();
    error.next += (error.next.empty() ? "" : "; ") +
                  std::string("for typical days instead, which are modelled: --signal profile");
    return Fail(std::move(error));
  }
  EBB_ASSIGN_OR_RETURN(result.view, std::move(view));
  // If no hour is known, none can be called the cleanest.
  if (!core::KnowsHours(result.view)) return result;
  const Time latest = std::max(now, result.window.end - result.duration);
  result.windows = plan::CleanestWindows(result.view, {now, latest}, result.duration, windows);
  return result;
}

std::string StatusNote(const core::Sample* sample) {
  return sample ? " (" + std::string(Name(sample->status)) + ")" : "";
}

// "by profile" if a link of the chain answers.
std::string LinkNote(const GridView& grid, const core::Sample* sample) {
  const auto link = sample ? core::LinkOf(grid.view.known.identity(), *sample) : "";
  return link.empty() ? "" : ", by " + std::string(link);
}

std::string ForecastText(const GridView& grid) {
  const core::Forecast& forecast = grid.view.forecast;
  if (forecast.series.empty()) return "";
  if (!core::KnowsHours(grid.view)) return "forecast: none: one value stands for all hours\n";
  std::string text = "forecast: " + forecast.method + ", issued " +
                     LocalTimes::Of(grid.view.now).Moment(forecast.issued);
  const Time tomorrow = grid.view.now + std::chrono::hours{24};
  const core::Sample* low = forecast.p10.At(tomorrow);
  const core::Sample* high = forecast.p90.At(tomorrow);
  if (low && high)
    text += "; in 24h " + FormatFixed(low->intensity.g_per_kwh, 0) + " to " +
            FormatFixed(high->intensity.g_per_kwh, 0) + " g/kWh (P10 to P90)";
  return text + "\n";
}

std::string WindowsText(const GridView& grid) {
  if (!core::KnowsHours(grid.view))
    return std::string(core::kNothingOfHours) + ", so nothing can be gained by waiting; " +
           std::string(core::kWhatBringsHours) + "\n";
  if (grid.windows.empty()) return "no window of " + FormatDuration(grid.duration) + " is known\n";
  const auto now = grid.view.Mean({grid.view.now, grid.view.now + grid.duration});
  std::string text;
  for (const plan::Window& window : grid.windows) {
    text += "cleanest " + FormatDuration(grid.duration) + ": " +
            LocalTimes::Of(grid.view.now).MomentAndDistance(window.start) + ", " +
            FormatFixed(window.mean.g_per_kwh, 0) + " g/kWh on average";
    if (now && now->coverage > 0.999 && now->intensity.g_per_kwh > 0) {
      const double saving = 100 * (1 - window.mean.g_per_kwh / now->intensity.g_per_kwh);
      text += " (" + FormatFixed(std::abs(saving), 1) + " % " + (saving < 0 ? "above" : "below") +
              " starting now)";
    }
    text += "\n";
  }
  return text;
}

std::string Text(const GridView& grid) {
  const core::Sample* current = grid.view.Current();
  std::string text = signals::Describe(grid.identity) + "\n";
  if (!grid.zone_origin.empty()) text += "zone of " + grid.zone_origin + "\n";
  if (!grid.chain.empty()) text += "sources of this zone: " + grid.chain + "\n";
  if (grid.state) text += "state: " + LocalTimes::Of(grid.view.now).InText(grid.state->text) + "\n";
  const LocalTimes times = LocalTimes::Of(grid.view.now);
  text += times.Minute(grid.view.now) + " (" + times.zone() + ")  now " +
          (current ? FormatFixed(current->intensity.g_per_kwh, 0) + " g/kWh" : "unknown") +
          StatusNote(current) + LinkNote(grid, current) + "\n" + ForecastText(grid);
  ChartOptions chart;
  chart.columns = ChartColumns(14);
  if (!grid.windows.empty())
    chart.marked = Interval{grid.windows[0].start, grid.windows[0].start + grid.duration};
  return text + "\n" + IntensityChart(grid.view, grid.window, chart, times) + "\n" +
         WindowsText(grid);
}

std::string Plot(const GridView& grid) {
  constexpr Duration kPast{std::chrono::hours{24}};
  report::OutlookPlot plot;
  plot.view = grid.view;
  plot.window = {grid.view.now - std::min(kPast, grid.window.length()), grid.window.end};
  for (const plan::Window& window : grid.windows)
    plot.marked.push_back({window.start, window.start + grid.duration});
  plot.title = signals::Describe(grid.identity);
  return report::DrawOutlook(plot);
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
  if (!grid.zone_origin.empty()) json["zone_of"] = grid.zone_origin;
  if (!grid.identity.links.empty()) json["chain"] = grid.identity.links;
  json["now"] = FormatTime(grid.view.now);
  json["hours_known"] = core::KnowsHours(grid.view);
  json["forecast_method"] = grid.view.forecast.method;
  json["forecast_issued"] = FormatTime(grid.view.forecast.issued);
  const core::Sample* current = grid.view.Current();
  if (grid.state) {
    json["state"] = Name(grid.state->freshness);
    if (grid.state->value_age) json["value_age_s"] = Seconds(*grid.state->value_age);
    if (grid.state->answer_age) json["answer_age_s"] = Seconds(*grid.state->answer_age);
  }
  json["current"] = current ? SampleJson(*current) : nlohmann::ordered_json();
  if (current && !grid.identity.links.empty())
    json["current"]["source"] = core::LinkOf(grid.view.known.identity(), *current);
  json["forecast"] = nlohmann::ordered_json::array();
  const core::IntensitySeries ahead = grid.view.forecast.series.Slice(grid.window);
  for (const core::Sample& sample : ahead.samples()) {
    json["forecast"].push_back(SampleJson(sample));
    const core::Sample* low = grid.view.forecast.p10.At(sample.interval.begin);
    const core::Sample* high = grid.view.forecast.p90.At(sample.interval.begin);
    if (low && high) {
      json["forecast"].back()["p10_g_per_kwh"] = low->intensity.g_per_kwh;
      json["forecast"].back()["p90_g_per_kwh"] = high->intensity.g_per_kwh;
    }
  }
  json["duration_s"] = Seconds(grid.duration);
  json["cleanest_window"] = nlohmann::ordered_json();
  json["windows"] = nlohmann::ordered_json::array();
  for (const plan::Window& window : grid.windows)
    json["windows"].push_back({{"start", FormatTime(window.start)},
                               {"end", FormatTime(window.start + grid.duration)},
                               {"mean_g_per_kwh", window.mean.g_per_kwh}});
  if (!grid.windows.empty())
    json["cleanest_window"] = {{"start", FormatTime(grid.windows[0].start)},
                               {"mean_g_per_kwh", grid.windows[0].mean.g_per_kwh}};
  return report::Document(json);
}

// The answer of the Carbon Aware SDK's /emissions/forecasts/current, for programs that read it.
std::string SdkJson(const GridView& grid) {
  const core::IntensitySeries ahead = grid.view.forecast.series.Slice(grid.window);
  web::CarbonAwareForecast forecast;
  forecast.location = grid.identity.zone;
  forecast.generated = grid.view.forecast.issued;
  forecast.requested = grid.view.now;
  forecast.data = ahead.empty() ? Interval{grid.view.now, grid.view.now} : ahead.span();
  forecast.window = grid.duration;
  for (const plan::Window& window : grid.windows)
    forecast.optimal.push_back({{window.start, window.start + grid.duration}, window.mean});
  for (const core::Sample& sample : ahead.samples())
    forecast.forecast.push_back({sample.interval, sample.intensity});
  return ToJson(forecast, 2) + "\n";
}

std::string Print(const GridView& grid, const std::string& format) {
  if (format == "json") return Json(grid);
  return format == "carbon-aware-sdk" ? SdkJson(grid) : Text(grid);
}

// The sites of the service, instead of one zone.
Result<int> PrintSites(const app::ServicePlace& place, const std::string& format) {
  if (format == "carbon-aware-sdk")
    return Fail({ExitCode::kUsage, "is for one zone", "--format carbon-aware-sdk",
                 "leave out --sites, or give --format json"});
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(place));
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/sites"));
  const std::string text = format == "json" ? answer : SitesText(answer);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

void AddGridCommand(Parser& parser) {
  Command& command =
      parser.Add("grid", "carbon intensity now and ahead, and the cleanest window", kExamples);
  auto values = std::make_shared<app::FlagValues>();
  auto hours = std::make_shared<std::string>("48");
  auto windows = std::make_shared<std::string>("1");
  auto plot = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  command.Flag({"hours", "HOURS", "how far to look ahead, 1 to 240 (default 48)"},
               [hours](const std::string& text) { *hours = text; });
  command.Flag({"duration", "DURATION",
                "length of the cleanest window (default 1h); --run-time is the same"},
               [values](const std::string& text) { (*values)["duration"] = text; });
  command.HiddenFlag("run-time",
                     [values](const std::string& text) { (*values)["run-time"] = text; });
  command.Flag({"windows", "N", "how many of the cleanest windows, none overlapping (default 1)"},
               [windows](const std::string& text) { *windows = text; });
  command.Flag({"plot", "FILE.svg", "also draw history, forecast and windows into a file"},
               [plot](const std::string& text) { *plot = text; });
  command.Flag({"format", "text|json|carbon-aware-sdk", "output format"},
               [format](const std::string& text) { *format = text; });
  auto sites = std::make_shared<bool>(false);
  auto place = std::make_shared<app::ServicePlace>();
  command.Switch(
      {"sites", "", "the sites of the queue service, with free devices and what runs", "Service"},
      [sites] { *sites = true; });
  AddPlaceOfService(command, *place);
  AddFlags(command, app::FlagGroup::kSignal, *values);
  AddFlags(command, app::FlagGroup::kClock, *values);
  command.Action([=]() -> Result<int> {
    if (*sites && (!values->empty() || !plot->empty()))
      return Fail({ExitCode::kUsage, "shows the sites of the service, not a zone", "--sites",
                   "leave out the flags of a zone and --plot"});
    if (*sites) return PrintSites(*place, *format);
    if (!plot->empty() && !Lowercase(*plot).ends_with(".svg"))
      return Fail({ExitCode::kUsage, "--plot: " + Quoted(*plot) + " is not accepted", "",
                   "a plot is drawn as SVG: give a name that ends in .svg"});
    app::RunOptions options;
    EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                         app::WithSettings(*values, app::SettingsFor::kSignal));
    EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
    const auto ahead = ParseNumber(*hours);
    if (!ahead || *ahead < 1 || *ahead > 240)
      return Fail({ExitCode::kUsage, "--hours: \"" + *hours + "\" is not accepted", "",
                   "give a number from 1 to 240"});
    const auto count = ParseInteger(*windows);
    if (!count || *count < 1 || *count > 100)
      return Fail({ExitCode::kUsage, "--windows: \"" + *windows + "\" is not accepted", "",
                   "give a whole number from 1 to 100"});
    EBB_ASSIGN_OR_RETURN(const GridView grid, Look(options, *ahead, static_cast<int>(*count)));
    for (const std::string& note : grid.notes) SayNote(note);
    if (!plot->empty()) EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(*plot, Plot(grid)));
    std::fputs(Print(grid, *format).c_str(), stdout);
    return 0;
  });
}

}  // namespace ebb::cli
