#include "signals/providers/command_source.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/csv.h"
#include "base/json_node.h"
#include "base/text.h"
#include "platform/program_output.h"
#include "signals/generation/generation_mix.h"
#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"
#include "signals/traces/csv_rows.h"

namespace ebb::signals {
namespace {

constexpr Duration kPatience{std::chrono::seconds{30}};
constexpr std::size_t kLongestOutput = 8 << 20;  // the same limit as for an answer over a network

constexpr auto kFuels = std::to_array<NamedFuel>({{"coal", Fuel::kCoal},
                                                  {"lignite", Fuel::kCoal},
                                                  {"gas", Fuel::kGas},
                                                  {"oil", Fuel::kOil},
                                                  {"biomass", Fuel::kBiomass},
                                                  {"waste", Fuel::kBiomass},
                                                  {"solar", Fuel::kSolar},
                                                  {"hydro", Fuel::kHydro},
                                                  {"nuclear", Fuel::kNuclear},
                                                  {"wind", Fuel::kWind},
                                                  {"wind offshore", Fuel::kWindOffshore},
                                                  {"geothermal", Fuel::kGeothermal},
                                                  {"storage", Fuel::kStorage},
                                                  {"battery", Fuel::kStorage},
                                                  {"imports", Fuel::kImports},
                                                  {"other", Fuel::kOther},
                                                  {"unknown", Fuel::kOther}});

Error BadRow(const std::string& what, std::size_t line, const std::string& where) {
  return {ExitCode::kUnavailable, "line " + std::to_string(line) + ": " + what, where,
          "docs/signals.md says what the program prints"};
}

// A row as text, whether it was CSV or JSON; a member that the row does not state is "".
struct Row {
  std::string time, end, g_per_kwh, fuel, mw, status;
};

using Field = std::string Row::*;
constexpr auto kFields =
    std::to_array<std::pair<std::string_view, Field>>({{"time", &Row::time},
                                                       {"end", &Row::end},
                                                       {"g_per_kwh", &Row::g_per_kwh},
                                                       {"fuel", &Row::fuel},
                                                       {"mw", &Row::mw},
                                                       {"status", &Row::status}});

Result<Field> FieldOf(std::string_view name, std::size_t line, const std::string& where) {
  for (const auto& [known, field] : kFields)
    if (known == name) return field;
  return Fail(BadRow(Quoted(name) + " is not a column of a row", line, where));
}

struct Rows {
  std::vector<Point> points;                                   ///< rows with g/kWh
  std::vector<GenerationRow> generation, expected_generation;  ///< rows with a fuel
};

Result<Time> TimeOf(const std::string& text, std::size_t line, const std::string& where) {
  if (const auto since_1970 = TimeSince1970(text)) return *since_1970;
  auto time = ParseTime(text);
  if (!time) return Fail(BadRow(Quoted(text) + " is not a time", line, where));
  return *time;
}

Status AddGeneration(const Row& row, Time begin, bool expected, std::size_t line,
                     const std::string& where, Rows& rows) {
  if (!row.g_per_kwh.empty() || !row.end.empty())
    return Fail(BadRow("a row has g_per_kwh and end, or fuel and mw", line, where));
  EBB_ASSIGN_OR_RETURN(const auto megawatts, MegawattsFrom(row.mw, where));
  (expected ? rows.expected_generation : rows.generation)
      .push_back({begin, Lowercase(row.fuel), FuelOf(kFuels, row.fuel), megawatts});
  return {};
}

Status Add(const Row& row, std::size_t line, const std::string& where, Rows& rows) {
  EBB_ASSIGN_OR_RETURN(const Time begin, TimeOf(row.time, line, where));
  const bool expected = row.status == "forecast";
  if (!expected && !row.status.empty() && row.status != "measured" && row.status != "estimated")
    return Fail(
        BadRow(Quoted(row.status) + " is not measured, estimated or forecast", line, where));
  if (!row.fuel.empty()) return AddGeneration(row, begin, expected, line, where, rows);
  Point point;
  point.begin = begin;
  if (!row.end.empty()) {
    EBB_ASSIGN_OR_RETURN(point.end, TimeOf(row.end, line, where));
  }
  if (!row.g_per_kwh.empty()) {
    point.value = ParseNumber(row.g_per_kwh);
    if (!point.value)
      return Fail(BadRow(Quoted(row.g_per_kwh) + " is not a number of g/kWh", line, where));
  }
  point.status = expected                    ? core::SampleStatus::kForecast
                 : row.status == "estimated" ? core::SampleStatus::kEstimated
                                             : core::SampleStatus::kMeasured;
  rows.points.push_back(point);
  return {};
}

Status ReadCsv(std::string_view output, const std::string& where, Rows& rows) {
  CsvReader csv(output, where, CsvBlanks::kTrimmed);
  EBB_ASSIGN_OR_RETURN(const bool has_header, csv.Next());
  if (!has_header) return {};
  std::vector<Field> columns;
  for (const std::string_view name : csv.fields()) {
    EBB_ASSIGN_OR_RETURN(const Field field, FieldOf(name, csv.line(), where));
    columns.push_back(field);
  }
  return csv.ForEach([&]() -> Status {
    if (csv.fields().size() != columns.size())
      return Fail(BadRow("it has " + std::to_string(csv.fields().size()) + " fields instead of " +
                             std::to_string(columns.size()),
                         csv.line(), where));
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row.*columns[i] = csv.fields()[i];
    return Add(row, csv.line(), where, rows);
  });
}

// The text that CSV would have for the member, so that the same code reads both forms.
Result<std::string> TextOf(const JsonMember& member, std::size_t line, const std::string& where) {
  if (member.value.is_null()) return std::string();
  if (const auto text = member.value.AsText()) return *text;
  if (const auto number = member.value.AsNumber()) {
    // Written as an integer, because the time 1800000000 would become 1.8e+09.
    const bool is_whole = *number == std::trunc(*number) && std::abs(*number) < 1e15;
    return is_whole ? std::to_string(static_cast<long long>(*number)) : FormatExact(*number);
  }
  return Fail(BadRow("\"" + member.name + "\" is neither a text nor a number", line, where));
}

Status ReadJsonLines(std::string_view output, const std::string& where, Rows& rows) {
  std::size_t number = 0;
  for (const std::string_view line : Split(output, '\n')) {
    ++number;
    if (Trim(line).empty()) continue;
    EBB_ASSIGN_OR_RETURN(const JsonNode node, ParseJson(line, where));
    if (!node.is_object()) return Fail(BadRow("it is not an object", number, where));
    Row row;
    for (const JsonMember& member : node.members) {
      EBB_ASSIGN_OR_RETURN(const Field field, FieldOf(member.name, number, where));
      EBB_ASSIGN_OR_RETURN(row.*field, TextOf(member, number, where));
    }
    EBB_RETURN_IF_ERROR(Add(row, number, where, rows));
  }
  return {};
}

// The shortest distance between times; an hour if there is only one.
Duration StepOf(const std::vector<GenerationRow>& rows) {
  std::vector<Time> times;
  for (const GenerationRow& row : rows) times.push_back(row.begin);
  std::ranges::sort(times);
  Duration step{std::chrono::hours{1}};
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] > times[i - 1]) step = std::min(step, times[i] - times[i - 1]);
  return step;
}

Status AddMeans(const std::vector<GenerationRow>& generation, core::SampleStatus status,
                core::Boundary boundary, const std::string& where, std::vector<Point>& points) {
  EBB_ASSIGN_OR_RETURN(std::vector<Point> means,
                       IntensityOf(generation, StepOf(generation), boundary, where));
  for (Point& point : means) {
    point.status = status;
    points.push_back(point);
  }
  return {};
}

class CommandSource final : public Provider {
 public:
  CommandSource(CommandSourceOptions options, RunProgramFunction run_program)
      : options_(std::move(options)), run_program_(std::move(run_program)) {
    options_.identity.source = "live " + where() + ", a program of this user";
  }
  const std::string& name() const override { return name_; }
  std::string cache_key() const override {
    return name_ + "-" + ShortDigest(Join(options_.words, "\n"));
  }
  const core::SignalIdentity& identity() const override { return options_.identity; }

  Result<Reading> Read(const Question& question) override {
    const Time since = std::max(question.known_until, question.now - kFirstHistory);
    std::vector<std::pair<std::string, std::string>> environment{{"EBB_SINCE", FormatTime(since)}};
    if (!options_.identity.zone.empty())
      environment.emplace_back("EBB_ZONE", options_.identity.zone);
    EBB_ASSIGN_OR_RETURN(const std::string output, run_program_(options_.words, environment));
    EBB_ASSIGN_OR_RETURN(const Payload payload,
                         ParseCommandRows(output, options_.identity.boundary, where()));
    Reading reading;
    EBB_RETURN_IF_ERROR(AddPayload(payload, question.now, where(), reading));
    reading.issued = question.now;
    return reading;
  }

 private:
  const std::string& where() const { return options_.words.front(); }

  const std::string name_ = "command";
  CommandSourceOptions options_;
  const RunProgramFunction run_program_;
};

}  // namespace

std::vector<std::string> WordsOfCommand(std::string_view command) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(command, ' '))
    if (!Trim(word).empty()) words.emplace_back(Trim(word));
  return words;
}

Result<Payload> ParseCommandRows(std::string_view output, core::Boundary wanted,
                                 const std::string& where) {
  const auto boundary =
      wanted == core::Boundary::kDirect ? core::Boundary::kDirect : core::Boundary::kLifecycle;
  Rows rows;
  const bool is_json = Trim(output).starts_with('{');
  EBB_RETURN_IF_ERROR(is_json ? ReadJsonLines(output, where, rows) : ReadCsv(output, where, rows));
  const bool has_generation = !rows.generation.empty() || !rows.expected_generation.empty();
  if (has_generation && !rows.points.empty())
    return Fail({ExitCode::kUnavailable, "some rows have g_per_kwh and others a fuel", where,
                 "print one of them"});
  if (!has_generation && rows.points.empty())
    return Fail({ExitCode::kUnavailable, "it printed no rows", where, "run it by hand"});
  EBB_RETURN_IF_ERROR(
      AddMeans(rows.generation, core::SampleStatus::kMeasured, boundary, where, rows.points));
  EBB_RETURN_IF_ERROR(AddMeans(rows.expected_generation, core::SampleStatus::kForecast, boundary,
                               where, rows.points));
  Payload payload;
  if (has_generation) payload.boundary = boundary;
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(rows.points), std::nullopt, where));
  return payload;
}

std::unique_ptr<Provider> MakeCommandSource(CommandSourceOptions options,
                                            RunProgramFunction run_program) {
  return std::make_unique<CommandSource>(std::move(options), std::move(run_program));
}

Result<std::string> RunSourceProgram(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  return platform::OutputOf(words, environment, kPatience, kLongestOutput);
}

}  // namespace ebb::signals
