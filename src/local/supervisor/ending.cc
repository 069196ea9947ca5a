#include "local/supervisor/ending.h"

#include <csignal>
#include <utility>

#include "base/text.h"
#include "platform/process_table.h"

namespace ebb::local {

Ending::Ending(Terms terms) : terms_(std::move(terms)), kill_at_(Clock::now() + terms_.grace) {}

bool Ending::Look() {
  running_ = terms_.find();
  if (running_.empty()) return true;
  const bool overdue = Clock::now() >= kill_at_;
  if (overdue) {
    terms_.kill_all();
    if (!killed_at_) killed_at_ = Clock::now();
  }
  for (const pid_t pid : running_) {
    if (overdue) {
      ::kill(pid, SIGKILL);
      continue;
    }
    if (terms_.asked.insert(pid).second) ::kill(pid, SIGTERM);
    ::kill(pid, SIGCONT);  // a frozen process does not handle signals
  }
  return false;
}

void Ending::Hurry() { kill_at_ = Clock::now(); }

std::optional<std::string> Ending::TakeTrouble() {
  if (!killed_at_ || running_.empty() || Clock::now() < *killed_at_ + terms_.patience ||
      std::exchange(trouble_was_said_, true))
    return std::nullopt;
  return RunsOnText(running_);
}

std::string RunsOnText(const std::vector<pid_t>& running) {
  std::vector<std::string> names;
  for (const pid_t pid : running)
    names.push_back(
        "process " + std::to_string(pid) + " (state " +
        (platform::ProcessState(pid) ? std::string(1, platform::ProcessState(pid)) : "?") + ")");
  return Join(names, ", ") +
         " runs on although it was killed: the kernel waits for something, in state D for a disk "
         "or "
         "a device; its devices stay taken until it is gone";
}

}  // namespace ebb::local
