#pragma once
// A log in the run directory: the lines that a person would have seen, with wall time.

#include <chrono>
#include <filesystem>
#include <string>
#include <tuple>

#include "base/result.h"
#include "base/time.h"
#include "platform/file.h"

namespace ebb::app {

class RunLog {
 public:
  static Result<RunLog> Open(const std::filesystem::path& directory) {
    EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(directory / "ebb.log"));
    return RunLog(std::move(writer));
  }
  void Write(const std::string& text) {
    const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    // The log is a convenience, so a full disk must not end a run because of it.
    std::ignore = writer_.Append(FormatTime(now) + "  " + text);
  }

 private:
  explicit RunLog(platform::LineWriter writer) : writer_(std::move(writer)) {}
  platform::LineWriter writer_;
};

}  // namespace ebb::app
