#include "plan/bound/lower_bound.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ebb::plan {
namespace {

constexpr int kPatience = 4;  // steps without a better bound before they are shortened
constexpr double kShorten = 0.6;
constexpr double kGuessedGap = 0.05;  // of the first bound, where no schedule is known

// Rents of one pool and what the jobs ask of it, per step.
struct PoolState {
  std::vector<double> rent;      // per device-hour
  std::vector<double> sums;      // rent x hours before each edge
  std::vector<double> capacity;  // device-hours that are free
  std::vector<double> asked;     // device-hours
};

// A moment as step and hours into it.
struct Position {
  std::size_t step = 0;
  double hours = 0;
};

class Relaxation {
 public:
  explicit Relaxation(const BoundInput& input) : input_(input), curve_(input.curves.front()) {
    const std::size_t steps = curve_.size();
    for (const int devices : input.devices_in_pool) {
      PoolState pool{std::vector<double>(steps), std::vector<double>(steps + 1),
                     std::vector<double>(steps), std::vector<double>(steps)};
      const Time first = FirstMoment();
      for (std::size_t i = 0; i < steps; ++i)
        pool.capacity[i] =
            devices *
            Hours(Overlap({curve_.EdgeAt(i), curve_.EdgeAt(i + 1)}, {first, Time::max()}).length());
      pools_.push_back(std::move(pool));
    }
    for (const auto& taken : input.taken) TakeAway(taken);
  }

  // The bound under the present rents; fills `asked`.
  double Evaluate() {
    double bound = 0;
    for (PoolState& pool : pools_) {
      std::fill(pool.asked.begin(), pool.asked.end(), 0.0);
      for (std::size_t i = 0; i < pool.rent.size(); ++i) {
        pool.sums[i + 1] = pool.sums[i] + pool.rent[i] * Hours(curve_.step());
        bound -= pool.rent[i] * pool.capacity[i];
      }
    }
    for (const BoundJob& job : input_.jobs) bound += job.split ? InBits(job) : InOnePiece(job);
    return bound;
  }

  std::vector<std::vector<double>> Rents() const {
    std::vector<std::vector<double>> rents;
    for (const PoolState& pool : pools_) rents.push_back(pool.rent);
    return rents;
  }

  // Moves the rents along what is asked beyond capacity; false when nothing is.
  bool Step(double length_times_gap) {
    double squares = 0;
    ForEachRent([&](double& rent, double excess) {
      if (rent > 0 || excess > 0) squares += excess * excess;
    });
    if (squares <= 1e-12) return false;
    const double factor = length_times_gap / squares;
    ForEachRent([&](double& rent, double excess) { rent = std::max(0.0, rent + factor * excess); });
    return true;
  }

 private:
  template <typename Visit>
  void ForEachRent(Visit visit) {
    for (PoolState& pool : pools_)
      for (std::size_t i = 0; i < pool.rent.size(); ++i)
        visit(pool.rent[i], pool.asked[i] - pool.capacity[i]);
  }

  Time FirstMoment() const {
    Time first = Time::max();
    for (const BoundJob& job : input_.jobs) first = std::min(first, job.earliest);
    return first;
  }

  void TakeAway(const BoundInput::Taken& taken) {
    PoolState& pool = pools_[static_cast<std::size_t>(taken.pool)];
    for (std::size_t i = 0; i < pool.capacity.size(); ++i) {
      const Interval step{curve_.EdgeAt(i), curve_.EdgeAt(i + 1)};
      if (step.begin >= taken.time.end) break;
      pool.capacity[i] =
          std::max(0.0, pool.capacity[i] - taken.width * Hours(Overlap(step, taken.time).length()));
    }
  }

  Position At(Time time) const {
    const Duration since =
        std::clamp(time - curve_.begin(), Duration::zero(), curve_.end() - curve_.begin());
    const auto step = std::min(static_cast<std::size_t>(since / curve_.step()), curve_.size() - 1);
    return {step, Hours(since - curve_.step() * static_cast<Duration::rep>(step))};
  }

  // Price and rent up to a moment, for one job on one pool.
  struct Sums {
    const PriceCurve& curve;
    const PoolState& pool;
    double kilowatts;
    double width;
    double operator()(Position at) const {
      return kilowatts * (curve.SumBefore(at.step) + curve.PriceOf(at.step) * at.hours) +
             width * (pool.sums[at.step] + pool.rent[at.step] * at.hours);
    }
  };

  struct Window {
    double cost = std::numeric_limits<double>::infinity();
    int pool = -1;
    Time begin{};
    Duration length{};
  };

  double InOnePiece(const BoundJob& job) {
    Window best;
    for (const BoundChoice& choice : job.choices) ScanChoice(job, choice, best);
    if (best.pool < 0) return 0;
    Ask(pools_[static_cast<std::size_t>(best.pool)].asked, job.width,
        {best.begin, best.begin + best.length});
    return best.cost;
  }

  void ScanChoice(const BoundJob& job, const BoundChoice& choice, Window& best) const {
    const Sums sums{input_.CurveOf(choice.pool), pools_[static_cast<std::size_t>(choice.pool)],
                    choice.kilowatts, static_cast<double>(job.width)};
    const Time last = std::max(job.earliest, choice.latest_end - choice.length);
    const auto consider = [&](Time begin, double cost) {
      if (cost < best.cost) best = {cost, choice.pool, begin, choice.length};
    };
    const auto whole = [&](Time begin) {
      consider(begin, sums(At(begin + choice.length)) - sums(At(begin)));
    };
    whole(job.earliest);
    whole(last);
    // Begins on an edge, ends on an edge: the other end keeps its distance to the edges.
    const Duration step = curve_.step();
    const auto steps = static_cast<std::size_t>(choice.length / step);
    const double rest = Hours(choice.length % step);
    for (std::size_t i = FirstEdgeAfter(job.earliest); i + steps < curve_.size(); ++i) {
      const Time edge = curve_.EdgeAt(i);
      if (edge >= last) break;
      consider(edge, sums({i + steps, rest}) - sums({i, 0}));
    }
    for (std::size_t i = FirstEdgeAfter(job.earliest + choice.length); i < curve_.size(); ++i) {
      const Time begin = curve_.EdgeAt(i) - choice.length;
      if (begin >= last) break;
      const Position from =
          rest > 0 ? Position{i - steps - 1, Hours(step) - rest} : Position{i - steps, 0};
      consider(begin, sums({i, 0}) - sums(from));
    }
  }

  std::size_t FirstEdgeAfter(Time time) const {
    if (time < curve_.begin()) return 0;
    return static_cast<std::size_t>((time - curve_.begin()) / curve_.step()) + 1;
  }

  struct Bit {
    double price_per_work = 0;
    std::size_t step = 0;
    const BoundChoice* choice = nullptr;
    double work_hours = 0;
  };

  // The cheapest steps until the work is done: a fractional knapsack.
  double InBits(const BoundJob& job) {
    bits_.clear();
    for (std::size_t i = At(job.earliest).step; i < curve_.size(); ++i) AddBit(job, i);
    std::sort(bits_.begin(), bits_.end(), [](const Bit& left, const Bit& right) {
      if (left.price_per_work != right.price_per_work)
        return left.price_per_work < right.price_per_work;
      return left.step < right.step;
    });
    double cost = 0, left = Hours(job.work);
    for (const Bit& bit : bits_) {
      if (left <= 0) break;
      const double part = std::min(left, bit.work_hours);
      cost += part * bit.price_per_work;
      left -= part;
      pools_[static_cast<std::size_t>(bit.choice->pool)].asked[bit.step] +=
          job.width * part / bit.choice->speed;
    }
    return cost;
  }

  void AddBit(const BoundJob& job, std::size_t step) {
    Bit bit{std::numeric_limits<double>::infinity(), step, nullptr, 0};
    for (const BoundChoice& choice : job.choices) {
      const Interval usable = Overlap({curve_.EdgeAt(step), curve_.EdgeAt(step + 1)},
                                      {job.earliest, choice.latest_end});
      if (usable.length() == Duration::zero()) continue;
      const PoolState& pool = pools_[static_cast<std::size_t>(choice.pool)];
      const double price = (choice.kilowatts * input_.CurveOf(choice.pool).PriceOf(step) +
                            job.width * pool.rent[step]) /
                           choice.speed;
      bit.work_hours = std::max(bit.work_hours, Hours(usable.length()) * choice.speed);
      if (price < bit.price_per_work) {
        bit.price_per_work = price;
        bit.choice = &choice;
      }
    }
    if (bit.choice) bits_.push_back(bit);
  }

  void Ask(std::vector<double>& asked, int width, Interval time) const {
    for (std::size_t i = At(time.begin).step; i < asked.size(); ++i) {
      const Interval step{curve_.EdgeAt(i), curve_.EdgeAt(i + 1)};
      if (step.begin >= time.end) break;
      asked[i] += width * Hours(Overlap(step, time).length());
    }
  }

  const BoundInput& input_;
  const PriceCurve& curve_;
  std::vector<PoolState> pools_;
  std::vector<Bit> bits_;
};

}  // namespace

double CapacityFreeBound(const BoundInput& input) {
  return input.constant + (input.jobs.empty() ? 0 : Relaxation(input).Evaluate());
}

RentedBound LagrangianBound(const BoundInput& input, std::optional<double> target, int iterations) {
  if (input.jobs.empty()) return {input.constant, {}};
  Relaxation relaxation(input);
  double best = relaxation.Evaluate();
  std::vector<std::vector<double>> rents = relaxation.Rents();
  const double goal = target ? *target - input.constant : best * (1 + kGuessedGap);
  double length = 1;
  int patience = kPatience;
  for (double bound = best; iterations > 0 && goal > best; --iterations) {
    if (!relaxation.Step(length * std::max(goal - bound, 0.0))) break;
    bound = relaxation.Evaluate();
    if (bound > best) {
      best = bound;
      rents = relaxation.Rents();
      patience = kPatience;
    } else if (--patience == 0) {
      length *= kShorten;
      patience = kPatience;
    }
  }
  return {input.constant + best, std::move(rents)};
}

}  // namespace ebb::plan
