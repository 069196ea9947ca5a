#include "cli/display.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/columns.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "cli/terminal_plot.h"
#include "platform/terminal.h"
#include "report/text_table.h"

namespace ebb::cli {
namespace {

constexpr std::size_t kBarColumns = 20;
constexpr Duration kPlainInterval{30'000};

std::string Bar(double share) {
  const auto filled =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBarColumns));
  std::string bar;
  for (std::size_t i = 0; i < kBarColumns; ++i) bar += i < filled ? "━" : "─";
  return bar;
}

std::string Figure(const std::optional<Intensity>& intensity) {
  return intensity ? IntensityText(*intensity) : "unknown";
}

std::string EnergyAndGrams(const local::LiveFigures& figures) {
  return PowerText(figures.power) + "  " + EnergyText(figures.energy) + "  " +
         EmittedSoFar(figures.energy, figures.emissions);
}

}  // namespace

std::string EmittedSoFar(Energy energy, Emissions emissions) {
  // Unknown is not zero: either no energy had an intensity, or all of it is from after the last
  // row.
  if (energy > Energy{} && emissions.grams == 0) return "emissions not known yet";
  return EmissionsText(emissions);
}

namespace {

// The hours ahead until the latest start, at most two days of them.
std::string AheadOf(const core::GateDecision& decision, const core::SignalView& view) {
  const Time end = std::clamp(decision.reason.latest.value_or(view.now),
                              view.now + std::chrono::hours{6}, view.now + std::chrono::hours{48});
  const auto values = SampleView(view, {view.now, end}, 24);
  const bool any =
      std::any_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); });
  return any ? Sparkline(values) : "";
}

}  // namespace

DisplayMode ModeFor(bool quiet) {
  if (quiet) return DisplayMode::kQuiet;
  return platform::StderrIsTerminal() ? DisplayMode::kTerminal : DisplayMode::kPlain;
}

void StatusLine::Say(const std::string& line) {
  if (mode_ == DisplayMode::kQuiet) return;
  Clear();
  cli::Say(line);
}

void StatusLine::Rewrite(const std::string& line) {
  if (mode_ != DisplayMode::kTerminal) return;
  const auto columns = std::max<std::size_t>(21, platform::TerminalColumns()) - 1;
  std::fprintf(stderr, "\r\x1b[2K%s", CutTo(line, columns).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void StatusLine::Finish() {
  if (drawn_) std::fputc('\n', stderr);
  drawn_ = false;
}

void StatusLine::Clear() {
  if (drawn_) std::fputs("\r\x1b[2K", stderr);
  drawn_ = false;
}

void WaitDisplay::Show(const core::GateDecision& decision, const core::SignalView& view) {
  decision_ = decision;
  sparkline_ = AheadOf(decision, view);
  const LocalTimes times = LocalTimes::Of(decision.at);
  if (decision.action != core::GateAction::kWait) {
    // A run that cannot wait has no decision to explain.
    const std::string why = decision.reason.rule == core::GateRule::kRunNow
                                ? "carbon intensity " + Figure(decision.reason.current)
                                : times.InText(Sentence(decision));
    line_.Say(times.Stamp(decision.at) + "  " + std::string(Name(decision.action)) + ": " + why);
    return;
  }
  // A log wants a line when the outlook changes, not one for every value.
  const Outlook outlook{decision.reason.rule, decision.reason.start};
  if (line_.mode() == DisplayMode::kPlain && outlook != last_outlook_)
    line_.Say(times.Stamp(decision.at) + "  " + Text(decision.at) + "  (" +
              times.InText(Sentence(decision)) + ")");
  else if (decision.reason.rule == core::GateRule::kThresholdOutOfReach && outlook != last_outlook_)
    line_.Say("note: " + times.InText(Sentence(decision)));
  last_outlook_ = outlook;
  Tick(decision.at);
}

void WaitDisplay::Tick(Time grid_now) {
  line_.Rewrite(LocalTimes::Of(grid_now).Moment(grid_now) + "  " + Text(grid_now));
}

std::string WaitDisplay::Text(Time grid_now) const {
  std::string text = "waiting: " + Figure(decision_.reason.current) + " now";
  if (decision_.reason.threshold)
    text += ", threshold " + FormatFixed(decision_.reason.threshold->g_per_kwh, 0);
  if (decision_.reason.start) {
    text += ", start expected " +
            LocalTimes::Of(grid_now).MomentAndDistance(std::max(grid_now, *decision_.reason.start));
  } else {
    text += ", start not yet foreseeable";
  }
  text += ", at the latest in " +
          FormatDuration(
              std::max(Duration::zero(), decision_.reason.latest.value_or(grid_now) - grid_now));
  return sparkline_.empty() ? text : text + "  " + sparkline_;
}

bool TrainingDisplay::Show(const std::vector<report::ProgressEvent>& events,
                           const local::LiveFigures& figures) {
  bool epoch_ended = false;
  for (const report::ProgressEvent& event : events) {
    if (event.event == "step") step_ = event;
    if (event.event != "epoch_end") continue;
    epoch_ended = true;
    SayEpoch(event, figures);
  }
  if (rewrites_) line_.Rewrite(Text(figures));
  if (line_.mode() == DisplayMode::kPlain && figures.elapsed - last_plain_ >= kPlainInterval) {
    last_plain_ = figures.elapsed;
    line_.Say(Text(figures));
  }
  return epoch_ended;
}

void TrainingDisplay::SayEpoch(const report::ProgressEvent& event,
                               const local::LiveFigures& figures) {
  std::string text = "epoch " + std::to_string(event.epoch.value_or(0));
  if (event.train_loss) text += "  loss " + FormatSignificant(*event.train_loss, 3);
  if (event.test_loss) text += "  test loss " + FormatSignificant(*event.test_loss, 3);
  if (event.test_accuracy_percent)
    text += "  accuracy " + FormatFixed(*event.test_accuracy_percent, 2) + " %";
  line_.Say(text + "  " + EnergyAndGrams(figures));
}

std::string TrainingDisplay::Text(const local::LiveFigures& figures) const {
  if (!step_) return "running " + FormatDuration(figures.elapsed) + "  " + EnergyAndGrams(figures);
  std::string text = "epoch " + std::to_string(step_->epoch.value_or(0));
  if (step_->step && step_->total_steps && *step_->total_steps > 0) {
    const double share =
        static_cast<double>(*step_->step) / static_cast<double>(*step_->total_steps);
    text += " " + Bar(share) + " " + FormatFixed(100 * share, 0) + " %";
  }
  if (step_->loss) text += "  loss " + FormatSignificant(*step_->loss, 3);
  if (step_->samples_per_second)
    text += "  " + FormatFixed(*step_->samples_per_second, 0) + " samples/s";
  return text + "  " + EnergyAndGrams(figures);
}

}  // namespace ebb::cli
