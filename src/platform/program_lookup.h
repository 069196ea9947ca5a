#pragma once
// Finds a program as exec would, before or without starting it, and says why it cannot be started.

#include "platform/child_process.h"

namespace ebb::platform {

/// Checks that ChildProcess::Start will find a working directory that it can enter, and an
/// executable program there or in the PATH of the child's environment. If not, fails with the Error
/// that Start would give. The content of the program is not checked.
Status CheckStart(const ChildOptions& options);
/// Fails if the options have no command.
Status CheckNamed(const ChildOptions& options);

/// The Error for a failed exec with this errno, with the command that was probably meant:
/// "./train.py", "python3 train.py", or several words that were given as one.
Error StartError(int code, const ChildOptions& options);
/// The Error for a working directory that could not be entered.
Error DirectoryError(int code, const std::string& directory);
/// True if the exit code stands for one of these Errors, which would occur again the next time.
bool IsFaultOfCommand(int code);

}  // namespace ebb::platform
