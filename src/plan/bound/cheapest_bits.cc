#include "plan/bound/cheapest_bits.h"

#include <algorithm>

namespace ebb::plan {
void CheapestBits::Find(const BoundInput& input, const BoundJob& job,
                        const std::vector<std::vector<double>>& rents) {
  widths_.clear();
  core::WidthSpeed narrower{0, 0};
  for (const core::WidthSpeed& width : job.widths) {
    widths_.push_back(
        {static_cast<double>(width.devices - narrower.devices), width.speed - narrower.speed});
    narrower = width;
  }
  if (job.widths.empty()) widths_.push_back({static_cast<double>(job.width), 1});
  FindOptions(input, job);
  FillHours(input.curves.front(), job);
  prices_.Reset(widths_.size() * (end_ - first_));
  cheapest_.resize(std::max(cheapest_.size(), widths_.size() * (end_ - first_)));
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const auto pool = static_cast<std::size_t>(options_[i].choice->pool);
    FillPrices(input, job, rents[pool], options_[i], static_cast<std::int64_t>(i));
  }
  prices_.FindBlocks();
}

std::optional<CheapestBits::Bit> CheapestBits::Take() {
  if (options_.empty()) return std::nullopt;
  const std::size_t at = prices_.Lowest();
  const double price = prices_[at];
  if (price == RowToTakeFrom::kNone) return std::nullopt;
  prices_.Take(at);
  const std::size_t steps = end_ - first_, step = first_ + at % steps;
  const Width& width = widths_[at / steps];
  const BoundChoice& choice = *options_[static_cast<std::size_t>(cheapest_[at])].choice;
  return Bit{price, hours_[step] * width.speed, width.devices / width.speed / choice.speed,
             static_cast<std::size_t>(choice.pool), step};
}

void CheapestBits::FindOptions(const BoundInput& input, const BoundJob& job) {
  const PriceCurve& curve = input.curves.front();
  const auto step_at = [&](Time time) {
    return static_cast<std::size_t>(std::max(time - curve.begin(), Duration::zero()) /
                                    curve.step());
  };
  options_.clear();
  first_ = std::min(step_at(job.earliest), curve.size());
  end_ = first_;
  for (const BoundChoice& choice : job.choices) {
    const Time latest = std::min(choice.latest_end, curve.end());
    if (latest <= job.earliest) continue;
    options_.push_back({&choice, first_, step_at(latest - Duration{1}) + 1});
    end_ = std::max(end_, options_.back().end);
  }
}

// The hours of work that fit in each step. A bit that is cheapest on one pool may be as large as on
// any other.
void CheapestBits::FillHours(const PriceCurve& curve, const BoundJob& job) {
  hours_.assign(std::max(hours_.size(), end_), 0.0);
  for (const Option& option : options_) {
    const double speed = option.choice->speed, whole = Hours(curve.step()) * speed;
    for (std::size_t i = option.first + 1; i + 1 < option.end; ++i)
      hours_[i] = std::max(hours_[i], whole);
    for (const std::size_t i : {option.first, option.end - 1}) {
      const Interval step{curve.EdgeAt(i), curve.EdgeAt(i + 1)};
      const Duration usable = Overlap(step, {job.earliest, option.choice->latest_end}).length();
      hours_[i] = std::max(hours_[i], Hours(usable) * speed);
    }
  }
}

void CheapestBits::FillPrices(const BoundInput& input, const BoundJob& job,
                              const std::vector<double>& rent, const Option& option,
                              std::int64_t index) {
  const BoundChoice& choice = *option.choice;
  const double* price = input.CurveOf(choice).prices().data() + first_;
  const double* rents = rent.data() + first_;
  const double move = choice.least_move / Hours(job.work);
  const std::size_t steps = option.end - first_;
  for (std::size_t width = 0; width < widths_.size(); ++width) {
    const double devices = widths_[width].devices / widths_[width].speed / choice.speed;
    const double kilowatts = devices / job.width * choice.kilowatts;
    double* __restrict least = prices_.data() + width * (end_ - first_);
    std::int64_t* __restrict cheapest = cheapest_.data() + width * (end_ - first_);
    for (std::size_t i = 0; i < steps; ++i) {
      const double here = kilowatts * price[i] + devices * rents[i] + move;
      cheapest[i] = here < least[i] ? index : cheapest[i];
      least[i] = here < least[i] ? here : least[i];
    }
  }
}

}  // namespace ebb::plan
