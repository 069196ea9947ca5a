// ebb slurm submit: sbatch with carbon options.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "app/options/when.h"
#include "app/slurm/slurm_submission.h"
#include "app/slurm/tracked_script.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/job_flags.h"
#include "cli/say.h"
#include "cli/slurm_grid.h"
#include "cli/slurm_start_text.h"
#include "platform/child_process.h"
#include "platform/file.h"
#include "platform/program_output.h"
#include "platform/temporary_directory.h"
#include "report/json_parts.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/jobs/sbatch_line.h"
#include "sweep/shell_quote.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb slurm submit train.sbatch                    starts in the cleanest hours of the next day
  ebb slurm submit --start-by 12h -t 2:00:00 --gres=gpu:1 train.sbatch --epochs 3
  ebb slurm submit --finish-by "tomorrow 8am" --power 300 -G 4 --wrap "srun python train.py"
  ebb slurm submit --track train.sbatch            measures it: ebb slurm energy JOB
  ebb slurm submit --dry-run train.sbatch          what sbatch would get, and what that saves
  ebb slurm submit --managed --tier 2 train.sbatch    `ebb serve --slurm` moves the start

All other options are sbatch's, and go to it as they are; so does everything after --. The script may
have the same options in lines like #EBB --start-by 12h beside its #SBATCH lines.)";

constexpr const char* kCarbon = "Carbon";
constexpr std::uint64_t kLongestScript = 16 << 20;

struct Flags {
  std::vector<std::string> words;
  std::vector<app::GivenOption> options;
  std::string zone, format = "text";
  bool managed = false, track = false, dry_run = false;
};

struct Script {
  std::string text, name;
  bool is_standard_input = false;
  std::string tracked{};  // what sbatch gets in place of `text`; empty: that
};

// The help of an option where it differs from that of a job of the service.
std::string HelpOf(const core::Field& field) {
  if (field.key == "duration")
    return "estimated running time (default: the time limit of the job, else 1h)";
  if (field.key == "power_w")
    return "estimated power of each GPU, or of each core without GPUs, in watts: for grams";
  if (field.key == "speedup")
    return "an elastic job: other numbers of GPUs (of cores without GPUs), each with its speed "
           "relative to those that it asks for; with --managed and --checkpointable";
  return JobFlagHelp(field);
}

Result<Script> ReadScript(const slurm::SbatchLine& line, bool track, const std::string& zone) {
  Script script;
  script.name = line.script;
  const auto wrapped = slurm::ValueOf(line.options, {"wrap"});
  if (!line.script.empty()) {
    EBB_ASSIGN_OR_RETURN(script.text, platform::ReadFile(line.script, kLongestScript));
  } else if (!wrapped) {
    script.is_standard_input = true;
    script.name = "standard input";
    script.text.assign(std::istreambuf_iterator<char>(std::cin), {});
    if (script.text.empty())
      return Fail({ExitCode::kUsage, "no script", "",
                   "name one, e.g. ebb slurm submit train.sbatch, or give --wrap \"COMMAND\""});
  }
  if (!track) return script;
  std::error_code error;
  app::TrackedScript tracked{wrapped ? "#!/bin/sh\n" + *wrapped + '\n' : script.text,
                             wrapped ? "--wrap" : script.name,
                             std::filesystem::read_symlink("/proc/self/exe", error).string()};
  // The job must not fail for it, hours later.
  EBB_ASSIGN_OR_RETURN(const std::string known, ZoneOfCluster(zone));
  if (!known.empty()) tracked.options.push_back("--zone=" + known);
  EBB_ASSIGN_OR_RETURN(script.tracked, app::MakeTrackedScript(tracked));
  return script;
}

// Sbatch names a job after the file of its script, and "sbatch" if it has none.
std::string FileNameOf(const slurm::SbatchLine& line) {
  return line.script.empty() ? "sbatch" : std::filesystem::path(line.script).filename().string();
}

// The grid, and what there is to say of its source.
Result<core::SignalView> Observe(const std::string& zone, Time now, Duration horizon) {
  EBB_ASSIGN_OR_RETURN(const SlurmGrid grid, LookAtGrid(zone, now, horizon));
  for (const std::string& note : grid.notes) SayNote(note);
  return grid.view;
}

Json JsonOf(const app::SlurmSubmission& submission, const std::string& id, bool dry_run) {
  Json json{{"schema", "ebb.slurm-submit/1"}, {"dry_run", dry_run}};
  json["job"] = id.empty() ? Json() : Json(id);
  json["begin"] = report::Maybe(submission.begin);
  json["duration_s"] = Seconds(submission.job.duration);
  if (const auto& choice = submission.choice) {
    json["latest_start"] = FormatTime(choice->latest);
    json["rule"] = core::Name(choice->reason.rule);
    json["expected_g_per_kwh"] = report::Maybe(choice->expected);
    json["if_started_now_g_per_kwh"] = report::Maybe(choice->if_now);
    json["saving_percent"] = report::Maybe(SavingOf(*choice));
  }
  json["command"] = submission.command;
  json["notes"] = submission.notes;
  return json;
}

bool IsGiven(const slurm::SbatchLine& line, slurm::SbatchOption option) {
  return slurm::ValueOf(line.options, option).has_value();
}

// Runs sbatch with the terminal of this process until the job has ended (--wait).
Result<int> RunAndWait(const std::vector<std::string>& command) {
  platform::ProcessSignals signals;
  platform::ChildOptions options;
  options.argv = command;
  EBB_ASSIGN_OR_RETURN(platform::ChildProcess child, platform::ChildProcess::Start(options));
  constexpr Duration kTick{1000};
  for (;;)
    if (const auto end = child.Wait(signals, kTick)) return end->code;
}

// Submits the job and returns its id; "" if sbatch was only asked to look (--test-only).
Result<std::string> RunSbatch(std::vector<std::string> command) {
  constexpr Duration kPatience{std::chrono::minutes{5}};
  command.insert(command.begin() + 1, "--parsable");
  EBB_ASSIGN_OR_RETURN(const platform::ProgramEnd end, platform::RunToEnd(command, {}, kPatience));
  // Sites greet their users there, too.
  std::fputs(end.errors.c_str(), stderr);
  if (end.exit_code != 0)
    return Fail({slurm::SaysAway(end.errors) ? ExitCode::kUnavailable : ExitCode::kUsage,
                 "sbatch did not take the job", "",
                 "its message is above; --dry-run shows the command"});
  const std::string_view id = Trim(end.output);
  return std::string(id.substr(0, id.find(';')));
}

Result<int> Print(const app::SlurmSubmission& submission, const Flags& flags, Time now,
                  const std::string& id, bool to_stderr) {
  if (flags.format == "json") {
    std::fputs(report::Document(JsonOf(submission, id, flags.dry_run)).c_str(), stdout);
    return 0;
  }
  const std::string who = id.empty() ? "the job" : "job " + id;
  const std::string text = StartSentence(who, submission, now, LocalTimes::Of(now));
  std::fprintf(to_stderr ? stderr : stdout, "%s\n",
               to_stderr ? text.c_str() : ForStdout(text).c_str());
  return 0;
}

Result<int> Submit(const Flags& flags) {
  const slurm::SbatchLine line = slurm::ReadSbatchLine(flags.words);
  EBB_ASSIGN_OR_RETURN(const Script script, ReadScript(line, flags.track, flags.zone));
  const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  EBB_ASSIGN_OR_RETURN(const auto zone, app::ZoneOfUser(""));
  const char* limit = std::getenv("SBATCH_TIMELIMIT");
  app::SlurmSubmitRequest request{flags.words, flags.options,      script.text,
                                  script.name, limit ? limit : "", flags.managed};
  EBB_ASSIGN_OR_RETURN(const auto directory, platform::TemporaryDirectory::Make("ebb-slurm"));
  const std::string own_file = (directory.path() / FileNameOf(line)).string();
  if (!script.tracked.empty()) request.tracked_script = own_file;
  EBB_ASSIGN_OR_RETURN(app::SlurmSubmission submission,
                       app::PrepareSubmission(request, {now, zone}, [&](Duration horizon) {
                         return Observe(flags.zone, now, horizon);
                       }));
  for (const std::string& note : submission.notes) SayNote(note);
  if (flags.dry_run) {
    if (flags.format != "json")
      std::printf("%s\n%s", sweep::ShellCommand(submission.command).c_str(),
                  script.tracked.c_str());
    return Print(submission, flags, now, "", false);
  }
  std::vector<std::string> command = submission.command;
  const bool is_tracked = !script.tracked.empty();
  if (script.is_standard_input && !is_tracked) command.push_back(own_file);
  if (script.is_standard_input || is_tracked)
    EBB_RETURN_IF_ERROR(
        platform::WriteFileAtomically(own_file, is_tracked ? script.tracked : script.text));
  if (IsGiven(line, {"wait", 'W'})) {
    EBB_RETURN_IF_ERROR(Print(submission, flags, now, "", true));
    return RunAndWait(command);
  }
  EBB_ASSIGN_OR_RETURN(const std::string id, RunSbatch(command));
  if (IsGiven(line, {"quiet", 'Q'}) && flags.format != "json") return 0;
  const bool id_alone = IsGiven(line, {"parsable"});
  if (id_alone && flags.format != "json") std::printf("%s\n", id.c_str());
  return Print(submission, flags, now, id, id_alone);
}

}  // namespace

void AddSlurmSubmitCommand(Parser& parser) {
  Command& command =
      parser.Add("slurm submit", "sbatch with carbon options: start in clean hours", kExamples);
  auto flags = std::make_shared<Flags>();
  command.TakesWordsOf({"SBATCH", "options of sbatch, the script and its arguments", false, true},
                       &flags->words, slurm::TakesNextWord);
  for (const core::JobOption* option : slurm::OptionsInSlurm()) {
    const core::Field& field = option->field;
    const std::string& name = field.flag.name;
    const auto give = [flags, name](const std::string& value, bool has_value) {
      flags->options.push_back({name, value, has_value, "--" + name});
    };
    const std::string values =
        field.shape == core::Shape::kChoice ? Join(field.choices, "|") : field.flag.value_name;
    if (field.shape == core::Shape::kFlag)
      command.Switch({name, "", HelpOf(field), kCarbon}, [give] { give("", false); });
    else
      command.Flag({name, values, HelpOf(field), kCarbon},
                   [give](const std::string& value) { give(value, true); });
  }
  command.Flag({"zone", "ZONE", "grid zone of the cluster (default: of your settings)", kCarbon},
               [flags](const std::string& text) { flags->zone = text; });
  command.Switch({"managed", "",
                  "leave the start to `ebb serve --slurm`, with the latest start as "
                  "--begin",
                  kCarbon},
                 [flags] { flags->managed = true; });
  command.Switch({"track", "",
                  "measure the job: its script runs under ebb slurm run, or each task that it "
                  "starts by srun",
                  kCarbon},
                 [flags] { flags->track = true; });
  command.Switch({"dry-run", "", "print the command of sbatch and what it saves; submit nothing"},
                 [flags] { flags->dry_run = true; });
  command.Flag({"format", "text|json", "output format"},
               [flags](const std::string& text) { flags->format = text; });
  command.Action([flags] { return Submit(*flags); });
}

}  // namespace ebb::cli
