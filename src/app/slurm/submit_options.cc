#include "app/slurm/submit_options.h"

#include <algorithm>
#include <variant>

#include "app/options/flag_values.h"
#include "app/options/when.h"
#include "base/text.h"

namespace ebb::app {
namespace {

using core::Shape;

Error Mistake(const GivenOption& option, const std::string& what, const std::string& next = "") {
  return {ExitCode::kUsage, option.where + ": " + what, "", next};
}

// The field of the option; nullptr for the wishes that only jobs in Slurm have, and for unknown
// ones.
const core::Field* FieldOf(const std::string& name) {
  for (const core::JobOption* known : slurm::OptionsInSlurm())
    if (known->field.flag.name == name) return &known->field;
  return nullptr;
}

// The value as it stands in the comment.
Result<std::string> ValueOf(const GivenOption& option, const core::Field& field,
                            const SubmitMoment& moment) {
  if (field.shape == Shape::kMoment) {
    EBB_ASSIGN_OR_RETURN(const When when,
                         WhenOf(option.where, option.value, moment.now, moment.zone));
    const auto* at = std::get_if<Time>(&when);
    return FormatTime(at ? *at : moment.now + std::get<Duration>(when));
  }
  if (field.shape == Shape::kDuration) EBB_RETURN_IF_ERROR(DurationOf(option.where, option.value));
  return option.value;
}

// Reads the wish as a service would.
Status Check(const GivenOption& option, const std::string& wish, const SubmitMoment& moment) {
  slurm::SlurmJob job;
  job.submitted = moment.now;
  job.comment = std::string(slurm::kCommentPrefix) + wish;
  slurm::JobDefaults defaults;
  defaults.tiers = moment.tiers;
  const slurm::JobWishes wishes = slurm::ReadWishes(job, defaults);
  if (wishes.problems.empty()) return {};
  const std::string& problem = wishes.problems.front();
  const std::string prefix = option.name + ": ";
  return Fail(Mistake(option, problem.starts_with(prefix) ? problem.substr(prefix.size()) : problem,
                      "ebb slurm submit --help lists the options"));
}

Result<std::string> WishOf(const GivenOption& option, const SubmitMoment& moment) {
  const core::Field* field = FieldOf(option.name);
  std::string wish = option.name;
  if (option.has_value && field) {
    EBB_ASSIGN_OR_RETURN(const std::string value, ValueOf(option, *field, moment));
    wish += "=" + value;
  } else if (option.has_value) {
    wish += "=" + option.value;
  } else if (field && field->shape != Shape::kFlag) {
    return Fail(Mistake(option, "a value is missing: " + field->flag.value_name));
  }
  EBB_RETURN_IF_ERROR(Check(option, wish, moment));
  return wish;
}

}  // namespace

Result<std::string> WishesOf(std::span<const GivenOption> options, const SubmitMoment& moment) {
  std::vector<std::pair<std::string, std::string>> wishes;  // by name, in the order of the first
  for (const GivenOption& option : options) {
    EBB_ASSIGN_OR_RETURN(std::string wish, WishOf(option, moment));
    const auto found =
        std::ranges::find(wishes, option.name, [](const auto& w) { return w.first; });
    if (found == wishes.end())
      wishes.emplace_back(option.name, std::move(wish));
    else
      found->second = std::move(wish);
  }
  std::string text;
  for (const auto& [name, wish] : wishes) text += (text.empty() ? "" : ";") + wish;
  return text;
}

}  // namespace ebb::app
