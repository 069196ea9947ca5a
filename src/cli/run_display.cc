#include "cli/run_display.h"

#include <cstdio>

#include "cli/display.h"
#include "cli/local_times.h"

namespace ebb::cli {
namespace {

class Display final : public app::RunDisplay {
 public:
  Display(DisplayMode mode, bool json) : json_(json), line_(mode), wait_(line_), training_(line_) {}

  void Say(const std::string& line) override { line_.Say(line); }
  void ShowDecision(const core::GateDecision& decision, const core::SignalView& view) override {
    wait_.Show(decision, view);
  }
  void ShowWait(Time grid_now) override { wait_.Tick(grid_now); }
  void BeginProgram(bool prints) override { training_.Begin(prints); }
  Duration TrainingInterval() const override {
    switch (line_.mode()) {
      case DisplayMode::kQuiet:
        return Duration::zero();
      case DisplayMode::kPlain:
        return Duration{1000};
      case DisplayMode::kTerminal:
        return Duration{200};
    }
    return Duration::zero();
  }
  bool ShowTraining(const std::vector<report::ProgressEvent>& events,
                    const local::LiveFigures& figures) override {
    return training_.Show(events, figures);
  }
  void LeaveTerminal() override { line_.LeaveTerminal(); }
  void EndLine() override { line_.Finish(); }
  void ShowSummary(const core::RunRecord& record, const report::Summary& summary,
                   const std::string& directory) override {
    if (!json_)
      return line_.Say(LocalTimes::Now().InText(report::SummaryText(record, summary)) +
                       "  kept in  " + directory);
    std::fputs(report::SummaryJson(record, summary).c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  const bool json_;
  StatusLine line_;
  WaitDisplay wait_;
  TrainingDisplay training_;
};

}  // namespace

std::unique_ptr<app::RunDisplay> MakeRunDisplay(const app::RunOptions& options) {
  return std::make_unique<Display>(ModeFor(options.quiet), options.json);
}

}  // namespace ebb::cli
