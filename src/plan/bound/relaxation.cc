#include "plan/bound/relaxation.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "plan/problem/lowest.h"

namespace ebb::plan {
namespace {

// A choice with a move takes about twice the work of one without, which has two kinds of begins.
constexpr int kScansOfMoved = 4;

double DeviceHours(const BoundJob& job) { return job.width * Hours(job.work); }

std::vector<std::size_t> AllOf(const BoundInput& input) {
  std::vector<std::size_t> jobs(input.jobs.size());
  std::iota(jobs.begin(), jobs.end(), std::size_t{0});
  return jobs;
}

}  // namespace

Relaxation::Relaxation(const BoundInput& input) : Relaxation(input, AllOf(input)) {}

Relaxation::Relaxation(const BoundInput& input, std::vector<std::size_t> jobs)
    : input_(input), curve_(input.curves.front()), jobs_(std::move(jobs)) {
  const std::size_t steps = curve_.size();
  Time first = Time::max();
  double all = 0, some = 0;
  for (const BoundJob& job : input.jobs) {
    first = std::min(first, job.earliest);
    all += DeviceHours(job);
  }
  for (const std::size_t index : jobs_) some += DeviceHours(input.jobs[index]);
  for (const int devices : input.devices_in_pool) {
    auto& capacity = capacity_.emplace_back(steps);
    for (std::size_t i = 0; i < steps; ++i)
      capacity[i] =
          devices *
          Hours(Overlap({curve_.EdgeAt(i), curve_.EdgeAt(i + 1)}, {first, Time::max()}).length());
    sums_.emplace_back(steps + 1);
  }
  asked_ = NoRents();
  for (const auto& taken : input.taken) TakeAway(taken);
  if (jobs_.size() < input.jobs.size() && all > 0)
    for (auto& capacity : capacity_)
      for (double& hours : capacity) hours *= some / all;
  CountPlaces();
}

PoolSteps Relaxed::NoRents() const {
  return PoolSteps(capacity_.size(), std::vector<double>(capacity_.front().size()));
}

double Relaxation::Evaluate(const PoolSteps& rents) {
  rents_ = &rents;
  double bound = 0;
  for (std::size_t pool = 0; pool < capacity_.size(); ++pool) {
    std::fill(asked_[pool].begin(), asked_[pool].end(), 0.0);
    for (std::size_t i = 0; i < curve_.size(); ++i) {
      sums_[pool][i + 1] = sums_[pool][i] + rents[pool][i] * Hours(curve_.step());
      bound -= rents[pool][i] * capacity_[pool][i];
    }
  }
  for (const std::size_t index : jobs_) {
    const BoundJob& job = input_.jobs[index];
    bound += job.split ? InBits(job) : InOnePiece(job);
  }
  for (std::size_t pool = 0; pool < capacity_.size(); ++pool)
    for (std::size_t i = 0; i < curve_.size(); ++i) asked_[pool][i] -= capacity_[pool][i];
  return bound;
}

void Relaxation::CountPlaces() {
  for (const std::size_t index : jobs_) {
    const BoundJob& job = input_.jobs[index];
    for (const BoundChoice& choice : job.choices) {
      const std::size_t first = At(job.earliest).step, last = At(choice.latest_end).step;
      const int scans = choice.move.takes > Duration::zero() ? kScansOfMoved : 2;
      const auto widths = static_cast<std::int64_t>(std::max<std::size_t>(1, job.widths.size()));
      places_ += widths * scans * static_cast<std::int64_t>(std::max(first, last) - first + 1);
    }
  }
}

void Relaxation::TakeAway(const BoundInput::Taken& taken) {
  auto& capacity = capacity_[static_cast<std::size_t>(taken.pool)];
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    const Interval step{curve_.EdgeAt(i), curve_.EdgeAt(i + 1)};
    if (step.begin >= taken.time.end) break;
    capacity[i] =
        std::max(0.0, capacity[i] - taken.width * Hours(Overlap(step, taken.time).length()));
  }
}

Relaxation::Position Relaxation::At(Time time) const {
  const Duration since =
      std::clamp(time - curve_.begin(), Duration::zero(), curve_.end() - curve_.begin());
  const auto step = std::min(static_cast<std::size_t>(since / curve_.step()), curve_.size() - 1);
  return {step, Hours(since - curve_.step() * static_cast<Duration::rep>(step))};
}

std::size_t Relaxation::FirstEdgeAfter(Time time) const {
  if (time < curve_.begin()) return 0;
  return static_cast<std::size_t>((time - curve_.begin()) / curve_.step()) + 1;
}

// Price and rent from the begin of the curve up to a moment, for one job on one pool.
double Relaxation::SumTo(const BoundJob& job, const BoundChoice& choice, Position at) const {
  const auto pool = static_cast<std::size_t>(choice.pool);
  const PriceCurve& curve = input_.CurveOf(choice);
  return choice.kilowatts * (curve.SumBefore(at.step) + curve.PriceOf(at.step) * at.hours) +
         job.width * (sums_[pool][at.step] + (*rents_)[pool][at.step] * at.hours);
}

double Relaxation::InOnePiece(const BoundJob& job) {
  Window best{std::numeric_limits<double>::infinity(), -1, {}, {}};
  for (const BoundChoice& choice : job.choices) ScanChoice(job, choice, best);
  if (best.pool < 0) return 0;
  Ask(best.pool, job.width, {best.begin, best.begin + best.length});
  return best.cost;
}

// One choice of a job with all that its cost depends on, as plain rows of numbers.
struct Relaxation::Scan {
  const BoundChoice& choice;
  Time earliest{}, last{};                  ///< range of begins
  std::size_t steps = 0;                    ///< number of whole steps in the length
  double kilowatts, width;                  ///< kilowatts and devices per whole step
  double kilowatts_of_rest, width_of_rest;  ///< kilowatts and devices times the hours beyond the
                                            ///< whole steps
  const double *price, *price_sum, *rent, *rent_sum;
};

void Relaxation::ScanMoved(const BoundJob& job, const BoundChoice& choice, Window& best) {
  const auto pool = static_cast<std::size_t>(choice.pool);
  const int from = choice.move.curve_from;
  const MovedWindows::Prices prices{
      input_.CurveOf(choice), from < 0 ? nullptr : &input_.curves[static_cast<std::size_t>(from)],
      (*rents_)[pool], sums_[pool]};
  const auto found =
      moved_windows_.Cheapest(prices, choice, job.width, job.earliest,
                              std::max(job.earliest, choice.latest_end - choice.length));
  if (found.cost < best.cost) best = {found.cost, choice.pool, found.begin, choice.length};
}

void Relaxation::ScanChoice(const BoundJob& job, const BoundChoice& choice, Window& best) {
  if (choice.move.takes > Duration::zero()) return ScanMoved(job, choice, best);
  const Time last = std::max(job.earliest, choice.latest_end - choice.length);
  for (const Time begin : {job.earliest, last}) {
    const double cost =
        SumTo(job, choice, At(begin + choice.length)) - SumTo(job, choice, At(begin));
    if (cost < best.cost) best = {cost, choice.pool, begin, choice.length};
  }
  // Either the begin or the end lies on an edge; the other keeps its distance to the edges.
  const auto pool = static_cast<std::size_t>(choice.pool);
  const PriceCurve& curve = input_.CurveOf(choice);
  const double rest = Hours(choice.length % curve.step());
  const double width = job.width;
  const Scan scan{choice,
                  job.earliest,
                  last,
                  static_cast<std::size_t>(choice.length / curve.step()),
                  choice.kilowatts,
                  width,
                  choice.kilowatts * rest,
                  width * rest,
                  curve.prices().data(),
                  curve.sums().data(),
                  (*rents_)[pool].data(),
                  sums_[pool].data()};
  ScanBegins(scan, best);
  if (choice.length % curve.step() > Duration::zero()) ScanEnds(scan, best);
}

void Relaxation::ScanBegins(const Scan& scan, Window& best) {
  const std::size_t first = FirstEdgeAfter(scan.earliest);
  const Time end = std::min(scan.last, curve_.end());
  if (end <= curve_.begin() || scan.steps + first >= curve_.size()) return;
  // Edges before the last begin, as far as the window that begins there ends within the curve.
  const auto edges = static_cast<std::size_t>((end - curve_.begin() - Duration{1}) / curve_.step());
  const std::size_t last = std::min(edges + 1, curve_.size() - scan.steps);
  if (last <= first) return;
  costs_.resize(std::max(costs_.size(), last));
  double* __restrict costs = costs_.data();
  for (std::size_t i = first; i < last; ++i)
    costs[i] = scan.kilowatts * (scan.price_sum[i + scan.steps] - scan.price_sum[i]) +
               scan.kilowatts_of_rest * scan.price[i + scan.steps] +
               scan.width * (scan.rent_sum[i + scan.steps] - scan.rent_sum[i]) +
               scan.width_of_rest * scan.rent[i + scan.steps];
  const std::size_t lowest = Lowest(costs, first, last);
  if (costs[lowest] < best.cost)
    best = {costs[lowest], scan.choice.pool, curve_.EdgeAt(lowest), scan.choice.length};
}

void Relaxation::ScanEnds(const Scan& scan, Window& best) {
  const Duration length = scan.choice.length;
  const std::size_t first = std::max(FirstEdgeAfter(scan.earliest + length), scan.steps + 1);
  const Time end = std::min(scan.last + length, curve_.end());
  if (end <= curve_.begin()) return;
  const auto edges = static_cast<std::size_t>((end - curve_.begin() - Duration{1}) / curve_.step());
  const std::size_t last = std::min(edges + 1, curve_.size());
  if (last <= first) return;
  costs_.resize(std::max(costs_.size(), last));
  double* __restrict costs = costs_.data();
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t whole = i - scan.steps;
    costs[i] = scan.kilowatts * (scan.price_sum[i] - scan.price_sum[whole]) +
               scan.kilowatts_of_rest * scan.price[whole - 1] +
               scan.width * (scan.rent_sum[i] - scan.rent_sum[whole]) +
               scan.width_of_rest * scan.rent[whole - 1];
  }
  const std::size_t lowest = Lowest(costs, first, last);
  if (costs[lowest] < best.cost)
    best = {costs[lowest], scan.choice.pool, curve_.EdgeAt(lowest) - length, length};
}

// Takes the cheapest steps until the work is done: a fractional knapsack.
double Relaxation::InBits(const BoundJob& job) {
  bits_.clear();
  Time latest = job.earliest;
  for (const BoundChoice& choice : job.choices) latest = std::max(latest, choice.latest_end);
  for (std::size_t i = At(job.earliest).step; i < curve_.size() && curve_.EdgeAt(i) < latest; ++i)
    AddBits(job, i);
  SortCheapest(job);
  double cost = 0, left = Hours(job.work);
  for (const Bit& bit : bits_) {
    if (left <= 0) break;
    const double part = std::min(left, bit.work_hours);
    cost += part * bit.price_per_work;
    left -= part;
    asked_[static_cast<std::size_t>(bit.choice->pool)][bit.step] +=
        bit.devices * part / bit.choice->speed;
  }
  return cost;
}

// Sorts as many of the cheapest bits as the job can need. A bit may be short at the begin and at
// the end of each choice's window.
void Relaxation::SortCheapest(const BoundJob& job) {
  const auto cheaper = [](const Bit& left, const Bit& right) {
    if (left.price_per_work != right.price_per_work)
      return left.price_per_work < right.price_per_work;
    return left.step < right.step;
  };
  double slowest = std::numeric_limits<double>::infinity();
  for (const BoundChoice& choice : job.choices) slowest = std::min(slowest, choice.speed);
  double least_speed = 1;
  for (std::size_t i = 0; i < job.widths.size(); ++i)
    least_speed =
        std::min(least_speed, job.widths[i].speed - (i > 0 ? job.widths[i - 1].speed : 0));
  const double whole = Hours(job.work) / (least_speed * slowest * Hours(curve_.step()));
  const double edges = 2 + 2 * static_cast<double>(job.choices.size());
  const double needed =
      whole + edges * static_cast<double>(std::max<std::size_t>(1, job.widths.size()));
  if (needed < static_cast<double>(bits_.size())) {
    const auto end = bits_.begin() + static_cast<std::ptrdiff_t>(needed);
    std::nth_element(bits_.begin(), end, bits_.end(), cheaper);
    bits_.erase(end, bits_.end());
  }
  std::sort(bits_.begin(), bits_.end(), cheaper);
}

// One bit for each width of an elastic job: what its further devices add.
void Relaxation::AddBits(const BoundJob& job, std::size_t step) {
  if (job.widths.empty()) return AddBit(job, step, job.width, 1);
  core::WidthSpeed narrower{0, 0};
  for (const core::WidthSpeed& width : job.widths) {
    const double speed = width.speed - narrower.speed;
    AddBit(job, step, (width.devices - narrower.devices) / speed, speed);
    narrower = width;
  }
}

// Adds a bit that takes `devices` devices for a speed of 1, and may have `speed`.
void Relaxation::AddBit(const BoundJob& job, std::size_t step, double devices, double speed) {
  Bit bit{std::numeric_limits<double>::infinity(), step, nullptr, 0, devices};
  const double share = devices / job.width;
  for (const BoundChoice& choice : job.choices) {
    const Interval usable =
        Overlap({curve_.EdgeAt(step), curve_.EdgeAt(step + 1)}, {job.earliest, choice.latest_end});
    if (usable.length() == Duration::zero()) continue;
    const double rent = (*rents_)[static_cast<std::size_t>(choice.pool)][step];
    const double price =
        (share * choice.kilowatts * input_.CurveOf(choice).PriceOf(step) + devices * rent) /
            choice.speed +
        choice.least_move / Hours(job.work);
    bit.work_hours = std::max(bit.work_hours, Hours(usable.length()) * choice.speed * speed);
    if (price < bit.price_per_work) {
      bit.price_per_work = price;
      bit.choice = &choice;
    }
  }
  if (bit.choice) bits_.push_back(bit);
}

void Relaxation::Ask(int pool, int width, Interval time) {
  auto& asked = asked_[static_cast<std::size_t>(pool)];
  for (std::size_t i = At(time.begin).step; i < asked.size(); ++i) {
    const Interval step{curve_.EdgeAt(i), curve_.EdgeAt(i + 1)};
    if (step.begin >= time.end) break;
    asked[i] += width * Hours(Overlap(step, time).length());
  }
}

}  // namespace ebb::plan
