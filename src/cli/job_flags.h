#pragma once
// Flags of jobs, made from the table of job options (core/options/job_options.h): each flag puts
// its value into the JSON that the API takes.

#include "base/result.h"
#include "cli/parser.h"
#include "core/options/job_options.h"

namespace ebb::cli {

/// The job flags given so far. This object must outlive the command.
struct GivenJobFlags {
  void* job;              ///< a nlohmann::ordered_json: keys of the API
  Status* first_mistake;  ///< keeps the first Error
  /// If set, the value "none" puts the key into "without": for changes of a job.
  bool none_removes = false;
};

/// The help of a flag; `is_change`: it changes a job, and what is not given stays as it is.
std::string JobFlagHelp(const core::Field& field, bool is_change = false);

/// Adds a flag for each option of the place that has one.
void AddJobFlags(Command& command, core::Place place, GivenJobFlags given);
/// Adds the flags of an object inside of a job under `key`.
void AddPartFlags(Command& command, const core::Definition& definition, const std::string& key,
                  const std::string& heading, GivenJobFlags given);

}  // namespace ebb::cli
