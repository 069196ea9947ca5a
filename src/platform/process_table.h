#pragma once
// The processes of this machine, as /proc shows them at the moment of the call. A process that was
// found may have ended before it is sent a signal. Zombies do not count as running.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace ebb::platform {

/// A text that tells a process from a later one with the same pid: the machine's boot and the
/// process's start. Empty if there is no such process (or only a zombie).
std::string ProcessIdentity(pid_t pid);
/// True if the process with this identity runs. An empty identity matches no process.
bool Runs(pid_t pid, std::string_view identity);
/// True if a signal (SIGSTOP) has stopped the process and it has not been continued.
bool IsStopped(pid_t pid);
/// The state of a process as the kernel names it: 'R', 'S', 'D' (waits for a device), ...; 0 if
/// there is no such process.
char ProcessState(pid_t pid);

/// The children of a process, their children, and so on.
std::vector<pid_t> DescendantsOf(pid_t root);
/// The descendants of several processes.
std::vector<pid_t> DescendantsOf(std::vector<pid_t> roots);
/// The children of this process that lead, or are in, a session that is not its own; zombies count
/// here.
std::vector<pid_t> ChildrenInOtherSessions();
/// The members of a process group.
std::vector<pid_t> MembersOfGroup(pid_t group);
/// Processes of this user, except this one, whose program began with `entry` ("NAME=value") in its
/// environment. Processes that changed their user or hide their environment are not found.
std::vector<pid_t> WithEnvironment(std::string_view entry);
/// Processes, except this one, that were started with this argument.
std::vector<pid_t> WithArgument(std::string_view argument);

}  // namespace ebb::platform
