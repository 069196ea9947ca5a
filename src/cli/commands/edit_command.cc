// ebb edit JOB...: changes waiting jobs of the queue service.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/jobs/find_job.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/job_flags.h"
#include "cli/tell_jobs.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb edit 7 --threshold 150 --start-by "tomorrow 6am"
  ebb edit 7 8 nightly --priority 5            several, by number or name
  ebb edit 7 --tier 1 --dry-run                would it be accepted? nothing changes
  ebb edit 7 --finish-by none                  removes its deadline

Only a job that waits or is paused can be changed. The service checks the change as a submission:
a deadline that cannot be kept beside the other jobs is refused, and the job stays as it was.)";

struct EditFlags {
  ServiceFlags service;
  std::vector<std::string> words;
  Json change = Json::object();
  bool dry_run = false;
  Status values;  // first mistake in the flags
};

std::string LineOf(const Json& job, bool dry_run) {
  std::vector<std::string> parts;
  const auto text = [&](const char* key, const char* words) {
    if (job.contains(key)) parts.push_back(words + Printable(job.value(key, "")));
  };
  text("tier", "tier ");
  parts.push_back("priority " + std::to_string(job.value("priority", 0)));
  if (job.contains("threshold"))
    parts.push_back("threshold " + IntensityText({job.value("threshold", 0.0)}));
  text("start_by", "start by ");
  text("finish_by", "finish by ");
  parts.push_back("expected to run " +
                  FormatDuration(DurationFromSeconds(job.value("duration_s", 0.0))));
  return "job " + std::to_string(job.value("id", 0LL)) + " (" + Printable(job.value("name", "")) +
         ")" + (dry_run ? " would be changed: " : ": ") + Join(parts, ", ") + "\n";
}

Result<std::string> Edit(const app::ServiceClient& client, const EditFlags& flags,
                         const std::string& word) {
  EBB_ASSIGN_OR_RETURN(const long long id, app::FindJob(client, word, app::JobsMeant::kLive));
  EBB_ASSIGN_OR_RETURN(
      const std::string answer,
      client.Post(
          "/api/v1/jobs/" + std::to_string(id) + "/edit" + (flags.dry_run ? "?dry_run=1" : ""),
          flags.change.dump(-1, ' ', false, Json::error_handler_t::replace)));
  if (flags.service.json) return answer;
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object())
    return Fail({ExitCode::kUnavailable, "the service's answer is not a job", "", ""});
  return LineOf(json, flags.dry_run);
}

std::vector<std::string> FlagsOfChange() {
  std::vector<std::string> flags;
  for (const core::Field& field : core::FieldsIn(core::Place::kChange))
    flags.push_back("--" + field.flag.name);
  return flags;
}

Result<int> EditAll(const EditFlags& flags) {
  EBB_RETURN_IF_ERROR(flags.values);
  if (flags.change.empty())
    return Fail({ExitCode::kUsage, "there is nothing to change", "",
                 "give one of " + Join(FlagsOfChange(), ", ")});
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_RETURN_IF_ERROR(client.CheckToken());
  return DoForEach(flags.words, [&](const std::string& word) { return Edit(client, flags, word); });
}

}  // namespace

void AddEditCommand(Parser& parser) {
  Command& command =
      parser.Add("edit", "change waiting or paused jobs of the queue service", kExamples);
  auto flags = std::make_shared<EditFlags>();
  command.Positionals("JOB", "numbers or names", &flags->words);
  AddJobFlags(command, core::Place::kChange, {&flags->change, &flags->values, true});
  command.Switch({"dry-run", "", "check whether the change would be accepted, and change nothing"},
                 [flags] { flags->dry_run = true; });
  AddServiceFlags(command, flags->service);
  command.Action([flags] { return EditAll(*flags); });
}

}  // namespace ebb::cli
