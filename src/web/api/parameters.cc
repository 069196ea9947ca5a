#include "web/api/parameters.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/state.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Parameter::Kind;

constexpr long long kLastJob = 2'000'000'000;
// ParseDuration reads some rarer forms too. Here: "6h", "1.5h", "90m", seconds.
constexpr const char* kDurationPattern = R"(^[0-9]{1,5}(\.[0-9]{1,3})?(ms|s|m|h)?$)";

Parameter Whole(const char* name, const char* meaning, long long low, long long high,
                std::optional<long long> otherwise = std::nullopt) {
  Parameter parameter{name, Kind::kWhole, meaning};
  parameter.low = low;
  parameter.high = high;
  parameter.otherwise = otherwise;
  return parameter;
}

tl::unexpected<Error> Wrong(const Parameter& parameter, std::string what, std::string next) {
  return Fail({ExitCode::kUsage, std::move(what), parameter.name, std::move(next)});
}

Status CheckWhole(const Parameter& parameter, const std::string& text) {
  const auto number = ParseInteger(text);
  if (number && *number >= parameter.low && *number <= parameter.high) return {};
  return Wrong(parameter,
               "must be a whole number from " + std::to_string(parameter.low) + " to " +
                   std::to_string(parameter.high),
               "");
}

Status CheckChoice(const Parameter& parameter, std::string_view word) {
  const auto& choices = parameter.choices;
  if (std::ranges::find(choices, word) != choices.end()) return {};
  return Wrong(parameter,
               "\"" + std::string(word) + "\" is not accepted" + SuggestionText(word, choices),
               "choose from " + Join(choices, ", "));
}

Status CheckChoices(const Parameter& parameter, const std::string& text) {
  if (text.empty()) return {};
  for (const std::string_view word : Split(text, ','))
    EBB_RETURN_IF_ERROR(CheckChoice(parameter, word));
  return {};
}

Status CheckTime(const Parameter& parameter, const std::string& text) {
  if (ParseTime(text)) return {};
  const bool or_duration = parameter.kind == Kind::kTimeOrDuration;
  if (or_duration && ParseDuration(text)) return {};
  return Wrong(parameter, "\"" + text + "\" is not a time" + (or_duration ? " or duration" : ""),
               "give e.g. 2026-03-01T12:00Z" + std::string(or_duration ? " or 6h" : "") +
                   "; a + in an address is written %2B");
}

// The bytes that do not continue a character of UTF-8.
std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Status CheckText(const Parameter& parameter, const std::string& text) {
  if (parameter.required && text.empty()) return Wrong(parameter, "is empty", "");
  if (CharactersIn(text) <= parameter.longest) return {};
  return Wrong(parameter, "is longer than " + std::to_string(parameter.longest) + " characters",
               "");
}

Status CheckValue(const Parameter& parameter, const std::string& text) {
  switch (parameter.kind) {
    case Kind::kText:
      return CheckText(parameter, text);
    case Kind::kWhole:
      return CheckWhole(parameter, text);
    case Kind::kChoice:
      return CheckChoice(parameter, text);
    case Kind::kChoices:
      return CheckChoices(parameter, text);
    case Kind::kTime:
    case Kind::kTimeOrDuration:
      break;
  }
  return CheckTime(parameter, text);
}

Json SchemaOf(const Parameter& parameter) {
  const Json time{{"type", "string"}, {"format", "date-time"}};
  const Json word{{"type", "string"}, {"enum", parameter.choices}};
  switch (parameter.kind) {
    case Kind::kText: {
      Json text{{"type", "string"}, {"maxLength", parameter.longest}};
      if (parameter.required) text["minLength"] = 1;
      return text;
    }
    case Kind::kWhole: {
      Json whole{{"type", "integer"}, {"minimum", parameter.low}, {"maximum", parameter.high}};
      if (parameter.otherwise) whole["default"] = *parameter.otherwise;
      return whole;
    }
    case Kind::kChoice:
      return word;
    case Kind::kChoices:
      return {{"type", "array"}, {"items", word}};
    case Kind::kTime:
      return time;
    case Kind::kTimeOrDuration:
      break;
  }
  return {{"anyOf", Json::array({time, {{"type", "string"}, {"pattern", kDurationPattern}}})}};
}

}  // namespace

Parameter TextParameter(const char* name, const std::string& meaning, std::size_t longest) {
  return {name, Kind::kText, meaning, longest};
}

Parameter ChoiceParameter(const char* name, const std::string& meaning,
                          std::vector<std::string> choices) {
  Parameter parameter{name, Kind::kChoice, meaning};
  parameter.choices = std::move(choices);
  return parameter;
}

Parameter TimeParameter(const char* name, const std::string& meaning) {
  return {name, Kind::kTime, meaning};
}

Parameter TimeOrDurationParameter(const char* name, const std::string& meaning) {
  return {name, Kind::kTimeOrDuration, meaning};
}

Parameter StagesParameter(bool only_ended) {
  Parameter parameter{"stage", Kind::kChoices, "only jobs in these stages, separated by commas"};
  for (int i = 0; i <= static_cast<int>(engine::Stage::kCancelled); ++i) {
    const auto stage = static_cast<engine::Stage>(i);
    if (!only_ended || engine::HasEnded(stage)) parameter.choices.emplace_back(Name(stage));
  }
  return parameter;
}

Parameter Required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}

const Parameter& JobsLimit() {
  static const Parameter limit = Whole("limit", "the most jobs in the answer", 0, 200'000, 1000);
  return limit;
}

const Parameter& JobsFrom() {
  static const Parameter from =
      Whole("from", "the number of the first job: `next` of the part before", 0, kLastJob, 0);
  return from;
}

const Parameter& HistoryLimit() {
  static const Parameter limit = Whole("limit", "the most jobs in the answer", 1, 1000, 1000);
  return limit;
}

const Parameter& HistoryBefore() {
  static const Parameter before =
      Whole("before", "only jobs with smaller numbers: `next` of the part before; 0: all", 0,
            kLastJob, 0);
  return before;
}

const Parameter& LogAttempt() {
  static const Parameter attempt =
      Whole("attempt", "the attempt; if it is left out, the last one", 0, 1'000'000'000);
  return attempt;
}

const Parameter& LogOffset() {
  static const Parameter offset = Whole("offset", "the first byte", 0, 1LL << 50, 0);
  return offset;
}

const Parameter& LogTail() {
  static const Parameter tail =
      Whole("tail", "so many bytes at the end, in place of `offset`; 0: from `offset`", 0,
            kLongestLogPart, 0);
  return tail;
}

const Parameter& SeriesPoints() {
  static const Parameter points = Whole("points", "the most points of one series", 1, 2000, 300);
  return points;
}

const Parameter& SweepsLimit() {
  static const Parameter limit = Whole("limit", "the most sweeps in the answer", 0, 10'000, 100);
  return limit;
}

const Parameter& MachineDays() {
  static const Parameter days = Whole("days", "so many days back", 1, 400, 7);
  return days;
}

const Parameter& WindowMinutes() {
  static const Parameter minutes =
      Whole("windowSize", "length of a window in minutes; 0: one value of the forecast", 0,
            60 * 24 * 366, 0);
  return minutes;
}

const Parameter& DryRun() {
  static const Parameter dry_run =
      ChoiceParameter("dry_run", "1: only check, and change nothing", {"0", "1"});
  return dry_run;
}

Status CheckQuery(const HttpRequest& request, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    const auto given = request.query.find(parameter.name);
    if (given != request.query.end())
      EBB_RETURN_IF_ERROR(CheckValue(parameter, given->second));
    else if (parameter.required)
      return Wrong(parameter, "is required", "give " + parameter.meaning);
  }
  return {};
}

std::string DescriptionOf(const Parameter& parameter) {
  Json description{{"name", parameter.name},
                   {"in", "query"},
                   {"required", parameter.required},
                   {"description", parameter.meaning}};
  if (parameter.kind == Kind::kChoices) {
    description["style"] = "form";
    description["explode"] = false;
  }
  description["schema"] = SchemaOf(parameter);
  return description.dump();
}

long long NumberOf(const HttpRequest& request, const Parameter& parameter) {
  const auto given = ParseInteger(QueryOf(request, parameter.name.c_str()));
  return given ? *given : parameter.otherwise.value_or(0);
}

std::vector<engine::Stage> StagesOf(const HttpRequest& request) {
  std::vector<engine::Stage> stages;
  const std::string given = QueryOf(request, "stage");
  for (const std::string_view name : Split(given, ','))
    if (const auto stage = engine::StageFromName(name)) stages.push_back(*stage);
  return stages;
}

std::optional<Time> TimeOf(const HttpRequest& request, const char* name) {
  const auto time = ParseTime(QueryOf(request, name));
  return time ? std::optional(*time) : std::nullopt;
}

std::optional<Time> PastOf(const HttpRequest& request, const char* name, Time now) {
  if (const auto ago = ParseDuration(QueryOf(request, name))) return now - *ago;
  return TimeOf(request, name);
}

bool IsDryRun(const HttpRequest& request) { return QueryOf(request, DryRun().name.c_str()) == "1"; }

}  // namespace ebb::web
