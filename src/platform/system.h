#pragma once
// What the operating system says about this machine, this process and its access to files. Each may
// be asked on any thread.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ebb::platform {

/// The pid; not kept, as it changes in a child after fork(2).
pid_t ProcessId();
/// "NAME=value", one for each variable.
std::vector<std::string> Environment();
/// Programs that this process starts from now on do not get the variable. Call it while there is
/// one thread.
void ForgetVariable(const std::string& name);

/// "" where the system does not tell.
std::string HostName();
/// "Linux-6.1.0-amd64-x86_64": system, release and machine; "" where the system does not tell.
std::string OperatingSystem();
/// Of all cores that are online; at least 1.
int LogicalProcessors();

/// Whether the kernel says that something keeps the wall clock in step (NTP, a host).
bool ClockIsKept();

/// Whether this process may execute the file.
bool IsExecutable(const std::filesystem::path& file);
/// Whether this process may make and remove files in the directory, which exists.
bool IsWritableDirectory(const std::filesystem::path& directory);

}  // namespace ebb::platform
