#include "report/run/summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "core/run/accounting.h"

namespace ebb::report {
namespace {

using core::LedgerRow;

// Rows that suffice for a search over starts. The figures of the best start are then computed on
// the exact rows.
constexpr std::size_t kSearchRows = 500;
constexpr Duration kSearchStep{std::chrono::minutes{1}};

Interval Span(const std::vector<LedgerRow>& rows) {
  Interval span = rows.front().grid;
  for (const LedgerRow& row : rows) {
    span.begin = std::min(span.begin, row.grid.begin);
    span.end = std::max(span.end, row.grid.end);
  }
  return span;
}

// Rows of one attempt and PUE that fall into the same short bin of time, joined into one.
std::vector<LedgerRow> Coarser(const std::vector<LedgerRow>& rows) {
  if (rows.size() <= kSearchRows) return rows;
  const Interval span = Span(rows);
  const Duration bin = std::max(Duration{1}, span.length() / static_cast<int>(kSearchRows));
  std::map<std::tuple<int, Duration::rep, double>, LedgerRow> bins;
  for (const LedgerRow& row : rows) {
    const auto index = (row.grid.begin - span.begin) / bin;
    auto [it, is_new] = bins.try_emplace({row.attempt, index, row.pue.ratio}, row);
    if (is_new) continue;
    it->second.energy += row.energy;
    it->second.grid.begin = std::min(it->second.grid.begin, row.grid.begin);
    it->second.grid.end = std::max(it->second.grid.end, row.grid.end);
  }
  std::vector<LedgerRow> coarser;
  for (const auto& [key, row] : bins) coarser.push_back(row);
  return coarser;
}

Alternative MakeAlternative(const core::Counterfactual& other, const core::LedgerTotals& actual) {
  Alternative alternative{other, std::nullopt, std::nullopt, std::nullopt};
  if (other.energy_without_intensity > Energy{} || actual.energy_without_intensity > Energy{})
    return alternative;
  alternative.saving = other.emissions - actual.emissions;
  if (other.emissions.grams > 0)
    alternative.saving_percent = 100 * alternative.saving->grams / other.emissions.grams;
  return alternative;
}

// The best start by published values only: expectations of hours that nobody has measured are not
// hindsight. A run that paused is compared with the best schedule with pauses.
std::optional<core::Counterfactual> BestInHindsight(const core::RunRecord& run,
                                                    const core::IntensitySeries& published,
                                                    Time at_submission) {
  const Time latest =
      std::max(at_submission, at_submission + (run.latest_start() - run.spec.submitted));
  const Interval span = Span(run.ledger);
  std::vector<core::Counterfactual> found;
  const auto consider = [&](const std::optional<core::Counterfactual>& one) {
    if (one && one->energy_without_intensity == Energy{}) found.push_back(*one);
  };
  const auto start =
      core::BestStart(Coarser(run.ledger), {at_submission, latest}, kSearchStep, published);
  if (start) consider(core::RunAt(run.ledger, start->start, published));
  consider(core::RunAt(run.ledger, at_submission, published));
  if (!core::HasPaused(run.ledger)) {
    if (span.begin <= latest) consider(core::RunAt(run.ledger, span.begin, published));
  } else {
    const Time end = std::max(span.end, latest + run.running_time());
    consider(core::BestWithPauses(run.ledger, {at_submission, end}, published));
    consider(core::AsItRan(run.ledger, published));
  }
  const auto best = std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.emissions < b.emissions;
  });
  return best == found.end() ? std::nullopt : std::optional(*best);
}

void AddCounterfactuals(const core::RunRecord& run, const core::IntensitySeries& published,
                        Summary& summary) {
  if (run.ledger.empty()) return;
  const Time at_submission = StartAtSubmission(run);
  summary.cost = SummariseCost(run, at_submission);
  if (run.spec.zones > 1) return;
  summary.at_submission =
      MakeAlternative(core::RunAt(run.ledger, at_submission, run.signal), summary.totals);
  if (summary.at_submission->saving)
    summary.at_submission->half_width_g = core::HalfWidthOfDifference(
        core::RowsAt(run.ledger, at_submission, run.signal), run.ledger, run.spec.scope);
  if (const auto best = BestInHindsight(run, published, at_submission))
    summary.best_in_hindsight = MakeAlternative(*best, summary.totals);
  if (!summary.at_submission->saving || !summary.best_in_hindsight) return;
  const double possible =
      summary.at_submission->run.emissions.grams - summary.best_in_hindsight->run.emissions.grams;
  if (possible > 0)
    summary.share_of_possible_saving = summary.at_submission->saving->grams / possible;
}

void AddIntensityAtSubmission(const core::RunRecord& run, Summary& summary) {
  if (const core::Sample* sample = run.signal.At(run.spec.submitted)) {
    summary.intensity_at_submission = sample->intensity;
    summary.intensity_at_submission_status = sample->status;
  } else if (!run.decisions.empty() && run.decisions.front().reason.current) {
    summary.intensity_at_submission = run.decisions.front().reason.current;
    summary.intensity_at_submission_status = run.decisions.front().current_status;
  }
}

constexpr std::size_t kMostWaitsNamed = 4;

// The gate looks again whenever the signal changes. Consecutive waits count as one wait.
std::vector<Interval> JoinedWaits(const core::RunRecord& run) {
  std::vector<Interval> joined;
  for (const core::SkippedWait& wait : run.skipped_waits) {
    if (!joined.empty() && joined.back().end == wait.grid.begin)
      joined.back().end = wait.grid.end;
    else
      joined.push_back(wait.grid);
  }
  return joined;
}

}  // namespace

Time StartAtSubmission(const core::RunRecord& run) {
  const Time first_row = Span(run.ledger).begin;
  const bool was_told_to_wait =
      std::any_of(run.decisions.begin(), run.decisions.end(),
                  [](const core::GateDecision& d) { return d.action == core::GateAction::kWait; });
  return was_told_to_wait || run.decisions.empty() ? first_row - run.waited() : first_row;
}

std::optional<Emissions> EmissionsOfAll(const core::LedgerTotals& totals) {
  if (totals.energy_without_intensity > Energy{}) return std::nullopt;
  return totals.emissions;
}

Summary Summarise(const core::RunRecord& as_stored) {
  const core::RunRecord run = core::Accounted(as_stored);
  Summary summary;
  summary.totals = core::Total(run.ledger);
  summary.uncertainty = core::UncertaintyOf(run.ledger, run.spec.scope);
  summary.started = run.started();
  summary.waited = run.waited();
  summary.running_time = run.running_time();
  summary.attempts = static_cast<int>(run.attempts.size());
  summary.ended = run.spec.submitted;
  if (!run.attempts.empty()) {
    for (const core::Attempt& attempt : run.attempts)
      summary.ended = std::max(summary.ended, attempt.grid.end);
    summary.outcome = run.outcome();
  }
  if (const auto others = core::OnOtherSignal(run.ledger); !others.empty())
    summary.other = OtherTotals{others.front().signal_kind, core::Total(others),
                                core::UncertaintyOf(others, run.spec.scope)};
  if (run.spec.wue_l_per_kwh)
    summary.water_l = summary.totals.energy.kwh() * *run.spec.wue_l_per_kwh;
  if (run.spec.embodied) summary.embodied = run.spec.embodied->Of(summary.running_time);
  for (const core::Epoch& epoch : run.epochs)
    summary.epochs.push_back({epoch, core::TotalWithin(run.ledger, epoch.wall)});
  summary.per_unit =
      core::UsePerUnit(run.work, summary.totals.energy, EmissionsOfAll(summary.totals));
  AddIntensityAtSubmission(run, summary);
  AddCounterfactuals(run, as_stored.signal, summary);
  summary.had_it_waited = HadItWaitedOf(run);
  return summary;
}

std::vector<std::string> ReplayNotices(const core::RunRecord& run) {
  std::vector<std::string> notices;
  const core::GridClockSettings& clock = run.spec.clock;
  if (clock.replayed) {
    const std::string speed =
        clock.speed == 1 ? "at real speed" : "at " + FormatExact(clock.speed) + " times real speed";
    notices.push_back("The grid clock was replayed from " + FormatTime(clock.begin) + " " + speed +
                      "; the energy is real.");
  }
  if (run.skipped_waits.empty()) return notices;
  const std::vector<Interval> waits = JoinedWaits(run);
  Duration total{0};
  std::vector<std::string> texts;
  for (const Interval& wait : waits) {
    total += wait.length();
    if (texts.size() < kMostWaitsNamed)
      texts.push_back(FormatTime(wait.begin) + " to " + FormatTime(wait.end));
  }
  if (waits.size() > texts.size())
    texts.push_back("and " + std::to_string(waits.size() - texts.size()) + " more");
  notices.push_back("Waits of " + FormatDuration(total) +
                    " were skipped, not slept: " + Join(texts, ", ") + ".");
  return notices;
}

}  // namespace ebb::report
