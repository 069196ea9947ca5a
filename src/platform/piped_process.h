#pragma once
// A helper program that this process talks with over its standard input and output, such as ssh. It
// has a process group of its own, so that Ctrl-C at the terminal does not end it.
//
// Thread contract: one thread.

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/byte_channel.h"

namespace ebb::platform {

class PipedProcess {
 public:
  /// Starts the program, looked up in PATH. A program that is not found ends at once, with 127.
  static Result<PipedProcess> Start(const std::vector<std::string>& command);
  PipedProcess(PipedProcess&& other) noexcept;
  PipedProcess& operator=(PipedProcess&& other) noexcept;
  /// Kills the program if it still runs.
  ~PipedProcess();

  ByteChannel& channel() { return *channel_; }
  /// Ends the program and returns what it wrote to its standard error: the last line that says
  /// something, at most the first 64 KiB are looked at.
  std::string EndAndExplain();

 private:
  PipedProcess(pid_t pid, std::unique_ptr<ByteChannel> channel, int errors)
      : pid_(pid), channel_(std::move(channel)), errors_(errors) {}
  void Kill();

  pid_t pid_ = -1;
  std::unique_ptr<ByteChannel> channel_;
  int errors_ = -1;
};

}  // namespace ebb::platform
