// ebb slurm tick: moves the starts of this user's waiting jobs to what is best now. For cron.
#include <cstdio>

#include "app/slurm/tick_plan.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "cli/slurm_grid.h"
#include "platform/terminal.h"
#include "platform/user_name.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/jobs/job_comment.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb slurm tick --dry-run
  */15 * * * * ebb slurm tick       a line for crontab -e: prints, and so mails, changes only

Moves jobs of yours that ebb slurm submit has given a start, never beyond their latest start. Exit
codes: 0 done, 4 Slurm does not answer or refused a change, 75 the grid is unknown at the moment.)";

constexpr int kTryLater = 75;
// A tick after this one does the rest.
constexpr std::size_t kMostChanges = 100;
// Forecasts are asked for this far, and further for jobs that wait longer.
constexpr Duration kHorizon{std::chrono::hours{48}};

struct Flags {
  std::string zone;
  bool dry_run = false;
};

std::string IntensityOf(const std::optional<Intensity>& intensity) {
  return intensity ? FormatFixed(intensity->g_per_kwh, 0) + " g/kWh" : "an unknown intensity";
}

std::string Line(const app::TickChange& change, Time now, const LocalTimes& times) {
  const std::string when = change.to <= now ? "now" : "at " + times.MomentAndDistance(change.to);
  return "job " + change.id + " (" + Printable(change.name) + ") starts " + when + " instead of " +
         times.Moment(change.from) + ": " + IntensityOf(change.expected_to) + " instead of " +
         IntensityOf(change.expected_from) +
         (change.makes_room ? ", because not all of your jobs have room at that time" : "") +
         "; at the latest " + times.Moment(change.latest);
}

Duration HorizonFor(const std::vector<slurm::SlurmJob>& jobs, Time now) {
  Duration horizon = kHorizon;
  for (const slurm::SlurmJob& job : jobs)
    if (job.start) horizon = std::max(horizon, *job.start - now + kHorizon);
  constexpr Duration kMost{std::chrono::hours{240}};
  return std::min(horizon, kMost);
}

// Says something that only a person who watches wants to read.
void SayOnTerminal(const std::string& text) {
  if (platform::StderrIsTerminal()) Say(text);
}

Result<int> Tick(const Flags& flags) {
  const auto client = slurm::MakeSlurmCommands(slurm::RunOnThisMachine());
  const Time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  EBB_ASSIGN_OR_RETURN(std::vector<slurm::SlurmJob> jobs,
                       client->PendingJobsOf(platform::UserOfProcess()));
  std::erase_if(jobs, [](const auto& job) { return !slurm::ReadComment(job.comment).is_for_ebb; });
  if (jobs.empty()) {
    SayOnTerminal("no job of yours waits for clean power");
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const SlurmGrid grid, LookAtGrid(flags.zone, now, HorizonFor(jobs, now)));
  if (!grid.is_known) {
    for (const std::string& note : grid.notes) SayOnTerminal("note: " + note);
    return kTryLater;
  }
  // Without an answer, no limit is known.
  const auto nodes = client->Nodes();
  auto changes = app::PlanTick(jobs, nodes ? *nodes : std::vector<slurm::SlurmNode>{}, grid.view,
                               grid.next_change);
  if (changes.size() > kMostChanges) changes.resize(kMostChanges);
  const LocalTimes times = LocalTimes::Of(now);
  int code = 0;
  for (const app::TickChange& change : changes) {
    if (!flags.dry_run) {
      slurm::JobUpdate update;
      update.id = change.id;
      update.begin = change.to;
      if (const Status changed = client->Update(update); !changed) {
        Say("job " + change.id + " stays as it is: " + changed.error().Message());
        code = static_cast<int>(ExitCode::kUnavailable);
        continue;
      }
    }
    std::printf("%s\n", Line(change, now, times).c_str());
  }
  if (changes.empty()) SayOnTerminal("nothing changes");
  return code;
}

}  // namespace

void AddSlurmTickCommand(Parser& parser) {
  Command& command =
      parser.Add("slurm tick",
                 "move the starts of your waiting jobs to what is best now (for cron)", kExamples);
  auto flags = std::make_shared<Flags>();
  command.Switch({"dry-run", "", "print what would change, and change nothing"},
                 [flags] { flags->dry_run = true; });
  command.Flag({"zone", "ZONE", "grid zone of the cluster (default: of your settings)"},
               [flags](const std::string& text) { flags->zone = text; });
  command.Action([flags] { return Tick(*flags); });
}

}  // namespace ebb::cli
