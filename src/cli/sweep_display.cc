#include "cli/sweep_display.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "engine/decision.h"
#include "platform/terminal.h"

namespace ebb::cli {
namespace {

// With its two headings the table fits a terminal of 24 lines.
constexpr std::size_t kMostRows = 20;
constexpr std::size_t kNameColumns = 36;

// ASCII text in a column.
std::string CutOrPad(const std::string& text, std::size_t columns) {
  if (text.size() > columns) return text.substr(0, columns - 1) + "~";
  return text + std::string(columns - text.size(), ' ');
}

std::string StageText(const engine::Engine& engine, core::JobId job) {
  if (const engine::LiveJob* live = engine.state().FindLive(job))
    return std::string(Name(live->stage));
  if (engine.state().FindHeld(job)) return "held";
  const engine::EndedJob* ended = engine.state().FindEnded(job);
  return ended ? std::string(Name(ended->stage)) : "refused";
}

// Those that run first, then those that wait by expected start, then those that ended.
int Rank(const engine::Engine& engine, core::JobId job) {
  const engine::LiveJob* live = engine.state().FindLive(job);
  if (!live) return 2;
  return HoldsDevices(live->stage) ? 0 : 1;
}

}  // namespace

const std::string& SweepDisplay::NameOf(core::JobId job) const {
  return sweep_.experiments[static_cast<std::size_t>(job - 1)].name;
}

void SweepDisplay::Clear() {
  if (drawn_lines_ > 0) std::fprintf(stderr, "\x1b[%zuA\x1b[J", drawn_lines_);
  drawn_lines_ = 0;
}

void SweepDisplay::Say(const std::string& line) {
  if (mode_ == DisplayMode::kQuiet) return;
  Clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void SweepDisplay::Finish() { drawn_lines_ = 0; }

std::string SweepDisplay::Row(const sweep::Experiment& experiment, const local::RunningJob* running,
                              const RunProgress& progress) const {
  const core::JobId job = experiment.index;
  std::string row = CutOrPad(experiment.name, kNameColumns) + "  " +
                    CutOrPad(sweep_.TierOf(experiment).name, 4) + " " +
                    CutOrPad(StageText(engine_, job), 10);
  std::string figures;
  if (progress.epoch > 0) figures = "epoch " + std::to_string(progress.epoch);
  if (progress.loss) figures += "  loss " + FormatSignificant(*progress.loss, 3);
  row += CutOrPad(figures, 22);
  if (running)
    return row + FormatSignificant(running->figures.energy.kwh() * 1000, 3) + " Wh  " +
           FormatSignificant(running->figures.emissions.grams, 3) + " g  " +
           FormatDuration(running->figures.elapsed);
  const engine::Explanation* explanation = engine_.Explain(job);
  if (explanation && engine_.state().FindLive(job)) return row + Sentence(*explanation);
  const engine::EndedJob* ended = engine_.state().FindEnded(job);
  return ended && !ended->detail.empty() ? row + ended->detail : row;
}

std::vector<std::string> SweepDisplay::Lines(Time grid_now,
                                             const std::vector<local::RunningJob>& running,
                                             const SweepProgress& progress) const {
  std::vector<const sweep::Experiment*> order;
  for (const sweep::Experiment& experiment : sweep_.experiments) order.push_back(&experiment);
  const auto key = [&](const sweep::Experiment* experiment) {
    const engine::Explanation* explanation = engine_.Explain(experiment->index);
    const auto start = explanation ? explanation->expected_start : std::nullopt;
    return std::tuple(Rank(engine_, experiment->index), start.value_or(Time::max()),
                      experiment->index);
  };
  std::sort(order.begin(), order.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  std::vector<std::string> lines{
      sweep_.name + "  grid " + FormatTime(std::chrono::floor<std::chrono::seconds>(grid_now)),
      CutOrPad("experiment", kNameColumns) + "  tier state     " + CutOrPad("progress", 22) +
          "why, or energy"};
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
    const auto found =
        std::find_if(running.begin(), running.end(),
                     [&](const local::RunningJob& job) { return job.job == order[i]->index; });
    lines.push_back(
        Row(*order[i], found == running.end() ? nullptr : &*found, progress.Of(order[i]->index)));
  }
  if (order.size() > kMostRows)
    lines.push_back("... and " + std::to_string(order.size() - kMostRows) + " more");
  return lines;
}

void SweepDisplay::Draw(Time grid_now, const std::vector<local::RunningJob>& running,
                        const SweepProgress& progress) {
  if (mode_ != DisplayMode::kTerminal) return;
  Clear();
  const auto columns = static_cast<std::size_t>(std::max(20, platform::TerminalColumns() - 1));
  for (const std::string& line : Lines(grid_now, running, progress)) {
    std::fprintf(stderr, "%s\n", line.substr(0, columns).c_str());
    ++drawn_lines_;
  }
}

void SweepDisplay::OnEvent(const engine::Event& event) {
  const auto* report = std::get_if<engine::JobReport>(&event.fact);
  if (!report || report->detail.empty()) return;
  Say(FormatTime(std::chrono::floor<std::chrono::seconds>(event.at)) + "  " + NameOf(report->job) +
      ": " + report->detail);
}

void SweepDisplay::OnRefused(const engine::Event& event, const Error& error) {
  if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact))
    Say(submitted->job.name + " is refused: " + error.Message());
}

// A log wants a line when a job's outlook changes, not one for every forecast.
void SweepDisplay::OnDecision(const engine::Decision& decision, const engine::Engine&) {
  if (mode_ != DisplayMode::kPlain) return;
  for (const engine::Explanation& explanation : decision.explanations) {
    const Outlook outlook{explanation.stage, explanation.rule};
    const auto known = outlooks_.find(explanation.job);
    if (known != outlooks_.end() && known->second == outlook) continue;
    outlooks_[explanation.job] = outlook;
    Say(FormatTime(std::chrono::floor<std::chrono::seconds>(decision.at)) + "  " +
        NameOf(explanation.job) + "  " + Sentence(explanation));
  }
}

void SweepDisplay::OnCommandFailed(const engine::Command&, const Error& error) {
  Say("note: " + error.Message());
}

}  // namespace ebb::cli
