#pragma once
// Signals as values: they are blocked for the whole process and taken off the queue by one thread,
// so that no code runs in a handler. Construct before any thread is started; one instance at a
// time.

#include <sys/types.h>

#include <optional>

#include "base/time.h"

namespace ebb::platform {

struct SignalReceived {
  int number = 0;
  bool from_terminal =
      false;  ///< typed on the terminal (Ctrl-C), so its whole foreground group got it
};

class ProcessSignals {
 public:
  ProcessSignals();
  ~ProcessSignals();
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  /// Readable while a signal waits to be taken, for poll(2); nothing is to be read from it.
  int descriptor();

  /// The next signal (child events, requests to stop, user signals), or nothing when `timeout`
  /// passes.
  std::optional<SignalReceived> Wait(Duration timeout);
  /// Only requests to stop (INT, TERM, HUP); others stay queued.
  std::optional<SignalReceived> WaitForStop(Duration timeout);

 private:
  int descriptor_ = -1;
};

/// Whether a signal asks the program to end.
bool IsStopRequest(int signal_number);
/// "SIGTERM"; "signal 99" for one without a name.
const char* SignalName(int signal_number);

/// In a freshly forked child, before exec: undoes what ProcessSignals did to the signal mask.
void RestoreDefaultSignals();

}  // namespace ebb::platform
