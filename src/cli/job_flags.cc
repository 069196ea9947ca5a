#include "cli/job_flags.h"

#include <memory>
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

Status SameFlag(const core::FlagName& flag) {
  return Fail({ExitCode::kUsage, "--" + flag.name + " and --" + flag.also + " are the same flag",
               "", "leave out --" + flag.also});
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
  const auto used = std::make_shared<std::string>();  // the name by which the flag was given
  const auto put = [object, given, &job, &field, used](const std::string& name,
                                                       const std::string& text) {
    if (!used->empty() && *used != name && *given.first_mistake)
      *given.first_mistake = SameFlag(field.flag);
    *used = name;
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
  const auto by = [put](const std::string& name) {
    return [put, name](const std::string& text) { put(name, text); };
  };
  command.Flag({flag.name, values, help, heading}, by(flag.name));
  if (!flag.also.empty()) command.HiddenFlag(flag.also, by(flag.also));
}

}  // namespace

std::string JobFlagHelp(const Field& field, bool is_change) {
  // A switch that is not given is off, and a change that is not given changes nothing.
  return field.shape == Shape::kFlag || is_change ? field.FlagMeaning() : field.FlagHelp();
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
