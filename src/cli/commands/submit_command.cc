// ebb submit [options] COMMAND, ebb submit FILE.yaml: gives jobs to the queue service.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/jobs/submit_file.h"
#include "app/run/run_trackers.h"
#include "app/run/trainer_command.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/follow_log.h"
#include "cli/job_flags.h"
#include "cli/local_times.h"
#include "cli/service_flags.h"
#include "cli/submit_skypilot.h"
#include "cli/wait_for_jobs.h"
#include "core/jobs/owner_variables.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/system.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb submit python train.py
  ebb submit --duration 2h --start-by 12h --checkpointable python train.py --epochs 30
  ebb submit --tier 2 --devices 2 --name big torchrun --nproc-per-node 2 train.py
  ebb submit --after 12 python evaluate.py
  ebb submit --wrap "python prepare.py | tee log.txt && python train.py"   a shell reads the line
  ebb submit --duration 3h --budget-g 200 --budget-action pause --checkpointable python train.py
  ebb submit --mlflow http://127.0.0.1:5000 --checkpointable python train.py
  ebb submit --name nightly --cron "0 2 * * *" --flexibility 6h python retrain.py
  ebb submit --follow python train.py             prints what it prints, until it has ended
  ebb submit jobs.yaml                            one job, several, or a sweep (docs/submit-file.md)
  ebb submit configs/sweeps/digits.yaml --dry-run
  ebb submit --json jobs.json                     as the API takes them (docs/api.md)
  ebb submit --as skypilot --regions aws/eu-north-1,gcp/europe-north2 --bucket s3://my-bucket \
             --accelerator A100 --launch python train.py     in a cloud, without the service

Prints the numbers of the jobs. Commands run in this directory, without a shell but for --wrap.)";

struct SubmitFlags {
  ServiceFlags service;
  Json job = Json::object();
  std::string file;                // a file that people write
  std::string json_file;           // a file that programs write
  std::string wrap;                // a line for a shell, in place of a command
  Json trackers = Json::object();  // from the command line
  CloudFlags clouds;
  bool dry_run = false;
  Status values;  // first mistake in the flags
  bool wait = false;
  bool follow = false;  // follow the output and wait
};

// Flags that are not options of a job: a line for a shell, environment variables, and the owner of
// the energy.
void AddProgramFlags(Command& command, SubmitFlags& flags) {
  command.Flag({"wrap", "LINE", "a line for /bin/sh -c instead of a command", "Job"},
               [&flags](const std::string& text) { flags.wrap = text; });
  command.Flag({"env", "NAME=VALUE", "a variable for the program", "Job"},
               [&flags](const std::string& text) {
                 const auto equals = text.find('=');
                 flags.job["environment"][text.substr(0, equals)] =
                     equals == std::string::npos ? "" : text.substr(equals + 1);
               });
  for (const auto& [name, variable, help] :
       {std::tuple("project", core::kProjectVariable,
                   "the project that this energy counts for, in reports of a period"),
        std::tuple("user", core::kUserVariable,
                   "the user that it counts for, in reports of a period and ebb queue --user "
                   "(default: $EBB_USER)")})
    command.Flag({name, "NAME", help, "Job"}, [&flags, variable](const std::string& text) {
      flags.job["environment"][variable] = text;
    });
}

void AddOptionFlags(Command& command, SubmitFlags& flags) {
  const GivenJobFlags given{&flags.job, &flags.values};
  AddProgramFlags(command, flags);
  AddJobFlags(command, core::Place::kSubmission, given);
  AddPartFlags(command, core::BudgetDefinition(), "budget", "Budget", given);
  AddPartFlags(command, core::TrackersDefinition(), "trackers", "Experiment trackers",
               {&flags.trackers, &flags.values});
  AddPartFlags(command, core::RecurrenceDefinition(), "recurring", "Recurring jobs", given);
}

// The trackers on the command line, for a job and for the jobs of a file.
core::Tracking TrackingOf(const SubmitFlags& flags) {
  const Json& given = flags.trackers.value("trackers", Json::object());
  return {given.value("tensorboard", ""), given.value("mlflow", ""),
          given.value("mlflow_experiment", ""), given.value("mlflow_token_file", "")};
}

void AddFileFlags(Command& command, SubmitFlags& flags) {
  command.OptionalPositional("FILE", "a job, a list of jobs, or a sweep: FILE.yaml", &flags.file);
  command.Flag({"json", "FILE", "a job or a list of jobs as the API takes them", "Files"},
               [&flags](const std::string& text) { flags.json_file = text; });
  command.Switch({"dry-run", "", "print what would be submitted", "Files"},
                 [&flags] { flags.dry_run = true; });
}

void AddWaitFlags(Command& command, SubmitFlags& flags) {
  command.Switch(
      {"wait", "", "wait until it has ended, and return its exit code (ebb wait)", "Waiting"},
      [&flags] { flags.wait = true; });
  command.Switch({"follow", "", "the same, and print its output meanwhile", "Waiting"},
                 [&flags] { flags.wait = flags.follow = true; });
}

// A new prefix at each call: the same file may be submitted again, and repeating one request is
// still safe.
std::string NewKeyPrefix(const std::string& file) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::filesystem::path(file).stem().string() + "-" + std::to_string(now) + "-" +
         std::to_string(platform::ProcessId());
}

// Only --wrap has a shell read the job's command, because the user asks for it.
Result<std::vector<std::string>> WordsOf(const SubmitFlags& flags,
                                         const UserCommand& user_command) {
  if (flags.wrap.empty()) return user_command.Required("ebb submit python train.py");
  if (!user_command.words.empty())
    return Fail({ExitCode::kUsage, "stands in place of a command", "--wrap",
                 "leave out " + Quoted(user_command.words.front()) + ", or put it into the line"});
  return std::vector<std::string>{"/bin/sh", "-c", flags.wrap};
}

Result<std::string> CommandBody(const SubmitFlags& flags, const UserCommand& user_command) {
  EBB_ASSIGN_OR_RETURN(std::vector<std::string> words, WordsOf(flags, user_command));
  // On a machine of a cloud, the trainer is where that machine has it.
  if (words.front() == "ebb-train" && flags.clouds.as.empty())
    words.front() = app::TrainerProgram();
  Json job = flags.job;
  if (!flags.wrap.empty() && !job.contains("name")) job["name"] = "wrap";
  job["command"] = words;
  const char* user = std::getenv(core::kUserVariable);
  if (user && *user && !job["environment"].contains(core::kUserVariable))
    job["environment"][core::kUserVariable] = user;
  for (const auto& [key, text] : core::KeysOf(app::AbsoluteTracking(TrackingOf(flags))))
    job["trackers"][key] = text;
  EBB_ASSIGN_OR_RETURN(const std::filesystem::path here, platform::WorkingDirectory());
  job["working_directory"] = here.string();
  try {
    return job.dump();
  } catch (const Json::exception&) {
    return Fail({ExitCode::kUsage, "the command, a flag or the working directory is not UTF-8",
                 here.string(), "rename what is not, or go to another folder (cd)"});
  }
}

// The tiers, for the check of a file; nothing if the service does not answer.
std::optional<std::vector<core::Tier>> TiersOf(const ServiceFlags& service) {
  const auto client = app::ServiceClient::Find(service);
  if (!client) return std::nullopt;
  const auto answer = client->Get("/api/v1/tiers");
  if (!answer) return std::nullopt;
  const Json json = Json::parse(*answer, nullptr, false);
  if (!json.is_object() || !json.contains("tiers")) return std::nullopt;
  std::vector<core::Tier> tiers;
  for (const Json& tier : json["tiers"])
    tiers.push_back({tier.value("name", std::string()), std::nullopt, {}, 0});
  return tiers;
}

Result<app::SubmitFile> WhatToSubmit(const SubmitFlags& flags, const UserCommand& user_command) {
  app::SubmitFile file;
  const bool from_file = !flags.file.empty() || !flags.json_file.empty();
  // A file of jobs that people write can be combined with one option of a job only: no_check.
  const bool no_check = flags.job.contains("no_check");
  const bool only_no_check = flags.job.size() == 1 && no_check && flags.json_file.empty();
  const bool alone =
      (flags.job.empty() || only_no_check) && user_command.words.empty() && flags.wrap.empty();
  if (from_file && (!alone || (!flags.file.empty() && !flags.json_file.empty())))
    return Fail(
        {ExitCode::kUsage, "a file of jobs stands alone", "", "put the rest into the file"});
  if (!flags.file.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::filesystem::path here, platform::WorkingDirectory());
    return app::LoadSubmitFile(flags.file, {here.string(), NewKeyPrefix(flags.file),
                                            TrackingOf(flags), no_check, TiersOf(flags.service)});
  }
  if (!flags.json_file.empty()) {
    EBB_ASSIGN_OR_RETURN(file.body, platform::ReadFile(flags.json_file, 8 << 20));
    file.source = flags.json_file;
  } else {
    EBB_ASSIGN_OR_RETURN(file.body, CommandBody(flags, user_command));
  }
  return file;
}

Json JobsOf(const Json& answer) {
  return answer.contains("jobs") ? answer["jobs"] : Json::array({answer});
}

// Prints numbers on standard output, unless the output of the job goes there, and refusals on
// standard error.
int PrintAnswer(const Json& jobs, const app::SubmitFile& file, bool follow) {
  int refused = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].contains("id")) {
      std::fprintf(follow ? stderr : stdout, follow ? "job %lld\n" : "%lld\n",
                   jobs[i]["id"].get<long long>());
      continue;
    }
    if (jobs[i].contains("next")) {
      std::printf("due first at %s\n",
                  LocalTimes::Now().InText(jobs[i]["next"].get<std::string>()).c_str());
      continue;
    }
    ++refused;
    const std::string what = jobs[i].value("/error/what"_json_pointer, std::string());
    const std::string text =
        file.places.empty() ? "job " + std::to_string(i + 1) + ": " + what : file.Located(i, what);
    std::fprintf(stderr, "ebb: %s\n", text.c_str());
  }
  return refused == 0 ? 0 : static_cast<int>(ExitCode::kInfeasible);
}

Result<int> WaitForThem(const app::ServiceClient& client, const SubmitFlags& flags,
                        const Json& answers) {
  std::vector<long long> jobs;
  for (const Json& answer : answers)
    if (answer.contains("id")) jobs.push_back(answer["id"].get<long long>());
  platform::ProcessSignals signals;
  PatientClient patient(client, signals);
  for (const long long job : jobs) {
    if (!flags.follow) break;
    EBB_ASSIGN_OR_RETURN(const int code, FollowLog(patient, job, std::nullopt));
    if (code != 0) return code;
  }
  return WaitForJobs(patient, jobs, flags.service.json);
}

// A job for a cloud instead of the queue service.
Result<int> SubmitToCloud(const SubmitFlags& flags, const UserCommand& user_command) {
  if (!flags.file.empty() || !flags.json_file.empty())
    return Fail({ExitCode::kUsage, "takes one command, not a file", "--as skypilot",
                 "write a sweep: ebb sweep generate SWEEP.yaml --target skypilot"});
  if (flags.wait)
    return Fail({ExitCode::kUsage, "is for jobs of the queue service", "--wait, --follow",
                 "sky jobs logs follows a task"});
  EBB_ASSIGN_OR_RETURN(const std::string job, CommandBody(flags, user_command));
  CloudFlags clouds = flags.clouds;
  clouds.launch = clouds.launch && !flags.dry_run;
  return SubmitToSkypilot(std::move(clouds), job);
}

Result<int> Submit(const SubmitFlags& flags, const UserCommand& user_command) {
  EBB_RETURN_IF_ERROR(flags.values);
  if (!flags.clouds.as.empty()) return SubmitToCloud(flags, user_command);
  if (flags.clouds.launch || !flags.clouds.regions.empty() || !flags.clouds.options.bucket.empty())
    return Fail({ExitCode::kUsage, "--launch, --regions and --bucket are for clouds", "",
                 "add --as skypilot"});
  if (flags.wait && flags.job.contains("recurring"))
    return Fail({ExitCode::kUsage, "a recurring job has no end to wait for", "--wait, --follow",
                 "ebb recurring shows when it is due"});
  EBB_ASSIGN_OR_RETURN(const app::SubmitFile file, WhatToSubmit(flags, user_command));
  if (flags.dry_run) {
    const Json body = Json::parse(file.body, nullptr, false);
    std::printf("%s\n", body.is_discarded() ? file.body.c_str() : body.dump(2).c_str());
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Post(file.route, file.body));
  const Json json = Json::parse(answer, nullptr, false);
  const Json jobs = JobsOf(json);
  int code = 0;
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
  } else {
    if (json.contains("sweep"))
      std::fprintf(stderr, "sweep %s: ebb queue --sweep %s\n", json["sweep"].dump().c_str(),
                   json["sweep"].dump().c_str());
    code = PrintAnswer(jobs, file, flags.follow);
  }
  if (!flags.wait) return code;
  std::fflush(stdout);
  EBB_ASSIGN_OR_RETURN(const int waited, WaitForThem(client, flags, jobs));
  return code == 0 ? waited : code;
}

// True if the first word is a file of jobs. Any other first word is a program.
bool IsFileOfJobs(const std::string& word) {
  return word.ends_with(".yaml") || word.ends_with(".yml");
}

}  // namespace

void AddSubmitCommand(Parser& parser) {
  Command& command = parser.Add("submit", "give a job to the queue service", kExamples);
  auto flags = std::make_shared<SubmitFlags>();
  auto user_command = std::make_shared<UserCommand>();
  AddFileFlags(command, *flags);
  command.TakesUserCommand(&user_command->words, IsFileOfJobs);
  AddWaitFlags(command, *flags);
  AddOptionFlags(command, *flags);
  AddCloudFlags(command, flags->clouds);
  AddServiceFlags(command, flags->service);
  command.Action([flags, user_command] { return Submit(*flags, *user_command); });
}

}  // namespace ebb::cli
