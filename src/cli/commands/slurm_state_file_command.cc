// ebb slurm state-file: what deploy/slurm/job_submit.lua reads.
#include "app/options/flag_values.h"
#include "cli/command_line.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "slurm/site/submit_state.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb slurm state-file --partition green --max-delay 12h
  ebb slurm state-file --qos low --valid 1h --output /run/ebb/slurm-state

Writes the state file of job_submit.lua (docs/slurm.md): which jobs wait for ebb serve --slurm from
their submission on. Run it by a timer while the service runs; the file counts for nothing once it is
older than --valid, and jobs then start as if there were no Ebb.)";

constexpr Duration kValid{std::chrono::minutes{15}}, kDelay{std::chrono::hours{24}};

}  // namespace

void AddSlurmStateFileCommand(Parser& parser) {
  Command& command = parser.Add("slurm state-file",
                                "write which new jobs wait for Ebb, for job_submit.lua", kExamples);
  struct Given {
    slurm::SubmitState state;
    std::string output = "/run/ebb/slurm-state", valid, delay;
  };
  auto given = std::make_shared<Given>();
  const auto list = [&](const char* name, const char* help, std::vector<std::string>& names) {
    command.Flag({name, "NAME", help},
                 [given, &names](const std::string& text) { names.push_back(text); });
  };
  list("partition", "all new jobs of this partition wait; may be repeated",
       given->state.partitions);
  list("account", "the same for an account", given->state.accounts);
  list("qos", "the same for a QOS", given->state.qos);
  command.Flag({"max-delay", "DURATION",
                "latest start of jobs without a start-by, from their submission (default 24h)"},
               [given](const std::string& text) { given->delay = text; });
  command.Flag({"valid", "DURATION", "how long the file counts (default 15m)"},
               [given](const std::string& text) { given->valid = text; });
  command.Flag({"output", "FILE", "default /run/ebb/slurm-state"},
               [given](const std::string& text) { given->output = text; });
  command.Action([given]() -> Result<int> {
    slurm::SubmitState state = given->state;
    Duration valid = kValid;
    state.delay = kDelay;
    if (!given->valid.empty()) {
      EBB_ASSIGN_OR_RETURN(valid, app::DurationOf("--valid", given->valid));
    }
    if (!given->delay.empty()) {
      EBB_ASSIGN_OR_RETURN(state.delay, app::DurationOf("--max-delay", given->delay));
    }
    state.until = platform::WallNow() + valid;
    EBB_ASSIGN_OR_RETURN(const std::string text, slurm::SubmitStateText(state));
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(given->output, text));
    return 0;
  });
}

}  // namespace ebb::cli
