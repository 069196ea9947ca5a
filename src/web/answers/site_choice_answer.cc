#include "web/answers/site_choice_answer.h"

#include <algorithm>

namespace ebb::web {
namespace {

// In this order: what can run in time, what would be late, where it cannot run.
std::pair<int, double> OrderOf(const SiteChoiceAnswer& answer) {
  const auto& best = answer.choice.best;
  if (!best) return {2, 0};
  return {best->late ? 1 : 0, best->expected.grams};
}

}  // namespace

void SiteChoiceAnswer::Describe(report::DescribedJson& json) const {
  const plan::SiteBest best = choice.best.value_or(plan::SiteBest{});
  const bool can = choice.best.has_value();
  const bool moves = can && best.moving > Duration{};
  json.Is("SiteChoice",
          "What is left of a job, planned alone for one site. Where it cannot run, why_not says "
          "why, and the rest is left out.");
  json("site", "name of the site", site);
  json("start", "the best there; other jobs are left out", report::If(can, best.time.begin));
  json("end", "expected", report::If(can, best.time.end));
  json("expected_g", "from that start on, with the move, in g CO2e",
       report::If(can, best.expected));
  json("move_s", "the part of that time that the move there takes", report::If(moves, best.moving));
  json("move_kwh", "network, set-up and waiting devices, without PUE",
       report::If(moves, best.move_energy));
  json("late", "a deadline would be missed", report::If(can && best.late, true));
  json("why_not", "why it cannot run there",
       report::If(!can, report::UpTo<plan::NoPlan::kUnknownGrid>{choice.no_plan}));
}

std::vector<SiteChoiceAnswer> SiteChoiceAnswers(const core::Cluster& cluster,
                                                const std::vector<plan::SiteChoice>& choices) {
  std::vector<SiteChoiceAnswer> answers;
  for (const plan::SiteChoice& choice : choices)
    answers.push_back({cluster.sites[static_cast<std::size_t>(choice.site)].name, choice});
  std::stable_sort(answers.begin(), answers.end(),
                   [](const auto& a, const auto& b) { return OrderOf(a) < OrderOf(b); });
  return answers;
}

}  // namespace ebb::web
