#pragma once
// What a person sees while a sweep runs: on a terminal a table that is rewritten in place, in a
// pipe one line for whatever changed. Everything goes to stderr.

#include <map>
#include <string>
#include <vector>

#include "cli/display.h"
#include "cli/sweep_halving.h"
#include "engine/engine.h"
#include "local/local_executor.h"
#include "runtime/run_loop.h"
#include "sweep/sweep.h"

namespace ebb::cli {

class SweepDisplay final : public runtime::LoopObserver {
 public:
  SweepDisplay(const sweep::Sweep& sweep, const engine::Engine& engine, DisplayMode mode)
      : sweep_(sweep), engine_(engine), mode_(mode) {}
  ~SweepDisplay() override { Finish(); }

  /// A line that stays.
  void Say(const std::string& line);
  /// Rewrites the table; nothing in a pipe.
  void Draw(Time grid_now, const std::vector<local::RunningJob>& running,
            const SweepProgress& progress);
  /// Leaves the last table standing.
  void Finish();

  void OnEvent(const engine::Event& event) override;
  void OnRefused(const engine::Event& event, const Error& error) override;
  void OnDecision(const engine::Decision& decision, const engine::Engine& engine) override;
  void OnCommandFailed(const engine::Command& command, const Error& error) override;

 private:
  using Outlook = std::pair<engine::Stage, core::GateRule>;
  const std::string& NameOf(core::JobId job) const;
  std::vector<std::string> Lines(Time grid_now, const std::vector<local::RunningJob>& running,
                                 const SweepProgress& progress) const;
  std::string Row(const sweep::Experiment& experiment, const local::RunningJob* running,
                  const RunProgress& progress) const;
  void Clear();

  const sweep::Sweep& sweep_;
  const engine::Engine& engine_;
  DisplayMode mode_;
  std::size_t drawn_lines_ = 0;
  std::map<core::JobId, Outlook> outlooks_;
};

}  // namespace ebb::cli
