#include "cli/job_flags.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/job_values.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;
using core::Field;
using core::Shape;

// Text that is not a number is passed on for the service to refuse.
Json NumberOrText(const std::string& text) {
  if (const auto whole = ParseInteger(text)) return *whole;
  const auto number = ParseNumber(text);
  return number ? Json(*number) : Json(text);
}

Json ListOf(const Field& field, const std::string& text) {
  Json list = Json::array();
  for (const std::string_view word : Split(text, ','))
    list.push_back(field.shape == Shape::kJobs ? NumberOrText(std::string(Trim(word)))
                                               : Json(std::string(Trim(word))));
  return list;
}

Result<Json> ValueOf(const Field& field, const std::string& text) {
  const std::string flag = "--" + field.flag.name;
  switch (field.shape) {
    case Shape::kNumber:
    case Shape::kWhole:
      return NumberOrText(text);
    case Shape::kDuration: {
      EBB_ASSIGN_OR_RETURN(const std::string duration, DurationForService(flag, text));
      return Json(duration);
    }
    case Shape::kMoment: {
      EBB_ASSIGN_OR_RETURN(const std::string when, WhenForService(flag, text));
      return Json(when);
    }
    case Shape::kTexts:
    case Shape::kJobs:
      return ListOf(field, text);
    default:
      return Json(text);
  }
}

// `part` is the object that contains the field; empty for the job itself.
void AddFlag(Command& command, const Field& field, const std::string& part,
             const std::string& heading, GivenJobFlags given) {
  Json& job = *static_cast<Json*>(given.job);
  const auto object = [&job, part]() -> Json& { return part.empty() ? job : job[part]; };
  const core::FlagName& flag = field.flag;
  if (flag.name.empty()) return;
  const std::string help = JobFlagHelp(field, given.none_removes);
  if (field.shape == Shape::kFlag)
    return command.Switch({flag.name, "", help, heading},
                          [object, key = field.key] { object()[key] = true; });
  const auto put = [object, given, &job, &field](const std::string& text) {
    if (given.none_removes && text == "none") {
      job["without"].push_back(field.key);
      return;
    }
    const auto value = ValueOf(field, text);
    if (value)
      object()[field.key] = *value;
    else if (*given.first_mistake)
      *given.first_mistake = Fail(value.error());
  };
  const std::string values =
      field.shape == Shape::kChoice ? Join(field.choices, "|") : flag.value_name;
  command.Flag({flag.name, values, help, heading}, put);
  if (!flag.also.empty()) command.HiddenFlag(flag.also, put);
}

}  // namespace

std::string JobFlagHelp(const Field& field, bool is_change) {
  std::string help = field.meaning;
  if (field.shape == Shape::kMoment) help += ": 6h, 18:00, \"tomorrow 6am\", 2026-10-01T09:30Z";
  if (!field.flag.also.empty()) help += "; --" + field.flag.also + " is the same";
  // A switch that is not given is off, and a change that is not given changes nothing.
  if (field.shape == Shape::kFlag || is_change) return help;
  return field.default_text.empty() ? help : help + " (default " + field.default_text + ")";
}

void AddJobFlags(Command& command, core::Place place, GivenJobFlags given) {
  for (const core::JobOption& option : core::JobOptions())
    if (option.StandsIn(place)) AddFlag(command, option.field, "", option.heading, given);
}

void AddPartFlags(Command& command, const core::Definition& definition, const std::string& key,
                  const std::string& heading, GivenJobFlags given) {
  for (const Field& field : definition.fields) AddFlag(command, field, key, heading, given);
}

}  // namespace ebb::cli
