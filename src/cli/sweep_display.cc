#include "cli/sweep_display.h"

#include <algorithm>
#include <cstdio>

#include "base/columns.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "engine/decision.h"
#include "engine/state.h"
#include "platform/terminal.h"
#include "report/run/epoch_losses.h"
#include "report/run/run_directory.h"
#include "report/text_table.h"

namespace ebb::cli {
namespace {

// With two headings, a table of so many rows fits a terminal of 24 lines.
constexpr std::size_t kMostRows = 20;
constexpr std::size_t kNameColumns = 36;

// Sorts running experiments first, then waiting ones by expected start, then those that ended.
auto OrderOf(const service::JobCard& card) {
  const engine::Explanation& explanation = card.explanation;
  const int rank = engine::HasEnded(explanation.stage)       ? 2
                   : engine::HoldsDevices(explanation.stage) ? 0
                                                             : 1;
  return std::tuple(rank, explanation.reason.start.value_or(Time::max()), card.submission->job.id);
}

const local::SupervisedFigures* RunningOf(const service::View& view, core::JobId job) {
  const auto found =
      std::find_if(view.running.begin(), view.running.end(),
                   [&](const local::SupervisedFigures& program) { return program.job == job; });
  return found == view.running.end() ? nullptr : &*found;
}

}  // namespace

void SweepDisplay::Clear() {
  if (drawn_lines_ > 0) std::fprintf(stderr, "\x1b[%zuA\x1b[J", drawn_lines_);
  drawn_lines_ = 0;
}

void SweepDisplay::Say(const std::string& line) {
  const std::lock_guard guard(mutex_);
  Print(line);
}

void SweepDisplay::Print(const std::string& line) {
  if (mode_ == DisplayMode::kQuiet) return;
  Clear();
  cli::Say(line);
}

void SweepDisplay::Finish() {
  const std::lock_guard guard(mutex_);
  drawn_lines_ = 0;
}

void SweepDisplay::ShowReport(const report::SweepReport& report, const std::string& directory) {
  const std::lock_guard guard(mutex_);
  if (json_)
    std::fputs(report::SweepJson(report).c_str(), stdout);
  else
    Print("\n" +
          report::SweepText(report, mode_ == DisplayMode::kTerminal ? platform::TerminalColumns()
                                                                    : report::kAnyWidth) +
          "  kept in  " + directory);
}

void SweepDisplay::Show(const service::View& view, Time now) {
  const std::lock_guard guard(mutex_);
  if (mode_ == DisplayMode::kQuiet) return;
  Tell(view);
  if (mode_ == DisplayMode::kPlain) TellOutlooks(view);
  if (mode_ == DisplayMode::kTerminal) Draw(view, now);
}

void SweepDisplay::Tell(const service::View& view) {
  if (view.device_trouble != device_trouble_ && !view.device_trouble.empty())
    Print("nothing can be started: " + view.device_trouble);
  device_trouble_ = view.device_trouble;
  for (const service::ServiceEvent& event : view.events) {
    if (event.number <= told_) continue;
    told_ = event.number;
    const service::JobCard* card = view.jobs.Find(event.job);
    const LocalTimes times = LocalTimes::Of(view.now);
    Print(times.Stamp(event.at) + "  " + (card ? card->submission->job.name + ": " : "") +
          times.InText(event.text));
  }
}

// Reports changed outlooks of waiting experiments; starts and ends are reported as they happen. A
// log wants a line when the outlook of a job changes, not one for every forecast.
void SweepDisplay::TellOutlooks(const service::View& view) {
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    const engine::Explanation& explanation = card.explanation;
    const Outlook outlook{explanation.stage, explanation.reason.rule};
    const auto [known, is_new] = outlooks_.try_emplace(explanation.job, outlook);
    if (!is_new && known->second == outlook) return true;
    known->second = outlook;
    if (engine::HasEnded(explanation.stage) || engine::HoldsDevices(explanation.stage)) return true;
    const LocalTimes times = LocalTimes::Of(view.now);
    Print(times.Stamp(view.now) + "  " + card.submission->job.name + "  " +
          times.InText(Sentence(explanation)));
    return true;
  });
}

std::string SweepDisplay::ProgressOf(const service::JobCard& card) const {
  if (card.attempt == 0) return "";
  const auto told =
      report::LastEpochLoss(directory_of_(card.submission->job.id) / report::kProgressFile);
  if (!told) return "";
  return "epoch " + std::to_string(told->epoch) + "  loss " + FormatSignificant(told->loss, 3);
}

std::string SweepDisplay::Row(const service::JobCard& card, const service::View& view) const {
  const core::Job& job = card.submission->job;
  const engine::Stage stage = card.explanation.stage;
  std::string row = CutOrPad(job.name, kNameColumns) + "  " + CutOrPad(job.tier, 4) + " " +
                    CutOrPad(std::string(Name(stage)), 10) + CutOrPad(ProgressOf(card), 22);
  if (const local::SupervisedFigures* program = RunningOf(view, job.id))
    return row + EnergyText(program->figures.energy) + "  " +
           EmittedSoFar(program->figures.energy, program->figures.emissions) + "  " +
           FormatDuration(program->figures.elapsed);
  if (!card.detail.empty()) return row + card.detail;
  return engine::HasEnded(stage)
             ? row
             : row + LocalTimes::Of(view.now).InText(Sentence(card.explanation));
}

std::vector<std::string> SweepDisplay::Lines(const service::View& view, Time now) const {
  std::vector<const service::JobCard*> order;
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    order.push_back(&card);
    return true;
  });
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return OrderOf(*a) < OrderOf(*b); });
  std::vector<std::string> lines{name_ + "  grid " + LocalTimes::Of(now).Stamp(now),
                                 CutOrPad("experiment", kNameColumns) + "  tier state     " +
                                     CutOrPad("progress", 22) + "why, or energy"};
  for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i)
    lines.push_back(Row(*order[i], view));
  if (order.size() > kMostRows)
    lines.push_back("... and " + std::to_string(order.size() - kMostRows) + " more");
  return lines;
}

void SweepDisplay::Draw(const service::View& view, Time now) {
  Clear();
  const auto columns = std::max<std::size_t>(21, platform::TerminalColumns()) - 1;
  for (const std::string& line : Lines(view, now)) {
    std::fprintf(stderr, "%s\n", CutTo(line, columns).c_str());
    ++drawn_lines_;
  }
}

}  // namespace ebb::cli
