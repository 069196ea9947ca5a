#include "plan/bound/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "plan/bound/crowds.h"
#include "plan/bound/lowest_prices.h"
#include "plan/bound/relaxation.h"

namespace ebb::plan {
namespace {

// With kManyJobs or more, the climb begins with a sample of kDrawn jobs.
constexpr std::size_t kDrawn = 500;
constexpr std::size_t kManyJobs = 4 * kDrawn;
constexpr std::size_t kCrowds = 64;    // if jobs may choose between pools
constexpr double kShareOfDrawn = 0.8;  // share of the budget for the sample; for a shorter queue,
                                       // for the glide

// Steps of the climb. The climb aims at a bound that is better than the best one by this share.
constexpr double kHope = 0.05, kLeastHope = 0.005, kNextHope = 0.02;
constexpr double kNews = 0.2;  // share of the newest subgradient in the average
constexpr double kLengthen = 1.1, kShorten = 0.8, kShortest = 1e-4;
constexpr int kPatience = 2;   // steps without a better bound before the steps get shorter
constexpr double kNear = 0.1;  // first step length if the rents are nearly the best already

// If there are no rents to begin with and at least kDrawn jobs, the rents first glide towards the
// best ones. First and last step are shares of the scale of the rents.
constexpr std::int64_t kGlideSteps = 400;
constexpr double kFirstStep = 0.25, kFirstStepOfCrowds = 0.1, kLastStep = 0.0025;
constexpr double kNewsOfMean = 0.1, kNewsOfSquares = 0.01;
constexpr double kVeryNear = 0.02;  // first step length of the climb after the glide

// Draws jobs evenly from all jobs, sorted by pools and latest end, because neighbours in this order
// compete for the same hours.
std::vector<std::size_t> EvenlyDrawn(const BoundInput& input, std::size_t count) {
  std::vector<std::tuple<int, std::size_t, bool, Time, Duration, std::size_t>> order;
  for (std::size_t i = 0; i < input.jobs.size(); ++i) {
    const BoundJob& job = input.jobs[i];
    if (job.choices.empty()) continue;
    const BoundChoice& choice = job.choices.front();
    order.emplace_back(choice.pool, job.choices.size(), job.split, choice.latest_end, job.work, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> drawn;
  count = std::min(count, order.size());
  for (std::size_t i = 0; i < count; ++i)
    drawn.push_back(std::get<5>(order[(2 * i + 1) * order.size() / (2 * count)]));
  return drawn;
}

// Facility kilowatts per device, averaged over the device-hours to run.
double KilowattsPerDevice(const BoundInput& input) {
  double energy = 0, device_hours = 0;
  for (const BoundJob& job : input.jobs) {
    if (job.choices.empty()) continue;
    const BoundChoice& choice = job.choices.front();
    energy += choice.kilowatts * Hours(choice.length);
    device_hours += job.width * Hours(choice.length);
  }
  return device_hours > 0 ? energy / device_hours : 0;
}

// The scale of the rents: the mean of the most that running in another hour can save per device.
double ScaleOfRents(const BoundInput& input) {
  double cheapest = std::numeric_limits<double>::infinity(), dearest = -cheapest;
  for (const PriceCurve& curve : input.curves)
    for (const double price : curve.prices()) {
      cheapest = std::min(cheapest, price);
      dearest = std::max(dearest, price);
    }
  return KilowattsPerDevice(input) * (dearest - cheapest);
}

// Climbs to a better bound of one relaxation, from given rents.
class Climb {
 public:
  Climb(Relaxed& relaxation, PoolSteps rents)
      : relaxation_(relaxation), rents_(std::move(rents)), best_rents_(rents_) {
    best_ = relaxation_.Evaluate(rents_);
    direction_ = relaxation_.excess();
  }

  /// Moves every rent by steps of its own: in the direction of a running mean of its subgradient,
  /// divided by the running size of the subgradient. The steps get smaller.
  void Glide(std::int64_t steps, double scale, double first_step = kFirstStep) {
    PoolSteps means = relaxation_.NoRents(), squares = relaxation_.NoRents();
    double old_mean = 1, old_squares = 1;  // shares of the initial zeros in the running means
    for (std::int64_t k = 0; k < steps; ++k) {
      old_mean *= 1 - kNewsOfMean;
      old_squares *= 1 - kNewsOfSquares;
      const double part = static_cast<double>(k) / static_cast<double>(steps);
      const double step = scale * first_step * std::pow(kLastStep / first_step, part) *
                          std::sqrt(1 - old_squares) / (1 - old_mean);
      for (std::size_t pool = 0; pool < means.size(); ++pool)
        for (std::size_t i = 0; i < means[pool].size(); ++i) {
          const double excess = relaxation_.excess()[pool][i];
          double& mean = means[pool][i];
          double& square = squares[pool][i];
          mean += kNewsOfMean * (excess - mean);
          square += kNewsOfSquares * (excess * excess - square);
          if (square > 0)
            rents_[pool][i] = std::max(0.0, rents_[pool][i] + step * mean / std::sqrt(square));
        }
      KeepIfBetter(relaxation_.Evaluate(rents_));
    }
    direction_ = relaxation_.excess();
  }

  /// Returns the number of steps that it made.
  std::int64_t Run(std::int64_t steps, double first_length) {
    double length = first_length, goal = best_ + kHope * std::abs(best_);
    int patience = kPatience;
    std::int64_t made = 0;
    for (; made < steps && length > kShortest; ++made) {
      if (goal < best_ + kLeastHope * std::abs(best_)) goal = best_ + kNextHope * std::abs(best_);
      if (!Step(length * (goal - best_))) break;
      const double bound = relaxation_.Evaluate(rents_);
      Average();
      if (KeepIfBetter(bound)) {
        length *= kLengthen;
        patience = kPatience;
      } else if (--patience == 0) {
        length *= kShorten;
        patience = kPatience;
      }
    }
    return made;
  }

  double best() const { return best_; }
  const PoolSteps& rents() const { return best_rents_; }

 private:
  bool KeepIfBetter(double bound) {
    if (bound <= best_) return false;
    best_ = bound;
    best_rents_ = rents_;
    return true;
  }

  // Steps from the best rents along the direction. Returns false if the direction leads nowhere.
  bool Step(double length_times_gap) {
    double squares = 0;
    for (std::size_t pool = 0; pool < direction_.size(); ++pool)
      for (std::size_t i = 0; i < direction_[pool].size(); ++i)
        if (best_rents_[pool][i] > 0 || direction_[pool][i] > 0)
          squares += direction_[pool][i] * direction_[pool][i];
    if (squares <= 1e-12) return false;
    const double factor = length_times_gap / squares;
    for (std::size_t pool = 0; pool < direction_.size(); ++pool)
      for (std::size_t i = 0; i < direction_[pool].size(); ++i)
        rents_[pool][i] = std::max(0.0, best_rents_[pool][i] + factor * direction_[pool][i]);
    return true;
  }

  void Average() {
    const PoolSteps& excess = relaxation_.excess();
    for (std::size_t pool = 0; pool < direction_.size(); ++pool)
      for (std::size_t i = 0; i < direction_[pool].size(); ++i)
        direction_[pool][i] = kNews * excess[pool][i] + (1 - kNews) * direction_[pool][i];
  }

  Relaxed& relaxation_;
  PoolSteps rents_, best_rents_, direction_;
  double best_ = 0;
};

// Carries the rents over to other prices. If all devices are wanted, price plus rent is what the
// last job to get a device is ready to pay, so the rent takes up the change of the price.
PoolSteps Carried(const BoundInput& input, const std::optional<Rents>& rents, PoolSteps none) {
  if (!rents || rents->by_pool.size() != none.size()) return none;
  const double kilowatts = KilowattsPerDevice(input);
  for (std::size_t pool = 0; pool < none.size(); ++pool) {
    const PriceCurve& curve = input.SiteCurveOf(pool);
    const auto& row = rents->by_pool[pool];
    const auto& prices = rents->prices[pool];
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const Duration since = curve.EdgeAt(i) - rents->begin;
      const auto step = static_cast<std::size_t>(std::max(since, Duration::zero()) / rents->step);
      if (since < Duration::zero() || step >= row.size()) continue;
      const double cheaper = prices[step] - curve.PriceOf(i);
      none[pool][i] = std::max(0.0, row[step] + kilowatts * cheaper);
    }
  }
  return none;
}

// Crowds of the jobs. nullptr if a sample of the jobs does as well, because each may run on one
// pool only, or if they do not make crowds.
std::unique_ptr<Relaxed> CrowdsOf(const BoundInput& input, const Relaxation& whole) {
  const auto may_choose = [](const BoundJob& job) { return job.choices.size() > 1; };
  if (std::ranges::none_of(input.jobs, may_choose)) return nullptr;
  return Crowds::Of(input, whole.capacity(), kCrowds);
}

// Carried rents may be worse than none if much has changed.
void ForgetIfWorse(Relaxed& relaxation, PoolSteps& rents) {
  PoolSteps none = relaxation.NoRents();
  if (relaxation.Evaluate(rents) < relaxation.Evaluate(none)) rents = std::move(none);
}

Rents RentsOf(const BoundInput& input, const PoolSteps& by_pool) {
  const PriceCurve& curve = input.curves.front();
  Rents rents{curve.begin(), curve.step(), by_pool, {}};
  for (std::size_t pool = 0; pool < by_pool.size(); ++pool)
    rents.prices.push_back(input.SiteCurveOf(pool).prices());
  return rents;
}

double LowestOfSites(const BoundInput& input, const std::vector<LowestPrices>& lowest,
                     Interval window) {
  double least = std::numeric_limits<double>::infinity();
  for (const int site : input.site_of_pool)
    least = std::min(least, lowest[static_cast<std::size_t>(site)].In(window));
  return least;
}

}  // namespace

void PriceMoves(BoundInput& input) {
  std::vector<LowestPrices> lowest;
  for (const PriceCurve& curve : input.curves) lowest.emplace_back(curve);
  for (BoundJob& job : input.jobs)
    for (BoundChoice& choice : job.choices) {
      const ChoiceMove& move = choice.move;
      if (move.takes == Duration::zero()) continue;
      const Interval window{job.earliest, choice.latest_end};
      double price =
          move.kilowatts_here * lowest[static_cast<std::size_t>(choice.curve)].In(window);
      if (choice.from_any_site)
        price += move.kilowatts_from * LowestOfSites(input, lowest, window);
      else if (move.curve_from >= 0)
        price += move.kilowatts_from * lowest[static_cast<std::size_t>(move.curve_from)].In(window);
      choice.least_move = price * Hours(move.takes);
    }
}

double CapacityFreeBound(const BoundInput& input) {
  if (input.jobs.empty()) return input.constant;
  Relaxation relaxation(input);
  return input.constant + relaxation.Evaluate(relaxation.NoRents());
}

RentedBound LagrangianBound(const BoundInput& input, const std::optional<Rents>& begin,
                            const BoundBudget& budget) {
  if (input.jobs.empty()) return {input.constant, {}};
  Relaxation relaxation(input);
  PoolSteps rents = Carried(input, begin, relaxation.NoRents());
  std::int64_t left = budget.places;
  double length = begin ? kNear : 1;
  if (input.jobs.size() >= kManyJobs) {
    std::unique_ptr<Relaxed> some = CrowdsOf(input, relaxation);
    const double first_step = some ? kFirstStepOfCrowds : kFirstStep;
    if (!some) some = std::make_unique<Relaxation>(input, EvenlyDrawn(input, kDrawn));
    if (begin) ForgetIfWorse(*some, rents);
    const auto steps = static_cast<std::int64_t>(kShareOfDrawn * static_cast<double>(left)) /
                       std::max<std::int64_t>(1, some->places());
    Climb climb(*some, std::move(rents));
    auto made = std::min(kGlideSteps, steps);
    if (begin)
      made = climb.Run(std::min<std::int64_t>(budget.most_steps, steps), length);
    else
      climb.Glide(made, ScaleOfRents(input), first_step);
    rents = climb.rents();
    left -= (made + 1) * some->places();
    length = begin ? kNear : kVeryNear;
  } else if (begin) {
    ForgetIfWorse(relaxation, rents);
  }
  Climb climb(relaxation, std::move(rents));
  auto steps = std::min<std::int64_t>(budget.most_steps,
                                      left / std::max<std::int64_t>(1, relaxation.places()) - 1);
  if (!begin && input.jobs.size() >= kDrawn && input.jobs.size() < kManyJobs) {
    const auto share = static_cast<std::int64_t>(kShareOfDrawn * static_cast<double>(steps));
    const auto made = std::min(kGlideSteps, share);
    climb.Glide(made, ScaleOfRents(input));
    steps -= made;
    length = kVeryNear;
  }
  climb.Run(steps, length);
  return {input.constant + climb.best(), RentsOf(input, climb.rents())};
}

}  // namespace ebb::plan
