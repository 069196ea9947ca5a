// ebb data: downloaded CSV files of carbon intensity, joined and checked, as one trace (import);
// files of GFS as archived runs of a zone (weather).
#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/data_weather.h"
#include "platform/file.h"
#include "report/json_parts.h"
#include "signals/traces/trace_import.h"
#include "signals/weather/weather_csv.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb data import DE_2022_hourly.csv DE_2023_hourly.csv --boundary lifecycle
  ebb data import US-CAL-CISO_2025_hourly.csv --dry-run
  ebb data import readings.csv --column ohio_gco2_kwh --zone US-OH --boundary lifecycle
  ebb data weather ~/gfs --zone DE

The files of Electricity Maps' portal (https://app.electricitymaps.com/datasets: free with an account,
not to be passed on) need no further flags. docs/signals.md describes what is checked; the result goes
to --trace, and to the key trace of configurations and scenarios. Archived weather goes to --weather
(docs/weather.md).)";

struct ImportRequest {
  std::vector<std::string> words;  ///< the action and the files
  std::string boundary, zone, column, output, weather_points, weather_lag;
  bool utc = false, dry_run = false, overwrite = false, json = false;
};

Error Usage(std::string what) {
  return {ExitCode::kUsage, std::move(what), "",
          "ebb data import FILE...; ebb data --help shows more"};
}

Result<signals::TraceImport> Import(const ImportRequest& request) {
  signals::ImportOptions options;
  if (!request.boundary.empty()) options.boundary = core::BoundaryFromName(request.boundary);
  if (!request.zone.empty()) options.zone = request.zone;
  if (!request.column.empty()) options.column = request.column;
  options.times_are_utc = request.utc;
  std::vector<signals::ImportFile> files;
  for (auto path = request.words.begin() + 1; path != request.words.end(); ++path) {
    EBB_ASSIGN_OR_RETURN(std::string text, platform::ReadFileMaybeGzip(*path));
    files.push_back({*path, std::move(text)});
  }
  return signals::ImportTraces(files, options);
}

Status Write(const platform::Path& path, const std::string& csv, bool overwrite) {
  std::error_code code;
  if (!overwrite && std::filesystem::exists(path, code)) {
    const auto there = platform::ReadFileMaybeGzip(path);
    if (there && *there == csv) return {};
    return Fail({ExitCode::kConfiguration, "already exists, with other content", path.string(),
                 "--overwrite replaces it, --output names another file"});
  }
  if (path.has_parent_path())
    EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(path.parent_path()));
  if (path.extension() != ".gz") return platform::WriteFileAtomically(path, csv);
  EBB_ASSIGN_OR_RETURN(const std::string packed, platform::Compress(csv));
  return platform::WriteFileAtomically(path, packed);
}

struct Extremes {
  double mean, lowest, highest;  ///< g/kWh
};

Extremes ExtremesOf(const signals::TraceImport& import) {
  Extremes extremes{0, import.samples.front().intensity.g_per_kwh, 0};
  double hours = 0;
  for (const core::Sample& sample : import.samples) {
    const double value = sample.intensity.g_per_kwh, length = Hours(sample.interval.length());
    extremes.mean += value * length;
    hours += length;
    extremes.lowest = std::min(extremes.lowest, value);
    extremes.highest = std::max(extremes.highest, value);
  }
  extremes.mean /= hours;
  return extremes;
}

Duration Missing(const signals::TraceImport& import) {
  Duration sum{0};
  for (const Interval& gap : import.gaps) sum += gap.length();
  return sum;
}

Interval SpanOf(const signals::TraceImport& import) {
  return {import.samples.front().interval.begin, import.samples.back().interval.end};
}

std::string GapText(const signals::TraceImport& import) {
  constexpr std::size_t kShown = 5;
  if (import.gaps.empty()) return "gaps: none\n";
  std::string text = "gaps: " + std::to_string(import.gaps.size()) + ", " +
                     FormatDuration(Missing(import)) + " in all; they stay gaps\n";
  for (std::size_t i = 0; i < std::min(kShown, import.gaps.size()); ++i)
    text += "  " + FormatTime(import.gaps[i].begin) + "  " +
            FormatDuration(import.gaps[i].length()) + "\n";
  if (import.gaps.size() > kShown)
    text += "  and " + std::to_string(import.gaps.size() - kShown) + " more\n";
  return text;
}

std::string WrittenText(const std::string& path, bool written) {
  return (written ? "written: " : "not written (--dry-run): ") + path + "\n";
}

std::string Text(const signals::TraceImport& import, const std::string& path, bool written) {
  const Interval span = SpanOf(import);
  const Extremes grams = ExtremesOf(import);
  std::string text = import.identity.zone + ", " + std::string(core::Name(import.identity.kind)) +
                     ", " + std::string(core::Name(import.identity.boundary)) + ": " +
                     FormatTime(span.begin) + " to " + FormatTime(span.end) + ", " +
                     signals::StepName(import) + ", " + std::to_string(import.samples.size()) +
                     " values\n";
  for (const signals::ImportPart& part : import.parts)
    text += "  " + part.path + ": " + std::to_string(part.rows) + " values from " +
            FormatTime(part.span.begin) + "\n";
  text += "mean " + FormatFixed(grams.mean, 1) + " g/kWh, from " + FormatFixed(grams.lowest, 1) +
          " to " + FormatFixed(grams.highest, 1) + "\n" + GapText(import);
  const double share =
      100 * static_cast<double>(import.estimated) / static_cast<double>(import.samples.size());
  text += "estimated by the source: " + std::to_string(import.estimated) + " values (" +
          FormatFixed(share, 1) + " %)\n";
  if (import.repeated > 0)
    text += "the same in two files, counted once: " + std::to_string(import.repeated) + " values\n";
  for (const std::string& note : import.notes) text += "note: " + note + "\n";
  return text + WrittenText(path, written);
}

std::string Json(const signals::TraceImport& import, const std::string& path, bool written) {
  const Interval span = SpanOf(import);
  const Extremes grams = ExtremesOf(import);
  nlohmann::ordered_json json{{"schema", "ebb.data-import/1"},
                              {"file", path},
                              {"written", written},
                              {"zone", import.identity.zone},
                              {"kind", core::Name(import.identity.kind)},
                              {"boundary", core::Name(import.identity.boundary)},
                              {"begin", FormatTime(span.begin)},
                              {"end", FormatTime(span.end)},
                              {"step", signals::StepName(import)},
                              {"values", import.samples.size()},
                              {"mean_g_per_kwh", grams.mean},
                              {"lowest_g_per_kwh", grams.lowest},
                              {"highest_g_per_kwh", grams.highest},
                              {"estimated", import.estimated},
                              {"repeated", import.repeated},
                              {"missing_s", Seconds(Missing(import))},
                              {"notes", import.notes}};
  json["gaps"] = nlohmann::ordered_json::array();
  for (const Interval& gap : import.gaps)
    json["gaps"].push_back({{"begin", FormatTime(gap.begin)}, {"end", FormatTime(gap.end)}});
  json["files"] = nlohmann::ordered_json::array();
  for (const signals::ImportPart& part : import.parts)
    json["files"].push_back({{"path", part.path}, {"values", part.rows}});
  return report::Document(json);
}

// The output lies beside the other imports, unless the user names another place.
std::string OutputOf(const ImportRequest& request, const std::string& file_name) {
  return request.output.empty() ? "data/imported/" + file_name : request.output;
}

Result<int> Weather(const ImportRequest& request) {
  if (request.words.size() != 2) return Fail(Usage("weather needs one folder to read"));
  EBB_ASSIGN_OR_RETURN(
      const forecast::WeatherArchive archive,
      ImportWeather({request.words[1], request.zone, request.weather_points, request.weather_lag}));
  const std::string path = OutputOf(request, WeatherFileName(archive, request.zone));
  if (!request.dry_run)
    EBB_RETURN_IF_ERROR(Write(path, signals::WeatherText(archive), request.overwrite));
  const std::string text =
      request.json ? WeatherImportJson(archive, request.zone, path, !request.dry_run)
                   : WeatherImportText(archive, request.zone) + WrittenText(path, !request.dry_run);
  std::fputs(text.c_str(), stdout);
  return 0;
}

Result<int> Data(const ImportRequest& request) {
  const std::vector<std::string> actions{"import", "weather"};
  const std::string& action = request.words.front();
  if (action == "weather") return Weather(request);
  if (action != "import")
    return Fail(Usage("unknown action \"" + action + "\"" + SuggestionText(action, actions)));
  if (request.words.size() < 2) return Fail(Usage("import needs the files to read"));
  EBB_ASSIGN_OR_RETURN(const signals::TraceImport import, Import(request));
  const std::string path = OutputOf(request, signals::TraceFileName(import));
  if (!request.dry_run)
    EBB_RETURN_IF_ERROR(Write(path, signals::TraceCsv(import), request.overwrite));
  const auto show = request.json ? Json : Text;
  std::fputs(show(import, path, !request.dry_run).c_str(), stdout);
  return 0;
}

}  // namespace

void AddDataCommand(Parser& parser) {
  Command& command = parser.Add(
      "data", "turn downloads into a trace, or into archived weather: join, check, convert",
      kExamples);
  auto request = std::make_shared<ImportRequest>();
  command.Positionals(
      "ACTION",
      "import FILE...: CSV files of one zone, plain or gzip; weather FOLDER: files of "
      "GFS as GRIB2",
      &request->words);
  const auto text = [request](std::string ImportRequest::*member) {
    return [request, member](const std::string& value) { (*request).*member = value; };
  };
  command.Flag({"boundary", "lifecycle|direct",
                "which intensity to take if the file has both (default: lifecycle)"},
               text(&ImportRequest::boundary));
  command.Flag({"zone", "ZONE", "the zone, if the files name none or several"},
               text(&ImportRequest::zone));
  command.Flag(
      {"column", "HEADING", "the column of the values, if its name is not one of the usual ones"},
      text(&ImportRequest::column));
  command.Switch({"utc", "", "the times are UTC although nothing in the file says so"},
                 [request] { request->utc = true; });
  command.Flag({"weather-points", "PLACES",
                "weather: where to look, as latitude,longitude with semicolons between places "
                "(default: a table of zones)"},
               text(&ImportRequest::weather_points));
  command.Flag({"weather-lag", "DURATION",
                "weather: how long after its begin a run was published (default 6h)"},
               text(&ImportRequest::weather_lag));
  command.Flag({"output", "FILE", "default: data/imported/, named for what it holds"},
               text(&ImportRequest::output));
  command.Switch({"overwrite", "", "replace an existing file"},
                 [request] { request->overwrite = true; });
  command.Switch({"dry-run", "", "check and report; write nothing"},
                 [request] { request->dry_run = true; });
  command.Flag({"format", "text|json", "output format of the report"},
               [request](const std::string& value) { request->json = value == "json"; });
  command.Action([request] { return Data(*request); });
}

}  // namespace ebb::cli
