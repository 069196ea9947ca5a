#pragma once
// Facts from the operating system about this machine, this process and its access to files. All
// functions may be called on any thread unless they say otherwise.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ebb::platform {

/// The pid. It is asked anew each time, because it changes in a child after fork(2).
pid_t ProcessId();
/// The environment as "NAME=value", one entry for each variable.
std::vector<std::string> Environment();
/// Removes the variable from the environment of programs that this process starts from now on. Call
/// it while there is one thread.
void ForgetVariable(const std::string& name);

/// The host name; "" if unknown.
std::string HostName();
/// "Linux-6.1.0-amd64-x86_64": system, release and machine; "" if unknown.
std::string OperatingSystem();
/// The number of logical processors that are online; at least 1.
int LogicalProcessors();

/// True if the kernel reports that the wall clock is synchronised (by NTP or the host).
bool ClockIsKept();

/// True if this process may execute the file.
bool IsExecutable(const std::filesystem::path& file);
/// True if this process may make and remove files in the directory, which must exist.
bool IsWritableDirectory(const std::filesystem::path& directory);

}  // namespace ebb::platform
