#include "platform/system.h"

#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace ebb::platform {

pid_t ProcessId() { return ::getpid(); }

std::vector<std::string> Environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
  return entries;
}

void ForgetVariable(const std::string& name) { ::unsetenv(name.c_str()); }

std::string HostName() {
  utsname system{};
  return ::uname(&system) == 0 ? system.nodename : "";
}

std::string OperatingSystem() {
  utsname system{};
  if (::uname(&system) != 0) return "";
  return std::string(system.sysname) + "-" + system.release + "-" + system.machine;
}

int LogicalProcessors() { return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN))); }

bool ClockIsKept() {
  timex state{};
  const int clock = ::adjtimex(&state);
  return clock != -1 && clock != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

bool IsExecutable(const std::filesystem::path& file) { return ::access(file.c_str(), X_OK) == 0; }

bool IsWritableDirectory(const std::filesystem::path& directory) {
  return ::access(directory.c_str(), W_OK | X_OK) == 0;
}

}  // namespace ebb::platform
