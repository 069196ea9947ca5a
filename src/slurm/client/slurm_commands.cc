#include "slurm/client/slurm_commands.h"

#include <algorithm>

#include "base/text.h"
#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::chrono::seconds kPatience{30};

// "slurm_update error: Invalid job id specified" -> "Invalid job id specified"
std::string LastLine(const std::string& errors) {
  std::string line(Trim(errors));
  if (const auto before = line.rfind('\n'); before != std::string::npos)
    line = line.substr(before + 1);
  for (const char* prefix : {"error: ", " error "})
    if (const auto at = line.find(prefix); at != std::string::npos)
      line = line.substr(at + std::string(prefix).size());
  return line;
}

class SlurmCommands final : public SlurmClient {
 public:
  explicit SlurmCommands(RunCommand run) : run_(std::move(run)) {}

  Result<std::pair<std::string, std::string>> Identity() override {
    EBB_ASSIGN_OR_RETURN(const std::string text, Run({"scontrol", "show", "config"}));
    return std::pair(ValueOf(text, "ClusterName"), ValueOf(text, "SLURM_VERSION"));
  }

  Result<std::vector<SlurmJob>> Jobs() override {
    EBB_RETURN_IF_ERROR(Ping());
    EBB_ASSIGN_OR_RETURN(const std::string text, Run(SqueueCommand()));
    return ReadSqueue(text);
  }

  Result<std::vector<SlurmJob>> PendingJobsOf(const std::string& user) override {
    EBB_RETURN_IF_ERROR(Ping());
    EBB_ASSIGN_OR_RETURN(const std::string text, Run(PendingCommand(user)));
    return ReadSqueue(text);
  }

  Result<std::vector<SlurmNode>> Nodes() override {
    EBB_ASSIGN_OR_RETURN(const std::string text, Run(SinfoCommand()));
    return ReadSinfo(text);
  }

  Result<std::vector<SlurmJob>> Accounted(const std::vector<std::string>& ids) override {
    EBB_ASSIGN_OR_RETURN(const std::string text, Run(SacctCommand(ids)));
    return ReadSacct(text);
  }

  Result<ControllerLoad> Load() override {
    EBB_ASSIGN_OR_RETURN(const std::string text, Run({"sdiag"}));
    return ReadSdiag(text);
  }

  Result<std::string> Submit(const BatchJob& job) override {
    std::vector<std::string> command{"sbatch", "--parsable", "--chdir=" + job.directory};
    command.insert(command.end(), job.options.begin(), job.options.end());
    if (job.begin) command.push_back("--begin=" + BeginText(*job.begin));
    command.push_back(job.script);
    EBB_ASSIGN_OR_RETURN(const std::string text, Run(command));
    // "12" or "12;cluster".
    const std::string_view id = Trim(std::string_view(text).substr(0, text.find(';')));
    if (id.empty())
      return Fail({ExitCode::kUnavailable, "printed no job id", "sbatch", "run it by hand"});
    return std::string(id);
  }

  Status Update(const JobUpdate& update) override {
    std::vector<std::string> command{"scontrol", "update", "JobId=" + update.id};
    if (update.begin) command.push_back("StartTime=" + BeginText(*update.begin));
    command.insert(command.end(), update.size.begin(), update.size.end());
    if (update.comment) command.push_back("Comment=" + *update.comment);
    return Done(Run(command));
  }
  Status Release(const std::string& id) override { return Done(Run({"scontrol", "release", id})); }

  Status RequeueHeld(const std::string& id) override {
    return Done(Run({"scontrol", "requeuehold", "Incomplete", id}));
  }
  Status Signal(const std::string& id, const std::string& signal) override {
    return Done(Run({"scancel", "--full", "--signal=" + signal, id}));
  }
  Status Cancel(const std::string& id) override { return Done(Run({"scancel", id})); }

 private:
  static Status Done(const Result<std::string>& result) {
    if (!result) return Fail(result.error());
    return {};
  }

  // Slurm takes seconds since 1970 with this prefix.
  static std::string BeginText(Time begin) {
    return "uts" + std::to_string(
                       std::chrono::ceil<std::chrono::seconds>(begin).time_since_epoch().count());
  }

  static std::string ValueOf(const std::string& text, const std::string& key) {
    const auto at = text.find("\n" + key);
    if (at == std::string::npos) return "";
    const auto equals = text.find('=', at), end = text.find('\n', at + 1);
    if (equals == std::string::npos || equals > end) return "";
    return std::string(Trim(std::string_view(text).substr(equals + 1, end - equals - 1)));
  }

  // A command waits for 9 s if the controller is away; this one fails at once.
  Status Ping() { return Done(Run({"scontrol", "ping"})); }

  Result<std::string> Run(const std::vector<std::string>& command) {
    auto end = run_(command);
    if (!end && end.error().code == ExitCode::kConfiguration)
      return Fail({ExitCode::kConfiguration, end.error().what, command.front(),
                   "install Slurm's commands (Debian: slurm-client), or see that PATH has them"});
    if (end && end->exit_code == 0) return std::move(end->output);
    const bool is_ping = command.size() == 2 && command[1] == "ping";
    // Without a configuration that they can read, the commands look for a controller for minutes.
    if (!end || is_ping || SaysAway(end->errors))
      return Fail(
          {ExitCode::kUnavailable, "the Slurm controller does not answer", command.front(),
           "see whether slurmctld runs: scontrol ping; SLURM_CONF names its configuration"});
    return Fail({ExitCode::kUsage, LastLine(end->errors), command.front(), ""});
  }

  RunCommand run_;
};

}  // namespace

RunCommand RunOnThisMachine() {
  return [](const std::vector<std::string>& command) {
    // The job gets the environment of sbatch.
    std::vector<std::pair<std::string, std::string>> environment;
    if (command.front() != "sbatch") environment = {{"SLURM_TIME_FORMAT", "%s"}, {"TZ", "UTC"}};
    return platform::RunToEnd(command, environment, kPatience, kMostBytes);
  };
}

// Slurm's words for a controller that does not answer.
bool SaysAway(const std::string& errors) {
  for (const char* words : {"Unable to contact slurm controller", "Connection refused",
                            "Socket timed out", "Unexpected message received",
                            "Zero Bytes were transmitted", "Connection timed out", "in standby"})
    if (errors.find(words) != std::string::npos) return true;
  return false;
}

std::unique_ptr<SlurmClient> MakeSlurmCommands(RunCommand run) {
  return std::make_unique<SlurmCommands>(std::move(run));
}

}  // namespace ebb::slurm
