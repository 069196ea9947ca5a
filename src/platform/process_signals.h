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
};

class ProcessSignals {
 public:
  ProcessSignals();
  ~ProcessSignals();
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  /// A descriptor for poll(2) that is readable while a signal of any kind waits to be taken. Do not
  /// read from it. Whoever polls it takes them all, by Wait or TakeAll; otherwise it stays
  /// readable.
  int descriptor();
  /// Takes all signals that wait. Returns the number of the last request to stop, if one came.
  std::optional<int> TakeAll();

  /// The next signal (child events, requests to stop, user signals), or nullopt after `timeout`.
  std::optional<SignalReceived> Wait(Duration timeout);
  /// The next request to stop (INT, TERM, HUP); other signals stay queued.
  std::optional<SignalReceived> WaitForStop(Duration timeout);

 private:
  int descriptor_ = -1;
};

/// True if a signal asks the program to end.
bool IsStopRequest(int signal_number);
/// The name of a signal: "SIGTERM"; "signal 99" if it has no name.
const char* SignalName(int signal_number);

/// Undoes the changes of ProcessSignals to the signal mask. Called in a freshly forked child,
/// before exec.
void RestoreDefaultSignals();

}  // namespace ebb::platform
