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

// The PATH of the child. If it has none, the default that exec uses.
std::string SearchPath(const ChildOptions& options) {
  const char* ours = std::getenv("PATH");
  std::string path = ours ? ours : "/bin:/usr/bin";
  for (const auto& [name, value] : options.environment)
    if (name == "PATH") path = value;
  return path;
}

// 0, or the errno with which exec would refuse the file.
int WhyNotExecutable(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return errno;
  if (!S_ISREG(found.st_mode)) return EACCES;
  return ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// The places where exec looks for a program. An empty place stands for the working directory.
struct Search {
  std::filesystem::path directory;
  std::string path;
};

struct Found {
  std::filesystem::path file;  ///< empty: not found
  int why = ENOENT;            ///< errno of the failure
};

Found Find(const std::string& program, const Search& search) {
  std::vector<std::string_view> places{""};
  if (program.find('/') == std::string::npos) places = Split(search.path, ':');
  Found result;
  for (const std::string_view place : places) {
    const std::filesystem::path file = search.directory / place / program;
    const int why = WhyNotExecutable(file);
    if (why == 0) return {file, 0};
    if (why != ENOENT && why != ENOTDIR) result.why = why;
  }
  return result;
}

std::string InterpreterOf(const std::string& script) {
  if (script.ends_with(".py")) return "python3 ";
  return script.ends_with(".sh") ? "sh " : "";
}

Search SearchOf(const ChildOptions& options) {
  return {options.working_directory.empty() ? "." : options.working_directory, SearchPath(options)};
}

// The command that was probably meant; empty if unknown.
std::string Meant(const ChildOptions& options, int why) {
  const Search search = SearchOf(options);
  const std::string& program = options.argv.front();
  const std::string first = program.substr(0, program.find(' '));
  if (options.argv.size() == 1 && first != program && !Find(first, search).file.empty())
    return "did you mean several words? " + program + " without the quotes";
  const int here = WhyNotExecutable(search.directory / program);
  const bool has_path = program.find('/') != std::string::npos;
  if (why == ENOENT && here == 0 && !has_path) return "did you mean ./" + program + "?";
  if (here == EACCES && !InterpreterOf(program).empty())
    return "did you mean " + InterpreterOf(program) + program + "?";
  return "";
}

// The result of the last look-up, kept because thousands of jobs in a row may run the same program.
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
  const Search search = SearchOf(options);
  EBB_RETURN_IF_ERROR(CheckDirectory(search.directory));
  const std::string& program = options.argv.front();
  thread_local LastFound last;
  Lookup lookup{search.directory.string(), search.path, program};
  if (last.lookup == lookup && WhyNotExecutable(last.file) == 0) return {};
  Found found = Find(program, search);
  if (found.why == 0) {
    last = {std::move(lookup), std::move(found.file)};
    return {};
  }
  return Fail(StartError(found.why, options));
}

Error StartError(int code, const ChildOptions& options) {
  const std::string& program = options.argv.front();
  const std::string meant = Meant(options, code);
  const auto or_else = [&](const char* otherwise) { return meant.empty() ? otherwise : meant; };
  if (code == ENOENT || code == ENOTDIR)
    return {ExitCode::kCommandNotFound, "command not found", program,
            or_else("check the spelling and PATH, or give the path of the program")};
  if (code == EACCES || code == ENOEXEC || code == EISDIR)
    return {ExitCode::kCommandNotExecutable,
            std::string("cannot be executed: ") + std::strerror(code), program,
            or_else("is it a program, and is its execute permission set?")};
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
