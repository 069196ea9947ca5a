#include "platform/process_table.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/text.h"
#include "platform/file.h"

namespace ebb::platform {
namespace {

// A command line and an environment together are limited to a fraction of the stack, 2 MiB by
// default.
constexpr std::uint64_t kMostEnvironment = 64 << 20;

// Fields of /proc/PID/stat, counted from the state.
constexpr std::size_t kState = 0;
constexpr std::size_t kParent = 1;
constexpr std::size_t kGroup = 2;
constexpr std::size_t kSession = 3;
constexpr std::size_t kStart = 19;

// The fields of /proc/PID/stat from the state on; the name in parentheses before them may itself
// hold blanks and parentheses. Empty if there is no such process.
std::vector<std::string> StatOf(pid_t pid) {
  const auto stat = ReadFile("/proc/" + std::to_string(pid) + "/stat", 1 << 12);
  if (!stat) return {};
  const auto name_end = stat->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat->size()) return {};
  const auto fields = Split(std::string_view(*stat).substr(name_end + 2), ' ');
  if (fields.size() <= kStart) return {};
  return {fields.begin(), fields.end()};
}

bool IsRemains(const std::vector<std::string>& stat) {
  return stat.empty() || stat[kState] == "Z" || stat[kState] == "X";
}

pid_t PidIn(const std::string& field) {
  return static_cast<pid_t>(ParseInteger(field).value_or(0));
}

template <typename Take>
void ForEachProcess(Take take) {
  std::error_code ended;  // a process may end while it is read
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ended))
    if (const auto pid = ParseInteger(entry.path().filename().string()); pid && *pid > 0)
      take(static_cast<pid_t>(*pid));
}

bool IsOurs(pid_t pid) {
  struct stat status {};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 &&
         status.st_uid == ::geteuid();
}

// Entries end with a zero byte.
bool HasEntry(std::string_view environment, std::string_view entry) {
  for (const std::string_view found : Split(environment, '\0'))
    if (found == entry) return true;
  return false;
}

}  // namespace

std::string ProcessIdentity(pid_t pid) {
  const auto boot = ReadFile("/proc/sys/kernel/random/boot_id", 1 << 12);
  const std::vector<std::string> stat = StatOf(pid);
  if (IsRemains(stat)) return "";
  return std::string(boot ? Trim(*boot) : "") + ":" + stat[kStart];
}

bool Runs(pid_t pid, std::string_view identity) {
  return pid > 0 && !identity.empty() && ProcessIdentity(pid) == identity;
}

bool IsStopped(pid_t pid) { return ProcessState(pid) == 'T'; }

char ProcessState(pid_t pid) {
  const std::vector<std::string> stat = StatOf(pid);
  return stat.empty() || stat[kState].empty() ? '\0' : stat[kState][0];
}

std::vector<pid_t> DescendantsOf(pid_t root) { return DescendantsOf(std::vector{root}); }

std::vector<pid_t> DescendantsOf(std::vector<pid_t> roots) {
  const std::size_t given = roots.size();
  std::multimap<pid_t, pid_t> children;
  std::map<pid_t, bool> runs;
  ForEachProcess([&](pid_t pid) {
    const std::vector<std::string> stat = StatOf(pid);
    if (stat.empty()) return;
    children.emplace(PidIn(stat[kParent]), pid);
    runs[pid] = !IsRemains(stat);
  });
  std::vector<pid_t> found = std::move(roots);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
    children.erase(first, last);
  }
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(given));
  std::erase_if(found, [&](pid_t pid) { return !runs[pid]; });
  return found;
}

std::vector<pid_t> ChildrenInOtherSessions() {
  const pid_t parent = ::getpid();
  const pid_t session = ::getsid(0);
  std::vector<pid_t> children;
  ForEachProcess([&](pid_t pid) {
    const std::vector<std::string> stat = StatOf(pid);
    if (!stat.empty() && PidIn(stat[kParent]) == parent && PidIn(stat[kSession]) != session)
      children.push_back(pid);
  });
  return children;
}

std::vector<pid_t> MembersOfGroup(pid_t group) {
  std::vector<pid_t> members;
  ForEachProcess([&](pid_t pid) {
    const std::vector<std::string> stat = StatOf(pid);
    if (!IsRemains(stat) && PidIn(stat[kGroup]) == group) members.push_back(pid);
  });
  return members;
}

std::vector<pid_t> WithEnvironment(std::string_view entry) {
  std::vector<pid_t> found;
  ForEachProcess([&](pid_t pid) {
    if (pid == ::getpid() || !IsOurs(pid)) return;
    const auto environment =
        ReadFile("/proc/" + std::to_string(pid) + "/environ", kMostEnvironment);
    if (environment && HasEntry(*environment, entry) && !IsRemains(StatOf(pid)))
      found.push_back(pid);
  });
  return found;
}

std::vector<pid_t> WithArgument(std::string_view argument) {
  std::vector<pid_t> found;
  ForEachProcess([&](pid_t pid) {
    if (pid == ::getpid()) return;
    const auto command = ReadFile("/proc/" + std::to_string(pid) + "/cmdline", kMostEnvironment);
    if (command && HasEntry(*command, argument)) found.push_back(pid);
  });
  return found;
}

}  // namespace ebb::platform
