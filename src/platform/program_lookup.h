#pragma once
// Finds a program as exec would, before or without starting it, and says why it cannot be started.

#include "platform/child_process.h"

namespace ebb::platform {

/// Whether ChildProcess::Start finds a working directory that it can enter, and a program there or
/// in the PATH of the child's environment that may be executed: its Error if not. What lies in the
/// file is not looked at.
Status CheckStart(const ChildOptions& options);
/// An Error without a command is one of these.
Status CheckNamed(const ChildOptions& options);

/// Why exec failed, by its errno, with what was probably meant: "./train.py", "python3 train.py",
/// or several words that were given as one.
Error StartError(int code, const ChildOptions& options);
/// Why the working directory could not be entered.
Error DirectoryError(int code, const std::string& directory);
/// Of an exit code that stands for one of these Errors: it cannot work the next time either.
bool IsFaultOfCommand(int code);

}  // namespace ebb::platform
