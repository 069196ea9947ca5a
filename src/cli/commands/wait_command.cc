// ebb wait JOB...: waits until jobs of the queue service have ended.

#include "app/jobs/find_job.h"
#include "cli/command_line.h"
#include "cli/service_flags.h"
#include "cli/wait_for_jobs.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb wait 7 && python evaluate.py
  ebb wait 7 8 nightly                   several, by number or name
  ebb submit --wait python train.py      submits it, and waits

The exit code is that of the first job that did not succeed: its program's, or 1 if the job was
cancelled or has none. Ctrl-C ends the waiting (exit code 130) and leaves the jobs alone. While the
service restarts, ebb wait keeps asking.)";

Result<int> Wait(const ServiceFlags& flags, const std::vector<std::string>& words) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags));
  std::vector<long long> jobs;
  for (const std::string& word : words) {
    EBB_ASSIGN_OR_RETURN(const long long job, app::FindJob(client, word, app::JobsMeant::kAll));
    // An unknown number is an error now, because waiting for it would never end.
    EBB_RETURN_IF_ERROR(client.Get("/api/v1/jobs/" + std::to_string(job)));
    jobs.push_back(job);
  }
  platform::ProcessSignals signals;
  PatientClient patient(client, signals);
  return WaitForJobs(patient, jobs, flags.json);
}

}  // namespace

void AddWaitCommand(Parser& parser) {
  Command& command =
      parser.Add("wait", "wait until jobs of the queue service have ended", kExamples);
  auto flags = std::make_shared<ServiceFlags>();
  auto words = std::make_shared<std::vector<std::string>>();
  command.Positionals("JOB", "numbers or names", words.get());
  AddServiceFlags(command, *flags);
  command.Action([flags, words] { return Wait(*flags, *words); });
}

}  // namespace ebb::cli
