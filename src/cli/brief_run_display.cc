#include "cli/brief_run_display.h"

#include <utility>

#include "base/units_text.h"
#include "cli/display.h"
#include "cli/local_times.h"

namespace ebb::cli {
namespace {

class BriefDisplay final : public app::RunDisplay {
 public:
  BriefDisplay(std::string label, const app::RunOptions& options)
      : label_(std::move(label)), name_(options.name), line_(ModeFor(options.quiet)) {}

  /// Prints notes, but not the lines that introduce a run ("baseline: ..."), because the label does
  /// that.
  void Say(const std::string& line) override {
    if (!line.starts_with(name_ + ": ")) line_.Say(line);
  }
  void ShowDecision(const core::GateDecision& decision, const core::SignalView&) override {
    if (decision.action == core::GateAction::kWait) ShowWait(decision.at);
  }
  void ShowWait(Time grid_now) override {
    line_.Rewrite(label_ + ": waits for clean power, " + MomentText(grid_now));
  }
  void BeginProgram(bool) override {}
  Duration TrainingInterval() const override {
    return line_.mode() == DisplayMode::kTerminal ? Duration{200} : Duration::zero();
  }
  bool ShowTraining(const std::vector<report::ProgressEvent>&,
                    const local::LiveFigures& figures) override {
    line_.Rewrite(label_ + ": trains, " + FormatDuration(figures.elapsed) + ", " +
                  EmissionsText(figures.emissions));
    return false;
  }
  void LeaveTerminal() override { line_.LeaveTerminal(); }
  void EndLine() override {}
  void ShowSummary(const core::RunRecord&, const report::Summary& summary,
                   const std::string&) override {
    std::string text = label_ + ": " + std::string(core::Name(summary.outcome));
    if (summary.started) text += ", started " + MomentText(*summary.started);
    line_.Say(text + ", ran " + FormatDuration(summary.running_time) + ", " +
              EmittedText(summary.totals));
  }

 private:
  static std::string EmittedText(const core::LedgerTotals& totals) {
    if (!totals.MeanIntensity()) return "emissions unknown";
    const bool in_part = totals.energy_without_intensity > Energy{};
    return (in_part ? "emitted at least " : "emitted ") + EmissionsText(totals.emissions);
  }

  const std::string label_, name_;
  StatusLine line_;
};

}  // namespace

std::unique_ptr<app::RunDisplay> MakeBriefRunDisplay(const std::string& label,
                                                     const app::RunOptions& options) {
  return std::make_unique<BriefDisplay>(label, options);
}

}  // namespace ebb::cli
