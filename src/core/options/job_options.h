#pragma once
// Every option of a job, described once: its key, type, range, default and meaning, the places in
// which it may stand, its flag and annotation, and the member that it sets. The API and files of
// jobs (web/requests), the flags of ebb submit and ebb edit (cli/job_flags.h), sweeps and scenarios
// (config/job_option_rules.h), annotations (kubernetes/gated_object.h), answers and `ebb
// show`, and docs/job-options.md follow this table. Pure.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/options/definition.h"
#include "core/submission.h"

namespace ebb::core {

/// Where an option of a job may stand.
enum class Place : unsigned {
  kSubmission = 1,   ///< the API, files of jobs, flags of ebb submit
  kChange = 2,       ///< a change of a job that waits: the API, flags of ebb edit
  kSweep = 4,        ///< the top of a sweep's file: all of its experiments have it
  kScenario = 8,     ///< a job of a scenario
  kJobTrace = 16,    ///< the section of a scenario that reads a trace of jobs
  kAnnotation = 32,  ///< an object of a Kubernetes cluster
};

/// Numbers are in the unit of their key. kWhole: std::int64_t. kChoice and kTextOrNumber: text.
using OptionValue =
    std::variant<bool, std::int64_t, double, Duration, std::string, std::vector<std::string>>;

struct JobOption {
  Field field{};
  unsigned places = 0;
  std::string heading{};     ///< of its flag in --help
  std::string annotation{};  ///< after the prefix "ebb/"; empty: none
  /// Empty where an option needs more than its own value (a tier's name, a time from now): its
  /// readers treat it by its key.
  std::function<Status(const OptionValue&, Submission&)> set{};
  /// Nothing where the member has no value. Empty as `set` is.
  std::function<std::optional<OptionValue>(const Submission&)> get{};

  bool StandsIn(Place place) const { return (places & static_cast<unsigned>(place)) != 0; }
  /// Of an option with `get`.
  bool IsDefault(const Submission& submission) const {
    return get(submission) == get(Submission());
  }
};

/// In the order in which people read them.
std::span<const JobOption> JobOptions();
/// The key must be one of an option.
const JobOption& JobOptionOf(std::string_view key);
/// The fields of the options of a place.
std::vector<Field> FieldsIn(Place place);

/// The key of the option in answers of the API, where a duration is in seconds: "duration_s".
std::string AnswerKey(const Field& field);

/// Reads a text by the field's type and range. The Error's `what` says what is accepted: "a number
/// from 0 to 10000".
Result<OptionValue> ParseOption(const Field& field, std::string_view text);
/// As ParseOption reads it; a list with commas.
std::string OptionText(const OptionValue& value);

/// Parts of a job that are objects of their own.
const Definition& TierDefinition();
const Definition& BudgetDefinition();
const Definition& TrackersDefinition();
const Definition& RecurrenceDefinition();

}  // namespace ebb::core
