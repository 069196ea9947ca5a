#include "cli/serve_slurm.h"

#include <filesystem>

#include "app/options/flag_values.h"
#include "app/options/when.h"
#include "app/slurm/slurm_jobs.h"
#include "signals/choose_source.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/client/slurm_rest.h"

namespace ebb::cli {
namespace {

constexpr const char* kHeading = "Slurm";
// More starts in one decision would be more than a round sends.
constexpr int kMostStarts = 50;

std::set<std::string> SetOf(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

Result<slurm::SlurmOptions> OptionsFor(const SlurmFlags& flags,
                                       const std::vector<core::Tier>& tiers,
                                       const service::ServiceOptions& service) {
  slurm::SlurmOptions options;
  options.site = service.executor.cluster.sites.front();
  options.defaults.tiers = tiers;
  options.default_max_delay = service.engine.default_max_delay;
  options.partitions = SetOf(flags.partitions);
  options.accounts = SetOf(flags.accounts);
  options.qos = SetOf(flags.qos);
  options.user = flags.user;
  options.say = service.log;
  if (!flags.every.empty()) {
    EBB_ASSIGN_OR_RETURN(options.poll_every, app::DurationOf("--slurm-every", flags.every));
    if (options.poll_every < std::chrono::seconds{1})
      return Fail({ExitCode::kUsage, "asks Slurm too often", "--slurm-every", "give 1s or more"});
  }
  std::error_code error;
  app::BatchScripts scripts;
  scripts.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  scripts.options = flags.sbatch;
  scripts.on_gpus = !flags.on_cores;
  scripts.run_options = {"--zone=" + options.site.zone};
  if (signals::HasProfile(options.site.zone)) scripts.run_options.push_back("--signal=profile");
  options.make_batch_job = [scripts](const local::LocalJob& job) {
    return app::WriteBatchScript(job, scripts);
  };
  return options;
}

Result<std::function<std::unique_ptr<slurm::SlurmClient>()>> ClientFor(const SlurmFlags& flags) {
  const auto commands = [] { return slurm::MakeSlurmCommands(slurm::RunOnThisMachine()); };
  if (flags.rest.empty()) return commands;
  auto transport = slurm::MakeRestTransport(
      {.address = flags.rest, .user = flags.token_user, .token_file = flags.token_file});
  if (!transport) return Fail(transport.error());
  return [=] { return slurm::MakeSlurmRest(*transport, commands()); };
}

}  // namespace

void AddSlurmFlags(Command& command, std::shared_ptr<SlurmFlags> flags) {
  const auto add = [](std::vector<std::string>& list) {
    return [&list](const std::string& text) { list.push_back(text); };
  };
  command.Switch({"slurm", "",
                  "jobs run in this machine's Slurm cluster; users' jobs with --comment=ebb:... "
                  "are planned too (docs/slurm.md)",
                  kHeading},
                 [flags] { flags->is_on = true; });
  command.Flag({"slurm-partition", "NAME",
                "all pending jobs of this partition are planned, with or without a comment; may be "
                "repeated",
                kHeading},
               add(flags->partitions));
  command.Flag({"slurm-account", "NAME", "the same for an account", kHeading},
               add(flags->accounts));
  command.Flag({"slurm-qos", "NAME", "the same for a QOS", kHeading}, add(flags->qos));
  command.Flag({"slurm-user", "NAME", "only jobs of this user (default: of all)", kHeading},
               [flags](const std::string& text) { flags->user = text; });
  command.Flag({"sbatch", "OPTION",
                "an option of sbatch for the jobs that Ebb submits: --sbatch=--partition=long; may "
                "be repeated",
                kHeading},
               add(flags->sbatch));
  command.Switch(
      {"slurm-cores", "", "devices of jobs that Ebb submits are cores (default: GPUs)", kHeading},
      [flags] { flags->on_cores = true; });
  command.Flag(
      {"slurm-every", "DURATION", "how often to ask Slurm for its jobs (default 3s)", kHeading},
      [flags](const std::string& text) { flags->every = text; });
  command.Flag({"slurm-rest", "ADDRESS",
                "ask slurmrestd at unix:/PATH or https://HOST:PORT, and Slurm's commands for what "
                "it cannot do (default: commands only)",
                kHeading},
               [flags](const std::string& text) { flags->rest = text; });
  command.Flag({"slurm-token-file", "FILE",
                "token for slurmrestd, as scontrol token prints it; read before each request "
                "(default: the variable SLURM_JWT)",
                kHeading},
               [flags](const std::string& text) { flags->token_file = text; });
  command.Flag(
      {"slurm-token-user", "NAME", "whose token it is (default: the variable USER)", kHeading},
      [flags](const std::string& text) { flags->token_user = text; });
  command.Flag(
      {"max-delay", "DURATION",
       "latest start of jobs without a deadline, from their submission (default 24h)", kHeading},
      [flags](const std::string& text) { flags->max_delay = text; });
}

Status UseSlurm(const SlurmFlags& flags, const std::vector<core::Tier>& tiers,
                const runtime::GridClock& clock, platform::ProcessSignals& signals,
                service::ServiceOptions& service) {
  if (!flags.max_delay.empty()) {
    EBB_ASSIGN_OR_RETURN(service.engine.default_max_delay,
                         app::DurationOf("--max-delay", flags.max_delay));
  }
  service.policy_options.default_max_delay = service.engine.default_max_delay;
  service.engine.admission = engine::Admission::kTakeAll;  // users' jobs cannot be refused
  service.engine.most_starts = kMostStarts;
  service.engine.changes_widths = true;
  EBB_ASSIGN_OR_RETURN(const slurm::SlurmOptions options, OptionsFor(flags, tiers, service));
  EBB_ASSIGN_OR_RETURN(const auto make_client, ClientFor(flags));
  // The service owns the executor, and calls the others only while it lives.
  const auto jobs = std::make_shared<app::SlurmJobs*>(nullptr);
  service.make_executor =
      [=, &clock,
       &signals](service::ExecutorPorts ports) -> Result<std::unique_ptr<local::JobExecutor>> {
    auto made =
        std::make_unique<app::SlurmJobs>(make_client(), options, std::move(ports), clock, signals);
    EBB_RETURN_IF_ERROR(made->Begin());
    *jobs = made.get();
    return made;
  };
  service.on_decision = [jobs](const engine::Decision& decision) { (*jobs)->Tell(decision); };
  return {};
}

}  // namespace ebb::cli
