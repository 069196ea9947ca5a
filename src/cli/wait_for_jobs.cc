#include "cli/wait_for_jobs.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/local_times.h"
#include "engine/decision.h"
#include "engine/state.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kBetweenLooks{500};

struct JobEnd {
  std::string answer;  // answer of the service
  Json job;
};

// Returns the end of the job once it has ended, or nothing if somebody asked to stop.
Result<std::optional<JobEnd>> WaitForJob(PatientClient& client, long long number) {
  for (;;) {
    EBB_ASSIGN_OR_RETURN(auto answer, client.Get("/api/v1/jobs/" + std::to_string(number)));
    if (!answer) return std::optional<JobEnd>();
    Json job = Json::parse(*answer, nullptr, false);
    const auto stage = engine::StageFromName(job.is_object() ? job.value("stage", "") : "");
    if (stage && engine::HasEnded(*stage))
      return std::optional(JobEnd{*std::move(answer), std::move(job)});
    if (client.Pause(kBetweenLooks)) return std::optional<JobEnd>();
  }
}

// A job that was cancelled before it ran, or that failed because of its use, has no code of its
// own.
int CodeOf(const Json& job) {
  if (job.value("stage", "") == "succeeded") return 0;
  const int code = job.value("exit_code", 0);
  return code > 0 && code < 256 ? code : 1;
}

void SayEnd(const Json& job) {
  std::string text = "job " + job.value("id", Json()).dump() + " (" +
                     Printable(job.value("name", "")) + "): " + job.value("stage", "");
  if (job.contains("detail"))
    text += ": " + LocalTimes::Now().InText(Printable(job.value("detail", "")));
  else if (CodeOf(job) != 0 && job.contains("exit_code"))
    text += ": exit code " + job["exit_code"].dump();
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace

Result<int> WaitForJobs(PatientClient& client, const std::vector<long long>& jobs, bool json) {
  int code = 0;
  for (const long long number : jobs) {
    EBB_ASSIGN_OR_RETURN(const std::optional<JobEnd> end, WaitForJob(client, number));
    if (!end) return 130;
    if (json)
      std::fputs(end->answer.c_str(), stdout);
    else
      SayEnd(end->job);
    if (code == 0) code = CodeOf(end->job);
  }
  return code;
}

}  // namespace ebb::cli
