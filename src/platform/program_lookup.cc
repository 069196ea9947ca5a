#include "platform/program_lookup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"

namespace ebb::platform {
namespace {

// Of the child. Where there is none, the one that exec uses.
std::string SearchPath(const ChildOptions& options) {
  const char* ours = std::getenv("PATH");
  std::string path = ours ? ours : "/bin:/usr/bin";
  for (const auto& [name, value] : options.environment)
    if (name == "PATH") path = value;
  return path;
}

// 0, or why exec would not take the file.
int WhyNotExecutable(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return errno;
  if (!S_ISREG(found.st_mode)) return EACCES;
  return ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// Where a program was found last: thousands of jobs in a row may run the same.
struct Lookup {
  std::string directory, path, program;
  friend bool operator==(const Lookup&, const Lookup&) = default;
};
struct LastFound {
  Lookup lookup;
  std::filesystem::path file;
};

Status CheckDirectory(const std::filesystem::path& directory) {
  struct stat found {};
  int code = ::stat(directory.c_str(), &found) == 0 ? 0 : errno;
  if (code == 0 && !S_ISDIR(found.st_mode)) code = ENOTDIR;
  if (code == 0 && ::faccessat(AT_FDCWD, directory.c_str(), X_OK, AT_EACCESS) != 0) code = errno;
  return code == 0 ? Status{} : Fail(DirectoryError(code, directory.string()));
}

}  // namespace

Status CheckNamed(const ChildOptions& options) {
  if (!options.argv.empty() && !options.argv.front().empty()) return {};
  return Fail(
      {ExitCode::kUsage, "no command to run", "", "write it at the end, e.g. python train.py"});
}

Status CheckStart(const ChildOptions& options) {
  EBB_RETURN_IF_ERROR(CheckNamed(options));
  const std::filesystem::path directory =
      options.working_directory.empty() ? "." : options.working_directory;
  EBB_RETURN_IF_ERROR(CheckDirectory(directory));
  const std::string& program = options.argv.front();
  const std::string path = SearchPath(options);
  thread_local LastFound last;
  Lookup lookup{directory.string(), path, program};
  if (last.lookup == lookup && WhyNotExecutable(last.file) == 0) return {};
  // An empty one stands for the working directory.
  std::vector<std::string_view> places{""};
  if (program.find('/') == std::string::npos) places = Split(path, ':');
  int why = ENOENT;
  for (const std::string_view place : places) {
    const std::filesystem::path file = directory / place / program;
    const int found = WhyNotExecutable(file);
    if (found == 0) {
      last = {std::move(lookup), file};
      return {};
    }
    if (found != ENOENT && found != ENOTDIR) why = found;
  }
  return Fail(StartError(why, program));
}

Error StartError(int code, const std::string& program) {
  if (code == ENOENT || code == ENOTDIR)
    return {ExitCode::kCommandNotFound, "command not found", program,
            "check the spelling and PATH, or give the path of the program"};
  if (code == EACCES || code == ENOEXEC || code == EISDIR)
    return {ExitCode::kCommandNotExecutable,
            std::string("cannot be executed: ") + std::strerror(code), program,
            "is it a program, and is its execute permission set?"};
  return {ExitCode::kUnavailable, std::string("cannot be started: ") + std::strerror(code), program,
          ""};
}

Error DirectoryError(int code, const std::string& directory) {
  return {ExitCode::kCommandNotExecutable,
          std::string("the working directory cannot be entered: ") + std::strerror(code), directory,
          "make it, or name another one"};
}

bool IsFaultOfCommand(int code) {
  return code == static_cast<int>(ExitCode::kCommandNotFound) ||
         code == static_cast<int>(ExitCode::kCommandNotExecutable);
}

}  // namespace ebb::platform
