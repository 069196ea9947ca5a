// ebb forecast: forecasts a zone's intensity from its own past, with a band, and scores earlier
// forecasts.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "app/options/flag_values.h"
#include "app/options/missing_zone.h"
#include "app/options/run_options.h"
#include "app/options/user_settings.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/forecast_score.h"
#include "cli/forecast_table.h"
#include "cli/local_times.h"
#include "cli/weather_explanation.h"
#include "config/options/run_option.h"
#include "config/prices/operator_file.h"
#include "config/prices/price_file.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/weather_forecaster.h"
#include "platform/terminal.h"
#include "report/json_parts.h"
#include "signals/feeds/replay_feed.h"
#include "signals/kept_signal.h"
#include "signals/make_feed.h"
#include "signals/make_weather.h"
#include "signals/traces/archived_forecaster.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb forecast --trace CISO_2023.csv.gz --at 2023-05-01T17:00Z
  ebb forecast --trace CISO_2023.csv.gz --at 2023-05-01 --hours 48 --format json
  ebb forecast --trace DE_2021.csv.gz --weather DE_gfs.csv.gz --at 2021-11-01T17:00Z
  ebb forecast --trace DE_2021.csv.gz --weather DE_gfs.csv.gz --explain
  ebb forecast --trace DE_2021.csv.gz --prices DE_day_ahead.csv --at 2021-11-01T17:00Z
  ebb forecast --trace DE_2021.csv.gz --operators DE_expected.csv --at 2021-11-01T17:00Z
  ebb forecast --zone DE
  ebb forecast --zone GB --signal uk-carbon-intensity
  ebb forecast --score
  ebb forecast --score --zone DE --signal electricity-maps
  ebb forecast --backtest --trace DE_2021-2024.csv.gz GB_2021-2023.csv.gz --from 2023-01-01)";

constexpr std::size_t kBandColumns = 48;
constexpr std::size_t kMostLines = 32;

struct Options {
  std::vector<std::string> traces;
  std::string zone, at, from, to, method, format = "text";
  std::string hours = "96", publication_lag, weather, weather_lag, weather_points, prices,
              operators, every;
  std::string signal;
  bool backtest = false, explain = false, score = false;
};

Result<std::optional<Time>> OptionalTime(const std::string& text, const char* flag) {
  if (text.empty()) return std::optional<Time>();
  EBB_ASSIGN_OR_RETURN(const Time time, app::TimeOf(flag, text));
  return std::optional<Time>(time);
}

// The publication that the flags give; nothing means the usual one of the trace.
Result<std::optional<core::Publication>> GivenPublication(const Options& options) {
  if (options.publication_lag.empty()) return std::optional<core::Publication>();
  EBB_ASSIGN_OR_RETURN(const core::Publication publication,
                       app::PublicationOf(options.publication_lag));
  return std::optional(publication);
}

// The weather of the trace's zone; none if no weather is named.
Result<std::shared_ptr<const forecast::WeatherArchive>> GivenWeather(const Options& options,
                                                                     const signals::Trace& trace) {
  signals::WeatherOptions weather;
  weather.path = options.weather;
  weather.points = options.weather_points;
  if (!weather.points.empty() && !weather.IsFolder())
    return Fail({ExitCode::kUsage, "--weather-points goes with a folder of weather", "",
                 "name one with --weather"});
  if (!options.weather_lag.empty()) {
    EBB_ASSIGN_OR_RETURN(weather.publication_lag,
                         app::DurationOf("weather-lag", options.weather_lag));
  }
  return signals::ArchivedWeather(weather, trace.series.identity().zone);
}

// The drivers of forecasts of a zone; none if no file is named.
Result<std::vector<forecast::Driver>> GivenDrivers(const Options& options,
                                                   const std::string& zone) {
  std::vector<forecast::Driver> drivers;
  if (!options.operators.empty()) {
    EBB_ASSIGN_OR_RETURN(const auto hours, config::LoadOperators(options.operators, zone));
    std::ranges::move(signals::DriversOf(hours), std::back_inserter(drivers));
  }
  if (options.prices.empty()) return drivers;
  EBB_ASSIGN_OR_RETURN(const prices::PriceSource source, config::LoadPrices(options.prices));
  if (source.tariff())
    return Fail({ExitCode::kConfiguration,
                 "a tariff says nothing of the grid that its clock does not", options.prices,
                 "give the prices of a market, or leave --prices out"});
  drivers.push_back(forecast::DriverOf(source.Over({Time::min(), Time::max()})));
  return drivers;
}

struct Method {
  std::unique_ptr<forecast::Forecaster> forecaster;
  forecast::WeatherForecaster* with_weather = nullptr;  ///< the same, where it knows the weather
};

// The method with weather if a file is named, otherwise from the zone's own past.
Result<Method> GivenMethod(const Options& options, const signals::Trace& trace,
                           const core::Publication& publication) {
  EBB_ASSIGN_OR_RETURN(auto weather, GivenWeather(options, trace));
  EBB_ASSIGN_OR_RETURN(const auto given, GivenDrivers(options, trace.series.identity().zone));
  const auto drivers = InputsOf(given, publication);
  const std::string_view usual = weather ? forecast::kWeather : forecast::kRidge;
  const std::string_view name = options.method.empty() ? usual : options.method;
  if (name == forecast::kWeather && weather) {
    auto method =
        std::make_unique<forecast::WeatherForecaster>(std::move(weather), publication, drivers);
    auto* const with_weather = method.get();
    return Method{std::move(method), with_weather};
  }
  if (name == forecast::kWeather || weather)
    return Fail({ExitCode::kUsage, "--weather and --method weather go together", "",
                 "give both, or neither"});
  if (drivers && name != forecast::kRidge)
    return Fail({ExitCode::kUsage,
                 "--method " + std::string(name) + " knows neither prices nor operators", "",
                 "leave --prices and --operators out, or choose ridge"});
  if (drivers)
    return Method{
        forecast::AsPublished(std::make_unique<forecast::RidgeForecaster>(drivers), publication)};
  EBB_ASSIGN_OR_RETURN(auto method, forecast::MakeForecaster(name));
  return Method{forecast::AsPublished(std::move(method), publication)};
}

// A line of progress on a terminal, from the third second on: "DE 45 %".
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void Show(const std::string& what, double share) {
    const auto now = std::chrono::steady_clock::now();
    if (!platform::StderrIsTerminal() || now - begin_ < std::chrono::seconds{2}) return;
    if (now - last_ < std::chrono::milliseconds{100}) return;
    last_ = now;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s %.0f %%", what.c_str(), 100 * share);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_{};
  bool shown_ = false;
};

Result<int> RunBacktest(const Options& options) {
  if (options.traces.empty())
    return Fail({ExitCode::kUsage, "--backtest needs the past of a zone", "",
                 "name one or more files with --trace"});
  if (options.explain)
    return Fail({ExitCode::kUsage, "--explain is of one forecast, --backtest of many", "",
                 "give one of them"});
  BacktestQuestion question;
  EBB_ASSIGN_OR_RETURN(question.from, OptionalTime(options.from, "--from"));
  EBB_ASSIGN_OR_RETURN(question.to, OptionalTime(options.to, "--to"));
  EBB_ASSIGN_OR_RETURN(question.publication, GivenPublication(options));
  if (!options.every.empty()) {
    EBB_ASSIGN_OR_RETURN(question.every, app::DurationOf("every", options.every));
  }
  std::vector<TraceScore> scores;
  {
    ProgressLine line;
    for (const std::string& path : options.traces) {
      EBB_ASSIGN_OR_RETURN(const signals::Trace trace, signals::LoadTrace(path));
      EBB_ASSIGN_OR_RETURN(question.weather, GivenWeather(options, trace));
      EBB_ASSIGN_OR_RETURN(question.drivers, GivenDrivers(options, trace.series.identity().zone));
      const auto progress = [&](double share) { line.Show(trace.series.identity().zone, share); };
      EBB_ASSIGN_OR_RETURN(TraceScore score, ScoreTrace(trace, question, progress));
      scores.push_back(std::move(score));
    }
  }
  const bool json = options.format == "json";
  std::fputs((json ? BacktestJson(scores) : BacktestText(scores)).c_str(), stdout);
  return 0;
}

// The signal options from the user's settings and these flags.
Result<signals::SignalOptions> GivenSignal(const Options& options) {
  app::FlagValues given;
  if (!options.zone.empty()) given["zone"] = options.zone;
  if (!options.signal.empty()) given["signal"] = options.signal;
  if (!options.weather.empty()) given["weather"] = options.weather;
  if (!options.operators.empty()) given["operators"] = options.operators;
  if (!options.prices.empty()) given["forecast-prices"] = options.prices;
  app::RunOptions run;
  EBB_ASSIGN_OR_RETURN(const app::FlagValues flags,
                       app::WithSettings(given, app::SettingsFor::kSignal));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, run));
  app::FindMissingZone(run.scheduler.signal);
  return run.scheduler.signal;
}

// The score of the file, or of the live source that the user's settings and these flags name.
Result<ForecastScore> ScoreOfTrace(const Options& options, ProgressLine& line) {
  EBB_ASSIGN_OR_RETURN(const auto at, OptionalTime(options.at, "--at"));
  EBB_ASSIGN_OR_RETURN(const auto publication, GivenPublication(options));
  EBB_ASSIGN_OR_RETURN(const signals::Trace trace, signals::LoadTrace(options.traces.front()));
  const auto known = publication.value_or(signals::UsualPublication(trace));
  ScoreQuestion question{trace.series, at.value_or(trace.series.span().end - Duration{1}), known};
  EBB_ASSIGN_OR_RETURN(question.beside.weather, GivenWeather(options, trace));
  EBB_ASSIGN_OR_RETURN(const auto drivers, GivenDrivers(options, trace.series.identity().zone));
  question.beside.drivers = InputsOf(drivers, known);
  if (signals::HasArchive(trace))
    question.make_provider = [&] { return signals::MakeArchivedForecaster(trace, known); };
  return ScoreForecasts(question, [&](double share) { line.Show("scoring", share); });
}

Result<ForecastScore> ScoreOfSignal(const Options& options, ProgressLine& line) {
  EBB_ASSIGN_OR_RETURN(const signals::SignalOptions signal, GivenSignal(options));
  EBB_ASSIGN_OR_RETURN(const signals::KeptSignal kept, signals::ReadKeptSignal(signal));
  const auto known = kept.UsualPublication();
  ScoreQuestion question{kept.known,
                         kept.answered_at,
                         known,
                         {kept.weather, InputsOf(kept.drivers, known), kept.typical}};
  if (!kept.record->empty()) {
    question.make_provider = [&] { return forecast::MakeRecordedForecaster(kept.record); };
    const Time until = forecast::JudgedUntil(kept.answered_at);
    question.moments = kept.record->MomentsIn({until - forecast::kJudgedRecord, until});
    if (question.moments.empty()) question.make_provider = {};
  }
  return ScoreForecasts(question, [&](double share) { line.Show("scoring", share); });
}

Result<int> RunScore(const Options& options) {
  if (options.explain || options.backtest)
    return Fail({ExitCode::kUsage, "--score does not go together with --explain or --backtest", "",
                 "give one of them"});
  if (options.traces.size() > 1)
    return Fail({ExitCode::kUsage, "--score is of one zone, but several traces are named", "",
                 "give one --trace, or score them all with --backtest"});
  if (options.traces.empty() && !options.at.empty())
    return Fail({ExitCode::kUsage,
                 "--at is for traces: of a live source the latest weeks are scored", "",
                 "leave it out"});
  std::optional<ForecastScore> score;
  {
    ProgressLine line;
    EBB_ASSIGN_OR_RETURN(
        score, options.traces.empty() ? ScoreOfSignal(options, line) : ScoreOfTrace(options, line));
  }
  const bool json = options.format == "json";
  std::fputs((json ? ScoreJson(*score) : ScoreText(*score)).c_str(), stdout);
  return 0;
}

struct Expected {
  core::SignalIdentity identity;
  core::Forecast forecast;
  std::string zone_origin{};         ///< the setting that named the zone, if no flag did
  std::vector<std::string> notes{};  ///< of the live source
  /// the weather by hour, if it was asked for
  std::optional<std::vector<forecast::HourOfWeather>> weather{};
};

Result<Expected> FromTrace(const Options& options, Duration horizon) {
  EBB_ASSIGN_OR_RETURN(const auto at, OptionalTime(options.at, "--at"));
  EBB_ASSIGN_OR_RETURN(const auto publication, GivenPublication(options));
  EBB_ASSIGN_OR_RETURN(const signals::Trace trace, signals::LoadTrace(options.traces.front()));
  EBB_ASSIGN_OR_RETURN(
      const Method method,
      GivenMethod(options, trace, publication.value_or(signals::UsualPublication(trace))));
  const Time end = trace.series.span().end;
  const Time now = at.value_or(end - Duration{1});
  if (!trace.series.span().contains(now))
    return Fail({ExitCode::kConfiguration,
                 "the trace covers " + FormatTime(trace.series.span().begin) + " to " +
                     FormatTime(end) + ", but --at is " + FormatTime(now),
                 options.traces.front(), "choose another --at or another trace"});
  EBB_ASSIGN_OR_RETURN(core::Forecast forecast, method.forecaster->At(trace.series, now, horizon));
  forecast.issued = now;
  Expected expected{trace.series.identity(), std::move(forecast)};
  if (options.explain) expected.weather = method.with_weather->Explain(trace.series, now, horizon);
  return expected;
}

// A typical day of a zone; if a live source is named, its present expectation.
Result<Expected> FromSignal(const Options& options, Duration horizon) {
  EBB_ASSIGN_OR_RETURN(signals::SignalOptions signal, GivenSignal(options));
  const bool live = signal.source_named && signals::IsLive(signal.source);
  if (!options.signal.empty() && (!live || !options.at.empty()))
    return Fail({ExitCode::kUsage,
                 live ? "--at is for traces and typical days: a live source tells of now"
                      : "--signal " + options.signal + " is no live source",
                 "", "leave one of them out"});
  if (!live && !(options.operators.empty() && options.prices.empty()))
    return Fail({ExitCode::kUsage, "a typical day knows neither prices nor operators", "",
                 "name a live source with --signal, or a file with --trace"});
  if (live && options.at.empty()) {
    EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(signal));
    const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    EBB_ASSIGN_OR_RETURN(core::SignalView view, feed->Observe(now, horizon));
    return Expected{feed->identity(), std::move(view.forecast), signal.zone_origin,
                    feed->TakeNotes()};
  }
  signal = {};
  signal.source = signals::SignalSource::kProfile;
  signal.zone = options.zone;
  EBB_RETURN_IF_ERROR(app::SettingsOfUser().Check());
  app::FindMissingZone(signal);
  app::FindMissingNeoClock(signal);
  EBB_ASSIGN_OR_RETURN(const auto at, OptionalTime(options.at, "--at"));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(signal));
  const Time wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  EBB_ASSIGN_OR_RETURN(core::SignalView view, feed->Observe(at.value_or(wall), horizon));
  return Expected{feed->identity(), std::move(view.forecast), signal.zone_origin};
}

std::optional<double> ValueAt(const core::IntensitySeries& series, Time time) {
  const core::Sample* sample = series.At(time);
  return sample ? std::optional(sample->intensity.g_per_kwh) : std::nullopt;
}

// "·····━━━●━━━━━···": the band, and the median in it.
std::string Band(double low, double median, double high, double scale) {
  const auto column = [&](double value) {
    return static_cast<std::size_t>(std::lround(value / scale * (kBandColumns - 1)));
  };
  std::string line;
  for (std::size_t i = 0; i < kBandColumns; ++i) {
    const bool inside = column(low) <= i && i <= column(high);
    line += i == column(median) ? "●" : inside ? "━" : "·";
  }
  return line;
}

std::string Padded(double value) {
  const std::string text = FormatFixed(value, 0);
  return std::string(text.size() < 6 ? 6 - text.size() : 0, ' ') + text;
}

std::string Text(const Expected& expected) {
  const core::Forecast& forecast = expected.forecast;
  const LocalTimes times = LocalTimes::Of(forecast.issued);
  std::string text = signals::Describe(expected.identity) + "\n";
  if (!expected.zone_origin.empty()) text += "zone of " + expected.zone_origin + "\n";
  for (const std::string& note : expected.notes) text += note + "\n";
  text += "expected at " + times.Minute(forecast.issued) + " (" + times.zone() +
          "): " + forecast.method + "\n\n";
  if (forecast.series.empty()) return text + "no forecast: no past values are known\n";
  const bool band = !forecast.p10.empty();
  double scale = 1;
  for (const core::Sample& sample : (band ? forecast.p90 : forecast.series).samples())
    scale = std::max(scale, sample.intensity.g_per_kwh);
  text += band ? "              P10   P50   P90  g/kWh\n"
               : "              P50  g/kWh; no band is known\n";
  const auto& samples = forecast.series.samples();
  const std::size_t every = (samples.size() + kMostLines - 1) / kMostLines;
  for (std::size_t i = 0; i < samples.size(); i += every) {
    const Time begin = samples[i].interval.begin;
    const double median = samples[i].intensity.g_per_kwh;
    const double low = ValueAt(forecast.p10, begin).value_or(median);
    const double high = ValueAt(forecast.p90, begin).value_or(median);
    text += times.Stamp(begin) + "  ";
    text += band ? Padded(low) + Padded(median) + Padded(high) : Padded(median);
    text += "  " + Band(low, median, high, scale) + "\n";
  }
  if (expected.weather) text += "\n" + WeatherExplanationText(*expected.weather, times);
  return text;
}

std::string_view TextOf(forecast::Coverage coverage) {
  return coverage == forecast::Coverage::kRun    ? "run"
         : coverage == forecast::Coverage::kNone ? "none"
                                                 : "remembered";
}

nlohmann::ordered_json WeatherJson(const std::vector<forecast::HourOfWeather>& hours) {
  auto json = nlohmann::ordered_json::array();
  for (const forecast::HourOfWeather& hour : hours) {
    const auto wind = static_cast<std::size_t>(forecast::WeatherDriver::kWind),
               sun = static_cast<std::size_t>(forecast::WeatherDriver::kSun),
               temperature = static_cast<std::size_t>(forecast::WeatherDriver::kTemperature),
               rain = static_cast<std::size_t>(forecast::WeatherDriver::kRain);
    json.push_back({{"begin", FormatTime(hour.hour.begin)},
                    {"end", FormatTime(hour.hour.end)},
                    {"known_from", TextOf(hour.coverage)},
                    {"wind_g_per_kwh", hour.effects[wind]},
                    {"sun_g_per_kwh", hour.effects[sun]},
                    {"temperature_g_per_kwh", hour.effects[temperature]},
                    {"rain_g_per_kwh", hour.effects[rain]},
                    {"wind_above_usual_mps", hour.departures[wind]},
                    {"sun_above_usual_w_m2", hour.departures[sun]},
                    {"temperature_above_usual_k", hour.departures[temperature]}});
  }
  return json;
}

std::string Json(const Expected& expected) {
  nlohmann::ordered_json json{{"schema", "ebb.forecast/1"},
                              {"zone", expected.identity.zone},
                              {"source", expected.identity.source},
                              {"kind", Name(expected.identity.kind)},
                              {"boundary", Name(expected.identity.boundary)},
                              {"issued", FormatTime(expected.forecast.issued)},
                              {"method", expected.forecast.method}};
  json["forecast"] = nlohmann::ordered_json::array();
  for (const core::Sample& sample : expected.forecast.series.samples()) {
    nlohmann::ordered_json row{{"begin", FormatTime(sample.interval.begin)},
                               {"end", FormatTime(sample.interval.end)},
                               {"p50_g_per_kwh", sample.intensity.g_per_kwh}};
    row["p10_g_per_kwh"] = row["p90_g_per_kwh"] = nullptr;
    if (const auto low = ValueAt(expected.forecast.p10, sample.interval.begin))
      row["p10_g_per_kwh"] = *low;
    if (const auto high = ValueAt(expected.forecast.p90, sample.interval.begin))
      row["p90_g_per_kwh"] = *high;
    json["forecast"].push_back(std::move(row));
  }
  if (expected.weather) json["weather"] = WeatherJson(*expected.weather);
  return report::Document(json);
}

Result<int> Show(const Options& options) {
  const auto hours = ParseNumber(options.hours);
  if (!hours || *hours < 1 || *hours > 240)
    return Fail({ExitCode::kUsage, "--hours: \"" + options.hours + "\" is not accepted", "",
                 "give a number from 1 to 240"});
  if (options.explain && options.weather.empty())
    return Fail({ExitCode::kUsage, "--explain says what the weather does, and none is given", "",
                 "name a file with --weather"});
  if (options.traces.empty() && !options.publication_lag.empty())
    return Fail(
        {ExitCode::kUsage, "--publication-lag is for traces", "", "name a file with --trace"});
  for (const auto& [given, flag] :
       {std::pair(&options.prices, "--prices"), {&options.operators, "--operators"}})
    if (options.traces.empty() && !given->empty() && !signals::MarketServiceFromName(*given))
      return Fail({ExitCode::kUsage, std::string(flag) + " " + *given + " is for traces", "",
                   "name a file with --trace, or a service that tells it, such as entso-e"});
  if (options.traces.empty() && !options.weather.empty())
    return Fail({ExitCode::kUsage,
                 "--weather is for traces: a typical day knows no weather, and a live source has "
                 "its own (docs/weather.md)",
                 "", "name a file with --trace"});
  if (options.traces.size() > 1)
    return Fail({ExitCode::kUsage, "a forecast is made from one trace, but several are named", "",
                 "give one --trace, or score them all with --backtest"});
  const Duration horizon = DurationFromSeconds(*hours * 3600);
  EBB_ASSIGN_OR_RETURN(const Expected expected, options.traces.empty()
                                                    ? FromSignal(options, horizon)
                                                    : FromTrace(options, horizon));
  std::fputs((options.format == "json" ? Json(expected) : Text(expected)).c_str(), stdout);
  return 0;
}

}  // namespace

void AddForecastCommand(Parser& parser) {
  Command& command = parser.Add(
      "forecast", "forecast a zone's intensity from its own past, with a band", kExamples);
  auto options = std::make_shared<Options>();
  const auto text = [&](const FlagText& flag, std::string Options::*member) {
    command.Flag(flag, [options, member](const std::string& value) { (*options).*member = value; });
  };
  command.List({"trace", "FILE", "the past: CSV, plain or gzip; several with --backtest"},
               &options->traces);
  text({"zone", "ZONE",
        "without a trace: of this zone, its typical day or what a live source expects"},
       &Options::zone);
  text({"at", "TIME", "the moment of the forecast (default: end of the trace)"}, &Options::at);
  text({"publication-lag", "DURATION", config::RunOptionOfFlag("publication-lag")->field.meaning},
       &Options::publication_lag);
  text({"weather", "FILE|FOLDER",
        "archived runs of a weather model: CSV, plain or gzip, or a folder of GFS as GRIB2 "
        "(docs/weather.md)"},
       &Options::weather);
  text({"weather-points", "PLACES",
        "of a folder: where to look, as latitude,longitude with semicolons between places "
        "(default: a table of zones)"},
       &Options::weather_points);
  text({"weather-lag", "DURATION", "how long after its begin a run was published (default 6h)"},
       &Options::weather_lag);
  text({"prices", "FILE|SERVICE",
        "day-ahead prices of the zone, which say what is expected of its hours; of a live source "
        "entso-e, energy-charts or oasis"},
       &Options::prices);
  text({"operators", "FILE|FOLDER|SERVICE",
        "what the zone's operators expect of load, wind and sun: our CSV, files of ENTSO-E or "
        "OASIS, "
        "plain or gzip, or a folder of them; of a live source entso-e or oasis (docs/forecast.md)"},
       &Options::operators);
  text({"every", "DURATION", "time between two forecasts of the back-test (default 7h)"},
       &Options::every);
  text({"hours", "HOURS", "how far to look ahead, 1 to 240 (default 96)"}, &Options::hours);
  text({"method", "ridge|seasonal-naive|persistence|weather",
        "the forecasting method (default ridge, with --weather weather)"},
       &Options::method);
  command.Switch({"backtest", "", "score every method on past moments instead"},
                 [options] { options->backtest = true; });
  command.Switch(
      {"score", "",
       "how far off the forecasts of the last weeks were, by source and horizon, and which is "
       "used: of the live source (nobody is asked), or of --trace"},
      [options] { options->score = true; });
  text({"signal", "SOURCE", "the live source, where settings name none (docs/signals.md)"},
       &Options::signal);
  command.Switch({"explain", "", "with --weather: say what the weather adds, by driver and day"},
                 [options] { options->explain = true; });
  text({"from", "TIME", "first moment of the back-test (default: after 70 days)"}, &Options::from);
  text({"to", "TIME", "last moment of the back-test (default: end of the trace)"}, &Options::to);
  text({"format", "text|json", "output format"}, &Options::format);
  command.Action([options]() -> Result<int> {
    if (options->score) return RunScore(*options);
    if (!options->signal.empty() && (options->backtest || !options->traces.empty()))
      return Fail({ExitCode::kUsage, "--signal does not go together with --trace or --backtest", "",
                   "give one of them"});
    return options->backtest ? RunBacktest(*options) : Show(*options);
  });
}

}  // namespace ebb::cli
