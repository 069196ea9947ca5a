#include "local/supervisor/orphan.h"

#include <csignal>
#include <map>

#include "local/process/training_contract.h"
#include "platform/detached_process.h"
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
  Add(platform::LeftByDetached(), running);
  Add(platform::DescendantsOf({running.begin(), running.end()}), running);
  return {running.begin(), running.end()};
}

// Keeps processes that were found once, because the way to them (their parent, say) may end first.
class Found {
 public:
  std::vector<pid_t> With(const std::vector<pid_t>& running) {
    for (const pid_t pid : running)
      if (std::string identity = platform::ProcessIdentity(pid); !identity.empty())
        identities_[pid] = std::move(identity);
    std::erase_if(identities_,
                  [](const auto& known) { return !platform::Runs(known.first, known.second); });
    std::vector<pid_t> pids;
    for (const auto& [pid, identity] : identities_) pids.push_back(pid);
    return pids;
  }

 private:
  std::map<pid_t, std::string> identities_;
};

}  // namespace

Ending EndingOfOrphan(const std::optional<EnergyHeader>& header,
                      const std::filesystem::path& run_directory, Duration grace) {
  const EnergyHeader known = header.value_or(EnergyHeader{});
  const std::string mark = RunDirectoryMark(run_directory);
  Ending::Terms terms;
  terms.find = [known, mark, found = Found()]() mutable {
    return found.With(RunningOf(known, mark));
  };
  terms.grace = grace;
  terms.kill_all = [cgroup = known.cgroup] { meter::Cgroup::End(cgroup); };
  if (platform::Runs(known.program_pid, known.program_identity))
    terms.asked.insert(known.program_pid);
  return Ending(std::move(terms));
}

}  // namespace ebb::local
