#pragma once
// A command that goes on without its terminal: because the terminal is gone (a hang-up), or because
// it was asked to (a second process of it, in a session of its own).

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace ebb::platform {

/// Which of the standard files are a terminal. Of one that has gone nothing tells any more that it
/// was one, so it is asked early.
class StandardFiles {
 public:
  StandardFiles();
  /// All of them, whatever they are.
  static StandardFiles All() { return StandardFiles(true, true, true); }
  bool any() const { return input_ || output_ || errors_; }
  /// From now on nothing comes in, and what is printed goes to the end of `log`.
  Status MoveTo(const std::filesystem::path& log) const;

 private:
  StandardFiles(bool input, bool output, bool errors)
      : input_(input), output_(output), errors_(errors) {}
  bool input_, output_, errors_;
};

/// Two processes from one, before it has threads or takes signals. The first stays at the terminal
/// and shows what the second prints until that lets it go; if it ends before, so does the second.
class Background {
 public:
  /// In the second process: nothing. In the first, once it is over: its exit code, 0 where it was
  /// let go.
  static Result<std::optional<int>> Split();
  /// In the second process, once: what it prints goes to the end of `log` from now on.
  static Status LetGo(const std::filesystem::path& log);
  static std::int64_t ProcessId();
};

}  // namespace ebb::platform
