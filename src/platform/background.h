#pragma once
// Lets a command go on without its terminal, either because the terminal is gone (a hang-up) or
// because the user asked for it (a second process of the command, in a session of its own).

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace ebb::platform {

/// The standard files that are a terminal. Construct it early: once a terminal has gone, its file
/// no longer shows that it was one.
class StandardFiles {
 public:
  StandardFiles();
  /// All standard files, whether or not they are a terminal.
  static StandardFiles All() { return StandardFiles(true, true, true); }
  bool any() const { return input_ || output_ || errors_; }
  /// Closes the input of these files and appends their output to `log` from now on.
  Status MoveTo(const std::filesystem::path& log) const;

 private:
  StandardFiles(bool input, bool output, bool errors)
      : input_(input), output_(output), errors_(errors) {}
  bool input_, output_, errors_;
};

/// Two processes from one, before it has threads or takes signals. The first stays at the terminal
/// and shows the output of the second until the second releases it. If the first ends before that,
/// the second ends too.
class Background {
 public:
  /// Splits the process. Returns nullopt in the second process. Returns in the first process when
  /// it is to end, with its exit code: 0 if the second process released it.
  static Result<std::optional<int>> Split();
  /// Releases the first process. Call it once, in the second process, whose output is appended to
  /// `log` from then on.
  static Status LetGo(const std::filesystem::path& log);
  static std::int64_t ProcessId();
};

}  // namespace ebb::platform
