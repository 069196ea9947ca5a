// ebb submit [options] -- COMMAND: gives a job to the queue service.

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/service_client.h"
#include "platform/file.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb submit -- python train.py
  ebb submit --duration 2h --start-by 12h --checkpointable -- python train.py --epochs 30
  ebb submit --tier 2 --devices 2 --name big -- torchrun --nproc-per-node 2 train.py
  ebb submit --after 12 -- python evaluate.py
  ebb submit --json jobs.json                     one job, or a list of jobs (docs/api.md)

Prints the job's number. The command runs in this directory, without a shell.)";

struct SubmitFlags {
  ServiceFlags service;
  Json job = Json::object();
  std::string file;
};

// Flags whose text goes to the service as it is: the service checks it.
void AddText(Command& command, SubmitFlags& flags, const char* name, const char* key,
             const char* value_name, const char* help) {
  command.Flag({name, value_name, help, "Job"},
               [&flags, key](const std::string& text) { flags.job[key] = text; });
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
  AddText(command, flags, "name", "name", "NAME", "its name (default: the program's)");
  AddText(command, flags, "duration", "duration", "DURATION", "estimated run time (default 1h)");
  AddNumber(command, flags, "power", "power_w", "WATTS", "estimated, of one device (default 100)");
  AddNumber(command, flags, "devices", "devices", "N", "GPUs or slots, all at once (default 1)");
  AddText(command, flags, "tier", "tier", "TIER", "threshold, longest wait and priority by name");
  AddText(command, flags, "start-by", "start_by", "WHEN", "latest start: 6h, or a time");
  AddText(command, flags, "finish-by", "finish_by", "WHEN", "latest end: 6h, or a time");
  AddNumber(command, flags, "threshold", "threshold", "G_PER_KWH", "start at or below it");
  AddNumber(command, flags, "priority", "priority", "N", "higher goes first");
  command.Switch({"checkpointable", "", "writes a checkpoint on SIGTERM and exits with 75", "Job"},
                 [&flags] { flags.job["checkpointable"] = true; });
  AddText(command, flags, "time-limit", "time_limit", "DURATION", "longer than this has failed");
  AddText(command, flags, "key", "key", "TEXT", "a second submission with it is the first one");
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
  command.Flag({"json", "FILE", "a job or a list of jobs instead of a command", "Job"},
               [&flags](const std::string& text) { flags.file = text; });
}

Result<std::string> BodyOf(const SubmitFlags& flags, const UserCommand& user_command) {
  if (!flags.file.empty()) {
    if (!user_command.words.empty() || !flags.job.empty())
      return Fail({ExitCode::kUsage, "--json stands alone", "", "put the rest into the file"});
    return platform::ReadFile(flags.file, 8 << 20);
  }
  EBB_ASSIGN_OR_RETURN(const std::vector<std::string> words,
                       user_command.Required("ebb submit -- python train.py"));
  Json job = flags.job;
  job["command"] = words;
  job["working_directory"] = std::filesystem::current_path().string();
  try {
    return job.dump();
  } catch (const Json::exception&) {
    return Fail({ExitCode::kUsage, "the command or a flag is not UTF-8", "", ""});
  }
}

Result<int> Submit(const SubmitFlags& flags, const UserCommand& user_command) {
  EBB_ASSIGN_OR_RETURN(const std::string body, BodyOf(flags, user_command));
  EBB_ASSIGN_OR_RETURN(const ServiceClient client, ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Post("/api/v1/jobs", body));
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  const Json json = Json::parse(answer, nullptr, false);
  const Json jobs = json.contains("jobs") ? json["jobs"] : Json::array({json});
  int refused = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].contains("id")) {
      std::printf("%lld\n", jobs[i]["id"].get<long long>());
    } else {
      ++refused;
      std::fprintf(stderr, "ebb: job %zu: %s\n", i + 1,
                   jobs[i].value("/error/what"_json_pointer, std::string()).c_str());
    }
  }
  return refused == 0 ? 0 : static_cast<int>(ExitCode::kInfeasible);
}

}  // namespace

void AddSubmitCommand(Parser& parser, const UserCommand& user_command) {
  Command& command = parser.Add("submit", "give a job to the queue service", kExamples);
  auto flags = std::make_shared<SubmitFlags>();
  AddJobFlags(command, *flags);
  AddServiceFlags(command, flags->service);
  command.Action([flags, &user_command] { return Submit(*flags, user_command); });
}

}  // namespace ebb::cli
