#include "report/run/cost_summary.h"

#include <cmath>

#include "base/text.h"
#include "base/units_text.h"

namespace ebb::report {

std::optional<CostSummary> SummariseCost(const core::RunRecord& run, Time at_submission) {
  if (!run.spec.prices || run.spec.prices->identity.currency.empty() || run.ledger.empty())
    return std::nullopt;
  CostSummary cost;
  cost.actual = core::CostOf(run.ledger, run.prices);
  cost.at_submission = core::CostIfStarted(run.ledger, at_submission, run.prices);
  if (cost.actual.kwh_without_price <= 0 && cost.at_submission->kwh_without_price <= 0)
    cost.saving = cost.at_submission->amount - cost.actual.amount;
  return cost;
}

std::string CostText(const CostSummary& cost, const std::string& currency) {
  std::string text;
  if (const auto mean = cost.actual.MeanPerKwh())
    text = MoneyText(cost.actual.amount, currency) + "  at " +
           core::DescribePrice(*mean, {currency, ""});
  else
    text = "not known";
  if (cost.actual.kwh_without_price > 0)
    text += "; " + FormatFixed(100 * cost.actual.UnknownShare(), 0) +
            " % of the energy had no known price and is not in it";
  return text;
}

std::string CostAtSubmissionText(const CostSummary& cost, const std::string& currency) {
  if (!cost.at_submission) return "";
  if (!cost.saving) return "not comparable: the price is not known throughout";
  const double other = cost.at_submission->amount;
  std::string percent;
  if (other > 0) percent = ", " + ChangeText(-100 * *cost.saving / other);
  const std::string at = MoneyText(other, currency) + "; ";
  if (std::abs(*cost.saving) < 1e-9 * std::max(std::abs(other), 1e-9))
    return at + "this run cost the same";
  if (*cost.saving < 0)
    return at + "this run was worse by " + MoneyText(-*cost.saving, currency) + percent;
  return at + "this run saved " + MoneyText(*cost.saving, currency) + percent;
}

}  // namespace ebb::report
