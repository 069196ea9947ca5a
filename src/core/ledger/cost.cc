#include "core/ledger/cost.h"

#include "core/ledger/counterfactual.h"

namespace ebb::core {
namespace {

double FacilityKwh(const LedgerRow& row) { return row.energy.kwh() * row.pue.ratio; }

}  // namespace

double Cost::UnknownShare() const {
  const double all = priced_kwh + kwh_without_price;
  return all > 0 ? kwh_without_price / all : 0;
}

std::optional<double> Cost::MeanPerKwh() const {
  return priced_kwh > 0 ? std::optional(amount / priced_kwh) : std::nullopt;
}

Cost& Cost::operator+=(const Cost& other) {
  amount += other.amount;
  priced_kwh += other.priced_kwh;
  kwh_without_price += other.kwh_without_price;
  return *this;
}

Cost CostOver(double facility_kwh, Interval window, const PriceSeries& prices) {
  if (window.length() == Duration::zero()) {
    const PriceSample* sample = prices.At(window.begin);
    if (!sample) return {0, 0, facility_kwh};
    return {facility_kwh * sample->per_kwh, facility_kwh, 0};
  }
  const auto mean = prices.Mean(window);
  if (!mean) return {0, 0, facility_kwh};
  const double known = facility_kwh * mean->coverage;
  return {known * mean->per_kwh, known, mean->coverage < 1 ? facility_kwh - known : 0};
}

Cost CostOf(const std::vector<LedgerRow>& rows, const PriceSeries& prices) {
  Cost cost;
  for (const LedgerRow& row : rows) cost += CostOver(FacilityKwh(row), row.grid, prices);
  return cost;
}

Cost CostIfStarted(const std::vector<LedgerRow>& rows, Time start, const PriceSeries& prices) {
  Cost cost;
  const std::vector<Interval> moved = MovedTo(rows, start);
  for (std::size_t i = 0; i < rows.size(); ++i)
    cost += CostOver(FacilityKwh(rows[i]), moved[i], prices);
  return cost;
}

}  // namespace ebb::core
