#include "cli/submit_skypilot.h"

#include <cstdio>
#include <optional>

#include "app/clouds/cloud_job.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/cloud_tasks.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "platform/child_process.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "platform/temporary_directory.h"
#include "signals/cloud_regions.h"
#include "sweep/target_name.h"

namespace ebb::cli {
namespace {

constexpr const char* kHeading = "Clouds";

Status ReadRegions(const std::string& list, std::vector<std::string>& regions) {
  for (const std::string_view word : Split(list, ',')) {
    if (Trim(word).empty()) continue;
    EBB_ASSIGN_OR_RETURN(const signals::CloudRegion* known,
                         signals::CloudRegionFromText(Trim(word)));
    regions.push_back(std::string(known->provider) + "/" + std::string(known->region));
  }
  return {};
}

// Checks what a section `skypilot` of a sweep file would be checked for.
Status CheckOptions(const sweep::SkypilotOptions& options) {
  const auto mistakes = sweep::MistakesIn(options);
  if (mistakes.empty()) return {};
  return Fail({ExitCode::kUsage, Join(mistakes, "; "), "--as skypilot",
               "for example: ebb submit --as skypilot --regions aws/eu-north-1,gcp/europe-north2 "
               "--bucket s3://my-bucket --accelerator A100 python train.py"});
}

// Waits for the planned start and launches the task with the terminal of this process.
Result<int> Launch(const std::string& name, const std::string& file,
                   const sweep::CloudStart& start) {
  platform::ProcessSignals signals;
  for (Time now = platform::WallNow(); now < start.start; now = platform::WallNow()) {
    // The clock may be set meanwhile, so the wait is looked at again.
    constexpr Duration kLongestSleep{std::chrono::minutes{1}};
    if (signals.WaitForStop(std::min(kLongestSleep, start.start - now))) {
      Say("stopped before the task was launched");
      return 130;
    }
  }
  platform::ChildOptions options;
  options.argv = {"sky", "jobs", "launch", "--yes", "--detach-run", "--name", name, file};
  EBB_ASSIGN_OR_RETURN(platform::ChildProcess child, platform::ChildProcess::Start(options));
  constexpr Duration kTick{1000};
  for (;;)
    if (const auto end = child.Wait(signals, kTick)) return end->code;
}

std::string StartText(const std::string& name, const sweep::CloudStart& start, Time now) {
  const sweep::RegionOutlook& first = start.regions.front();
  std::string text = name + " is to start at " +
                     LocalTimes::Of(now).MomentAndDistance(start.start) + ", in " + first.region +
                     " if it has a machine";
  if (first.expected)
    text += " (" + FormatSignificant(first.expected->g_per_kwh, 3) + " g/kWh expected)";
  return text;
}

}  // namespace

void AddCloudFlags(Command& command, CloudFlags& flags) {
  const auto into = [](std::string& field) {
    return [&field](const std::string& text) { field = text; };
  };
  sweep::SkypilotOptions& options = flags.options;
  command.Flag(
      {"as", "skypilot", "make a SkyPilot task of the job, for the cleanest cloud region and hours",
       kHeading},
      into(flags.as));
  command.Flag(
      {"regions", "LIST", "regions it may run in, e.g. aws/eu-north-1,gcp/europe-north2", kHeading},
      into(flags.regions));
  command.Flag(
      {"bucket", "BUCKET", "where checkpoints and runs are kept, e.g. s3://my-bucket", kHeading},
      into(options.bucket));
  command.Flag({"accelerator", "GPU", "SkyPilot's name of the GPU, e.g. A100-80GB", kHeading},
               into(options.accelerator));
  command.Switch({"spot", "", "use spot instances", kHeading}, [&] { flags.options.spot = true; });
  command.Flag({"image", "IMAGE", "machine image, or docker:IMAGE", kHeading}, into(options.image));
  command.Flag(
      {"setup", "LINE", "a line for a shell, before the first start on a machine", kHeading},
      into(options.setup));
  command.Flag(
      {"ebb-wheel", "FILE", "Ebb's wheel, which the task installs to measure itself", kHeading},
      into(options.ebb_wheel));
  command.Flag({"out", "FILE", "write the task there (default: to standard output)", kHeading},
               into(flags.out));
  command.Switch({"launch", "", "wait for the planned start, then: sky jobs launch", kHeading},
                 [&flags] { flags.launch = true; });
  AddFlags(command, app::FlagGroup::kSignal, flags.signal, {"signal"});
}

Result<int> SubmitToSkypilot(CloudFlags flags, const std::string& job) {
  EBB_RETURN_IF_ERROR(ReadRegions(flags.regions, flags.options.regions));
  EBB_RETURN_IF_ERROR(CheckOptions(flags.options));
  const Time now = std::chrono::floor<std::chrono::seconds>(platform::WallNow());
  EBB_ASSIGN_OR_RETURN(const sweep::Sweep sweep, app::SweepOfCloudJob(job, now));
  EBB_ASSIGN_OR_RETURN(const auto starts, PlanCloudTasks(sweep, flags.options, flags.signal, now));
  const sweep::CloudStart& start = starts.front();
  const std::string task =
      sweep::SkypilotTask(sweep, sweep.experiments.front(), flags.options, start);
  const std::string name = sweep::KubernetesName(sweep.experiments.front().name);
  Say(StartText(name, start, now));
  std::optional<platform::TemporaryDirectory> directory;
  if (flags.launch && flags.out.empty()) {
    EBB_ASSIGN_OR_RETURN(auto made, platform::TemporaryDirectory::Make("ebb-skypilot"));
    directory.emplace(std::move(made));
    flags.out = (directory->path() / (name + ".yaml")).string();
  }
  if (flags.out.empty())
    std::fputs(task.c_str(), stdout);
  else
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(flags.out, task));
  return flags.launch ? Launch(name, flags.out, start) : 0;
}

}  // namespace ebb::cli
