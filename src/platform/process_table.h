#pragma once
// What runs on this machine, as /proc has it at the moment of asking: a process that was found may
// have ended by the time somebody sends it a signal. Remains of ended processes (zombies) do not
// count as running.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace ebb::platform {

/// What tells a process from a later one with its pid: the machine's boot and the process's start.
/// Empty when there is none (or only its remains).
std::string ProcessIdentity(pid_t pid);
/// The process of this identity runs. An empty identity is nobody's.
bool Runs(pid_t pid, std::string_view identity);
/// Stopped by a signal (SIGSTOP), and not let go on.
bool IsStopped(pid_t pid);
/// Its state as the kernel names it: 'R', 'S', 'D' (waits for a device), ...; 0: there is none.
char ProcessState(pid_t pid);

/// The children of a process, theirs, and so on.
std::vector<pid_t> DescendantsOf(pid_t root);
/// Of several processes.
std::vector<pid_t> DescendantsOf(std::vector<pid_t> roots);
/// The children of this process that lead, or are in, a session that is not its own; remains of
/// ended ones count here.
std::vector<pid_t> ChildrenInOtherSessions();
/// The members of a process group.
std::vector<pid_t> MembersOfGroup(pid_t group);
/// Those of this user, but for this process, whose program began with `entry` ("NAME=value") in
/// its environment. What has changed its user or hides its environment is not found.
std::vector<pid_t> WithEnvironment(std::string_view entry);
/// Those, but for this process, that were started with this argument.
std::vector<pid_t> WithArgument(std::string_view argument);

}  // namespace ebb::platform
