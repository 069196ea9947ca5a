#pragma once
// A run as an auditor sees it: read from the files by its own reader, and the figures that follow
// from the ledger and the newest dated version of the signal. No summary is read.

#include <optional>
#include <string>
#include <vector>

#include "audit/accounts.h"
#include "audit/findings.h"
#include "audit/run_files.h"
#include "audit/uncertainty.h"

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

/// What the files say.
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
  bool several_zones = false;
  bool has_budget = false;
  std::string budget_action;
  Ms budget_grace = 0;
  std::optional<double> energy_limit_kwh, emissions_limit_g;
  std::vector<BudgetEvent> budget_events;
};

/// What cannot be read is a difference in `check`; half-written last lines are left out. Throws
/// std::exception where run.json is not one.
RunFacts ReadFacts(const RunFiles& files, Check& check);

struct Saving {
  Alternative run;
  std::optional<double> saving_g, saving_percent, half_width_g;
};

struct RunFigures {
  Rows rows;  ///< revalued
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
  /// The saving that was possible is so small that rounding shows in its share.
  bool share_is_rounding = false;
  std::optional<Cost> cost, cost_at_submission;
};

/// `told_best_ms`: the best start as a summary tells it. Where another start is as good as the one
/// that is found, theirs is taken: on a flat signal all are.
RunFigures FiguresOf(const RunFiles& files, const RunFacts& facts, std::optional<Ms> told_best_ms);

/// What is counted against a budget: facility kWh, and grams with what is unknown at the highest
/// intensity met; of the rows as they were closed.
struct BudgetUse {
  double kwh = 0;
  std::optional<double> grams;
};
BudgetUse BudgetUseOf(const Rows& rows);

}  // namespace ebb::audit
