#include "local/orphan.h"

#include <csignal>

#include "local/training_contract.h"
#include "platform/process_table.h"

namespace ebb::local {
namespace {

using Pids = std::set<pid_t>;

void Add(const std::vector<pid_t>& more, Pids& pids) { pids.insert(more.begin(), more.end()); }

std::vector<pid_t> RunningOf(const EnergyHeader& header, const std::string& mark) {
  Pids running;
  Add(platform::WithEnvironment(mark), running);
  if (platform::Runs(header.program_pid, header.program_identity))
    Add(platform::MembersOfGroup(header.program_pid), running);
  Add(meter::Cgroup::MembersOf(header.cgroup), running);
  return {running.begin(), running.end()};
}

}  // namespace

Ending EndingOfOrphan(const std::optional<EnergyHeader>& header,
                      const std::filesystem::path& run_directory, Duration grace) {
  const EnergyHeader known = header.value_or(EnergyHeader{});
  const std::string mark = RunDirectoryMark(run_directory);
  Ending::Terms terms;
  terms.find = [known, mark] { return RunningOf(known, mark); };
  terms.grace = grace;
  terms.kill_all = [cgroup = known.cgroup] { meter::Cgroup::End(cgroup); };
  if (platform::Runs(known.program_pid, known.program_identity))
    terms.asked.insert(known.program_pid);
  return Ending(std::move(terms));
}

}  // namespace ebb::local
