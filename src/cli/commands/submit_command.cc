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
#include "cli/job_values.h"
#include "cli/local_times.h"
#include "cli/service_flags.h"
#include "cli/wait_for_jobs.h"
#include "core/owner_variables.h"
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

Prints the numbers of the jobs. Commands run in this directory, without a shell but for --wrap.)";

struct SubmitFlags {
  ServiceFlags service;
  Json job = Json::object();
  std::string file;       // of people
  std::string json_file;  // of programs
  std::string wrap;       // a line for a shell, in place of a command
  core::Tracking tracking;
  bool dry_run = false;
  bool no_check = false;
  Status times;  // of the flags: the first mistake
  bool wait = false;
  bool follow = false;  // and wait
};

// Flags whose text goes to the service as it is: the service checks it.
void AddText(Command& command, SubmitFlags& flags, const char* name, const char* key,
             const char* value_name, const char* help) {
  command.Flag({name, value_name, help, "Job"},
               [&flags, key](const std::string& text) { flags.job[key] = text; });
}

void AddDuration(Command& command, SubmitFlags& flags, const char* name,
                 std::function<Json&(Json& job)> key, const char* help, const char* heading) {
  command.Flag({name, "DURATION", help, heading}, [&flags, name, key](const std::string& text) {
    const auto duration = DurationForService("--" + std::string(name), text);
    if (duration)
      key(flags.job) = *duration;
    else if (flags.times)
      flags.times = Fail(duration.error());
  });
}

void AddWhen(Command& command, SubmitFlags& flags, const char* name, const char* key,
             const char* help) {
  command.Flag({name, "WHEN", help, "Job"}, [&flags, name, key](const std::string& text) {
    const auto when = WhenForService("--" + std::string(name), text);
    if (when)
      flags.job[key] = *when;
    else if (flags.times)
      flags.times = Fail(when.error());
  });
}

// A number stays one; anything else is for the service to refuse.
void AddNumber(Command& command, SubmitFlags& flags, const char* name, const char* key,
               const char* value_name, const char* help) {
  command.Flag({name, value_name, help, "Job"}, [&flags, key](const std::string& text) {
    if (const auto number = ParseNumber(text))
      flags.job[key] = *number;
    else
      flags.job[key] = text;
  });
}

void AddJobFlags(Command& command, SubmitFlags& flags) {
  command.Flag({"wrap", "LINE", "a line for /bin/sh -c instead of a command", "Job"},
               [&flags](const std::string& text) { flags.wrap = text; });
  AddText(command, flags, "name", "name", "NAME",
          "its name (default: that of its script, or else of the program)");
  const auto of_job = [](const char* key) {
    return [key](Json& job) -> Json& { return job[key]; };
  };
  AddDuration(command, flags, "duration", of_job("duration"), "estimated run time (default 1h)",
              "Job");
  AddNumber(command, flags, "power", "power_w", "WATTS",
            "estimated power of one device (default 100)");
  AddNumber(command, flags, "devices", "devices", "N", "GPUs or slots, all at once (default 1)");
  AddNumber(command, flags, "gpus", "devices", "N", "the same as --devices");
  AddText(command, flags, "tier", "tier", "TIER", "threshold, longest wait and priority by name");
  AddWhen(command, flags, "start-by", "start_by",
          "latest start: 6h, 18:00, \"tomorrow 6am\", 2026-10-01T09:30Z (default 24h)");
  AddWhen(command, flags, "finish-by", "finish_by", "latest end, in the same way");
  AddNumber(command, flags, "threshold", "threshold", "G_PER_KWH",
            "start at or below this intensity");
  AddNumber(command, flags, "priority", "priority", "N", "higher goes first");
  command.Switch({"checkpointable", "", "writes a checkpoint on SIGTERM and exits with 75", "Job"},
                 [&flags] { flags.job["checkpointable"] = true; });
  command.Switch(
      {"freeze", "", "without a checkpoint: may be frozen in place, keeping its devices", "Job"},
      [&flags] { flags.job["freeze"] = true; });
  AddText(command, flags, "on-outage", "on_outage", "ACTION",
          "while the grid is unknown: wait (default), run, stop");
  AddText(command, flags, "power-cap", "power_cap", "CAP",
          "power limit of each GPU, if permitted: 250W, or 70% of its default limit");
  AddDuration(command, flags, "time-limit", of_job("time_limit"),
              "a job that runs longer has failed", "Job");
  AddText(command, flags, "key", "key", "TEXT",
          "a second submission with the same key returns the first job");
  command.Switch({"no-check", "", "do not look up the program before the job starts", "Job"},
                 [&flags] { flags.no_check = true; });
  command.Flag({"after", "IDS", "only once these jobs have succeeded, e.g. 3,4", "Job"},
               [&flags](const std::string& text) {
                 flags.job["after"] = Json::array();
                 for (const std::string_view id : Split(text, ',')) {
                   const auto number = ParseInteger(id);
                   flags.job["after"].push_back(number ? Json(*number) : Json(std::string(id)));
                 }
               });
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

void AddBudgetFlags(Command& command, SubmitFlags& flags) {
  const auto add = [&](const char* name, const char* key, const char* value_name,
                       const char* help) {
    command.Flag({name, value_name, help, "Budget"}, [&flags, key](const std::string& text) {
      const auto number = ParseNumber(text);
      flags.job["budget"][key] = number ? Json(*number) : Json(text);
    });
  };
  add("budget-kwh", "energy_kwh", "KWH", "over all attempts of the job");
  add("budget-g", "emissions_g", "GRAMS", "over all attempts of the job");
  add("budget-action", "action", "stop|pause|log",
      "when it is used up: end with a checkpoint (default), hold until resumed, note it");
}

// As those of ebb run.
void AddTrackerFlags(Command& command, SubmitFlags& flags) {
  const auto add = [&](const char* name, std::string core::Tracking::*field, const char* value_name,
                       const char* help) {
    command.Flag({name, value_name, help, "Experiment trackers"},
                 [&flags, field](const std::string& text) { flags.tracking.*field = text; });
  };
  add("tensorboard", &core::Tracking::tensorboard, "DIR",
      "loss, energy and grams as TensorBoard event files (docs/trackers.md)");
  add("mlflow", &core::Tracking::mlflow, "TARGET",
      "the same in MLflow: a server (http://...) or a directory");
  add("mlflow-experiment", &core::Tracking::mlflow_experiment, "NAME",
      "MLflow experiment (default: the name of the job)");
  add("mlflow-token-file", &core::Tracking::mlflow_token_file, "FILE",
      "holds the server's token (default: the service's MLFLOW_TRACKING_TOKEN)");
}

void AddRecurringFlags(Command& command, SubmitFlags& flags) {
  const auto add = [&](const char* name, const char* key, const char* value_name,
                       const char* help) {
    command.Flag({name, value_name, help, "Recurring jobs"},
                 [&flags, key](const std::string& text) { flags.job["recurring"][key] = text; });
  };
  add("cron", "cron", "SCHEDULE", "an instance whenever this is due: \"0 2 * * mon-fri\", @daily");
  AddDuration(
      command, flags, "flexibility",
      [](Json& job) -> Json& { return job["recurring"]["flexibility"]; },
      "how long each may wait from then (default 1h)", "Recurring jobs");
  add("overlap", "overlap", "forbid|allow|replace",
      "while an earlier one has not ended: none (default), both, the new one");
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

// Different at each call: the same file may be submitted again, and asking twice for one answer is
// still safe.
std::string NewKeyPrefix(const std::string& file) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::filesystem::path(file).stem().string() + "-" + std::to_string(now) + "-" +
         std::to_string(platform::ProcessId());
}

// The one place where a shell reads what a job is to do: because somebody asks for it.
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
  if (words.front() == "ebb-train") words.front() = app::TrainerProgram();
  Json job = flags.job;
  if (!flags.wrap.empty() && !job.contains("name")) job["name"] = "wrap";
  job["command"] = words;
  if (flags.no_check) job["no_check"] = true;
  const char* user = std::getenv(core::kUserVariable);
  if (user && *user && !job["environment"].contains(core::kUserVariable))
    job["environment"][core::kUserVariable] = user;
  for (const auto& [key, text] : core::KeysOf(app::AbsoluteTracking(flags.tracking)))
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

// By their names, for the check of a file; nothing where the service does not answer.
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
  const bool for_json = flags.no_check && !flags.json_file.empty();
  const bool alone =
      flags.job.empty() && user_command.words.empty() && flags.wrap.empty() && !for_json;
  if (from_file && (!alone || (!flags.file.empty() && !flags.json_file.empty())))
    return Fail(
        {ExitCode::kUsage, "a file of jobs stands alone", "", "put the rest into the file"});
  if (!flags.file.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::filesystem::path here, platform::WorkingDirectory());
    return app::LoadSubmitFile(flags.file, {here.string(), NewKeyPrefix(flags.file), flags.tracking,
                                            flags.no_check, TiersOf(flags.service)});
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

// The numbers on standard output, unless what the job prints goes there; what was refused on
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

Result<int> Submit(const SubmitFlags& flags, const UserCommand& user_command) {
  EBB_RETURN_IF_ERROR(flags.times);
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

// Any other first word is a program.
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
  AddJobFlags(command, *flags);
  AddBudgetFlags(command, *flags);
  AddTrackerFlags(command, *flags);
  AddRecurringFlags(command, *flags);
  AddServiceFlags(command, flags->service);
  command.Action([flags, user_command] { return Submit(*flags, *user_command); });
}

}  // namespace ebb::cli
