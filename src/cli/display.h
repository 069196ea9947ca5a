#pragma once
// Shows a person how a run waits and trains. On a terminal one line is rewritten in place; in a
// pipe there are plain lines, and only when something changed. Everything goes to stderr.

#include <optional>
#include <string>
#include <utility>

#include "core/jobs/decision.h"
#include "core/signal/intensity.h"
#include "local/process/measured_attempt.h"
#include "report/run/training_files.h"

namespace ebb::cli {

/// The emissions of a running program: "0.12 g", or a text that they are unknown.
std::string EmittedSoFar(Energy energy, Emissions emissions);

enum class DisplayMode { kQuiet, kPlain, kTerminal };
/// Quiet if asked; otherwise stderr decides.
DisplayMode ModeFor(bool quiet);

/// Writes to stderr; keeps at most one rewritable line at the bottom.
class StatusLine {
 public:
  explicit StatusLine(DisplayMode mode) : mode_(mode) {}
  ~StatusLine() { Finish(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  DisplayMode mode() const { return mode_; }
  /// A line that stays.
  void Say(const std::string& line);
  /// Rewrites the bottom line, cut to the terminal's width; nothing in a pipe.
  void Rewrite(const std::string& line);
  /// From now on lines go to a file, or to another place where they stay.
  void LeaveTerminal() {
    if (mode_ == DisplayMode::kTerminal) mode_ = DisplayMode::kPlain;
    drawn_ = false;
  }
  /// Ends the rewritable line, leaving the cursor on a fresh one.
  void Finish();

 private:
  void Clear();
  DisplayMode mode_;
  bool drawn_ = false;
};

/// "waiting: 312 g/kWh now, threshold 200; start expected 11:00, in 3h 20m, at the latest in 14h
/// ▇▆▅▂▁▁▂".
class WaitDisplay {
 public:
  explicit WaitDisplay(StatusLine& line) : line_(line) {}
  void Show(const core::GateDecision& decision, const core::SignalView& view);
  void Tick(Time grid_now);

 private:
  using Outlook = std::pair<core::GateRule, std::optional<Time>>;
  std::string Text(Time grid_now) const;

  StatusLine& line_;
  core::GateDecision decision_;
  std::string sparkline_;
  std::optional<Outlook> last_outlook_;
};

/// "epoch 2/3 ━━━━━━━╸───── 61 %  loss 0.081  4380 samples/s  38.2 W  0.0123 g".
class TrainingDisplay {
 public:
  explicit TrainingDisplay(StatusLine& line) : line_(line) {}
  /// A program that may print to the terminal has it to itself: its lines would mix with a
  /// rewritten line.
  void Begin(bool prints) { rewrites_ = !prints; }
  /// Returns true when an epoch ended.
  bool Show(const std::vector<report::ProgressEvent>& events, const local::LiveFigures& figures);

 private:
  void SayEpoch(const report::ProgressEvent& event, const local::LiveFigures& figures);
  std::string Text(const local::LiveFigures& figures) const;

  StatusLine& line_;
  bool rewrites_ = true;
  std::optional<report::ProgressEvent> step_;
  Duration last_plain_{};
};

}  // namespace ebb::cli
