#pragma once
// Every option of a job, described once: its key, type, range, default and meaning, the places in
// which it may stand, its flag and annotation, and the member that it sets. The API and files of
// jobs (web/requests), the flags of ebb submit and ebb edit (cli/job_flags.h), sweeps and scenarios
// (config/job_option_rules.h), annotations (kubernetes/objects/gated_object.h), answers and `ebb
// show`, and docs/job-options.md follow this table. Pure.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/jobs/submission.h"
#include "core/options/definition.h"

namespace ebb::core {

/// Places in which an option of a job may stand.
enum class Place : unsigned {
  kSubmission = 1,   ///< the API, files of jobs, flags of ebb submit
  kChange = 2,       ///< a change of a waiting job: the API, flags of ebb edit
  kSweep = 4,        ///< the top of a sweep's file: all experiments of the sweep have the option
  kScenario = 8,     ///< a job of a scenario
  kJobTrace = 16,    ///< the section of a scenario that reads a trace of jobs
  kAnnotation = 32,  ///< an object of a Kubernetes cluster
};

/// A parsed value. Numbers are in the unit of their key. kWhole gives std::int64_t; kChoice and
/// kTextOrNumber give a text.
using OptionValue =
    std::variant<bool, std::int64_t, double, Duration, std::string, std::vector<std::string>>;

struct JobOption {
  Field field{};
  unsigned places = 0;
  std::string heading{};     ///< heading of the flag in --help
  std::string annotation{};  ///< annotation after the prefix "ebb/"; empty: none
  /// Sets the member. Empty if an option needs more than its own value (a tier's name, a time from
  /// now): readers then treat the option by its key.
  std::function<Status(const OptionValue&, Submission&)> set{};
  /// Gets the member; nullopt if it has no value. Empty if `set` is empty.
  std::function<std::optional<OptionValue>(const Submission&)> get{};

  bool StandsIn(Place place) const { return (places & static_cast<unsigned>(place)) != 0; }
  /// Requires `get`.
  bool IsDefault(const Submission& submission) const {
    return get(submission) == get(Submission());
  }
};

/// All options, in the order in which people read them.
std::span<const JobOption> JobOptions();
/// The option with this key, which must exist.
const JobOption& JobOptionOf(std::string_view key);
/// The fields of all options that may stand in a place.
std::vector<Field> FieldsIn(Place place);

/// The option's key in answers of the API, which give durations in seconds: "duration_s".
std::string AnswerKey(const Field& field);

/// Reads a text by the field's type and range. The Error's `what` says what is accepted: "a number
/// from 0 to 10000".
Result<OptionValue> ParseOption(const Field& field, std::string_view text);
/// The value as text that ParseOption reads; a list has commas.
std::string OptionText(const OptionValue& value);

/// Definitions of the parts of a job that are objects of their own.
const Definition& TierDefinition();
const Definition& BudgetDefinition();
const Definition& TrackersDefinition();
const Definition& RecurrenceDefinition();

}  // namespace ebb::core
