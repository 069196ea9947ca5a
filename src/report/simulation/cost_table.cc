#include "report/simulation/cost_table.h"

#include "base/text.h"
#include "base/units_text.h"
#include "report/run/cost_summary.h"
#include "report/simulation/simulation_table.h"
#include "sim/cost.h"

namespace ebb::report {
namespace {

// "3.1 % less", "2.0 % more (worse)"; "-" if energy of either has no price.
std::string SavedText(const sim::PolicyFigures& policy) {
  if (!policy.cost_saving_percent) return "-";
  const std::string text = ChangeText(-*policy.cost_saving_percent);
  return text.ends_with("more") ? text + " (worse)" : text;
}

}  // namespace

TextTable CostTable(const sim::Experiment& experiment) {
  TextTable table{
      {"policy", "cost", "mean price", "against run-now", "emitted", "unknown price"}, {}, false};
  if (!sim::HasMoney(experiment.scenario.prices)) return table;
  const std::string currency = sim::CurrencyOf(experiment.scenario.prices);
  for (const sim::PolicyFigures& policy : experiment.comparison.policies) {
    const auto mean = policy.cost.MeanPerKwh();
    table.rows.push_back(
        {policy.label, mean ? MoneyText(policy.cost.amount, currency) : "not known",
         mean ? core::DescribePrice(*mean, {currency, ""}) : "-", SavedText(policy),
         EmittedText(policy.use), FormatFixed(100 * policy.cost.UnknownShare(), 1) + " %"});
  }
  return table;
}

std::string PriceSentence(const sim::Experiment& experiment) {
  std::vector<std::string> sources;
  for (const auto& prices : experiment.scenario.prices) {
    if (!prices) continue;
    const std::string source = prices->identity().source;
    if (sources.empty() || sources.back() != source) sources.push_back(source);
  }
  if (sources.empty()) return "";
  const std::string currency = sim::CurrencyOf(experiment.scenario.prices);
  return "electricity: " + Join(sources, "; ") +
         (currency.empty() ? " (a ratio, no money)" : ", " + currency + "/kWh") +
         "; cost: energy with PUE times price, integrated over time";
}

std::string QueuePlanCostSentence(const sim::QueuePlan& plan) {
  if (!plan.cost) return "";
  const auto mean = plan.cost->MeanPerKwh();
  if (!mean) return "electricity: the prices of the planned time are not known";
  std::string text = "electricity: " + MoneyText(plan.cost->amount, plan.currency) + " expected, " +
                     core::DescribePrice(*mean, {plan.currency, ""}) + " on average";
  if (plan.cost->kwh_without_price > 0)
    text += "; the price of " + FormatFixed(100 * plan.cost->UnknownShare(), 0) +
            " % of the energy is not known, and it is not in it";
  return text;
}

}  // namespace ebb::report
