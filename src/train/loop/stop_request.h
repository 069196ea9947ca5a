#pragma once
// Turns SIGTERM and SIGINT into a flag that the training loop reads between updates. Process-wide.

namespace ebb::train {

/// Installs the handlers; also ignores SIGXFSZ and SIGPIPE, so that a full disk or a closed pipe is
/// an error that the write returns, not the end of the training.
void InstallStopHandlers();

bool StopRequested();

}  // namespace ebb::train
