#include "app/run/run_terminal.h"

#include <string>
#include <utility>

namespace ebb::app {
namespace {

constexpr const char* kOutputFile = "output.log";

}  // namespace

void RunTerminal::UseDirectory(const std::filesystem::path& directory, bool detached) {
  output_ = directory / kOutputFile;
  detached_ = detached;
}

void RunTerminal::Leave() {
  const std::filesystem::path file = output_.value_or("/dev/null");
  if (std::exchange(left_to_, file) == file) return;  // a shell may send the signal twice
  display_.LeaveTerminal();
  const Status moved = standard_files_.MoveTo(file);
  if (!log_) return;
  log_->Write("the terminal is gone (SIGHUP); what is printed is in " + file.string() +
              (moved ? "" : ": " + moved.error().Message()));
}

Status RunTerminal::OnFirstDecision(bool sleeps) {
  if (left_to_) Leave();  // the terminal was gone before there was a file for the output
  if (detached_) {
    const std::string process = std::to_string(platform::Background::ProcessId());
    display_.Say("goes on without the terminal, as process " + process +
                 "; what it prints: " + output_->string() + "; to end it: kill " + process);
    return platform::Background::LetGo(*output_);
  }
  if (sleeps && standard_files_.any())
    display_.Say("goes on waiting if this terminal ends, and prints to " + output_->string() +
                 " then; Ctrl-C ends it. Without a terminal: --detach, or ebb submit");
  return {};
}

}  // namespace ebb::app
