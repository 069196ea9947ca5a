#pragma once
// The terminal in the hands of a program that draws the whole screen and reads single keys. The
// screen is the alternate one, so that the user's lines are back afterwards. Whatever ends the
// program, the terminal is as it was: the destructor puts it back, Ctrl-C and SIGTERM are values
// (process_signals.h), and a fault or an abort puts it back before it ends the process. Only
// SIGKILL leaves it, as with every such program; `reset` mends it.
//
// Escape sequences are those of ECMA-48, which every terminal since the VT100 understands.
//
// Thread contract: one thread, one instance at a time.

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "platform/descriptor.h"

namespace ebb::platform {

class FullScreen {
 public:
  /// Takes the terminal behind standard input and output. An Error if one of them is not a terminal
  /// that can draw.
  static Result<std::unique_ptr<FullScreen>> Open();
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  /// Draws lines from the top; the rest of the screen is empty. The lines must fit
  /// (StdoutColumns, StdoutRows); they may have escape sequences for the look of characters.
  void Draw(std::span<const std::string> lines);
  /// Waits for keys, for another size of the window, or until `other` is readable, at most for
  /// `timeout`. Returns the typed bytes; none if something else ended the wait.
  std::string Wait(Duration timeout, int other);
  /// The terminal has gone: nobody reads or types any more.
  bool is_gone() const { return is_gone_; }
  /// Gives the terminal back, stops the process as Ctrl-Z does, and takes the terminal again when
  /// the process goes on.
  void Suspend();

 private:
  explicit FullScreen(int resized) : resized_(resized) {}
  void Enter();
  void Leave();
  void Write(std::string_view text);

  Descriptor resized_;  // readable after the window got another size
  bool is_gone_ = false;
};

}  // namespace ebb::platform
