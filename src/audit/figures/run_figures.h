#pragma once
// A run as an auditor sees it: the facts that the auditor's own reader finds in the files, and the
// figures that follow from the ledger and the newest dated version of the signal. No summary is
// read.

#include <optional>
#include <string>
#include <vector>

#include "audit/evidence/findings.h"
#include "audit/evidence/run_files.h"
#include "audit/figures/accounts.h"
#include "audit/figures/reported_work.h"
#include "audit/figures/uncertainty.h"

namespace ebb::audit {

struct Attempt {
  int number = 1;
  Span wall, grid;
  std::string outcome = "running";
  double cpu_percent = 0, ram_gb = 0, gpu_percent = 0;
};

struct Epoch {
  int number = 1;
  Span wall;
  std::optional<double> train_loss, test_loss, test_accuracy_percent;
};

struct Decision {
  Ms at = 0;
  std::string action, rule, reason;
  std::optional<double> g_per_kwh;
  std::string status = "measured";
};

struct BudgetEvent {
  std::string event, measure;
  int attempt = 1;
  Ms wall = 0;
  double limit = 0, used = 0;
};

/// The facts that the files of a run state.
struct RunFacts {
  std::vector<Decision> decisions;
  std::vector<Span> skipped_waits;
  std::vector<Attempt> attempts;
  Rows rows;
  Steps version;  ///< the newest version of the signal
  std::size_t versions = 0;
  Ms asked_at = 0;
  bool version_is_final = false;
  Steps prices;
  std::vector<Epoch> epochs;
  UnitCounts work;
  bool summary_has_work = true;  ///< false: an earlier version wrote it, without figures of work
  bool several_zones = false;
  bool has_budget = false;
  std::string budget_action;
  Ms budget_grace = 0;
  std::optional<double> energy_limit_kwh, emissions_limit_g;
  std::vector<BudgetEvent> budget_events;
};

/// Reads the facts of a run. A line that cannot be read is a difference in `check`; a half-written
/// last line is left out. Throws std::exception if run.json cannot be read.
RunFacts ReadFacts(const RunFiles& files, Check& check);

struct Saving {
  Alternative run;
  std::optional<double> saving_g, saving_percent, half_width_g;
};

struct RunFigures {
  Rows rows;  ///< the rows with the values of the signal
  Steps signal;
  Sums sums;
  Uncertainty sure;
  std::optional<Sums> other;
  Rows other_rows;
  Uncertainty other_sure;
  std::optional<double> g_at_submission;
  std::string status_at_submission = "measured";
  std::optional<Ms> started;
  Ms ended = 0, waited = 0, running = 0;
  std::string outcome = "not_started";
  std::vector<Sums> epochs;
  std::optional<Saving> at_submission, best;
  std::optional<double> share_of_possible;
  /// The possible saving is so small that rounding shows in the share of it.
  bool share_is_rounding = false;
  std::optional<Cost> cost, cost_at_submission;
};

/// `told_best_ms`: the best start that a summary states. It is taken if it is as good as the start
/// that is found: on a flat signal, all starts are equally good.
RunFigures FiguresOf(const RunFiles& files, const RunFacts& facts, std::optional<Ms> told_best_ms);

/// The use that counts against a budget: facility kWh, and grams. Energy of unknown intensity
/// counts at the highest intensity met. The rows are taken as they were closed, not revalued.
struct BudgetUse {
  double kwh = 0;
  std::optional<double> grams;
};
BudgetUse BudgetUseOf(const Rows& rows);

}  // namespace ebb::audit
