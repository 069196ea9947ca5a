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

// A choice of a job with all that its cost depends on, as plain rows of numbers. The window has
// `whole` steps and the rest.
struct Relaxation::Scan {
  const BoundChoice& choice;
  Time earliest{}, last{};  ///< range of begins
  std::size_t whole = 0;
  double kilowatts = 0, width = 0;
  const double *price, *price_sum, *rent, *rent_sum;
};

// A range of edges.
struct Relaxation::Edges {
  std::size_t first = 0, end = 0;
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
  const Scan scan{choice,
                  job.earliest,
                  last,
                  static_cast<std::size_t>(choice.length / curve.step()),
                  choice.kilowatts,
                  static_cast<double>(job.width),
                  curve.prices().data(),
                  curve.sums().data(),
                  (*rents_)[pool].data(),
                  sums_[pool].data()};
  const Edges begins = BeginsOf(scan), ends = EndsOf(scan);
  costs_.resize(curve_.size() + 1);
  if (scan.whole == 0)
    ScanShort(scan, begins, ends, best);
  else
    ScanLong(scan, begins, ends, best);
}

// The edges on which a window may begin, as far as it ends within the curve.
Relaxation::Edges Relaxation::BeginsOf(const Scan& scan) const {
  const std::size_t first = FirstEdgeAfter(scan.earliest);
  const Time end = std::min(scan.last, curve_.end());
  if (end <= curve_.begin() || scan.whole + first >= curve_.size()) return {first, first};
  const auto edges = static_cast<std::size_t>((end - curve_.begin() - Duration{1}) / curve_.step());
  return {first, std::max(first, std::min(edges + 1, curve_.size() - scan.whole))};
}

// The edges on which a window may end that does not begin on one.
Relaxation::Edges Relaxation::EndsOf(const Scan& scan) const {
  const Duration length = scan.choice.length;
  const std::size_t first = std::max(FirstEdgeAfter(scan.earliest + length), scan.whole + 1);
  const Time end = std::min(scan.last + length, curve_.end());
  if (end <= curve_.begin() || length % curve_.step() == Duration::zero()) return {first, first};
  const auto edges = static_cast<std::size_t>((end - curve_.begin() - Duration{1}) / curve_.step());
  return {first, std::max(first, std::min(edges + 1, curve_.size()))};
}

// Keeps the lowest of the costs in a range of edges. A window that ends on its edge begins `back`
// before it.
void Relaxation::KeepLowest(const Scan& scan, Edges edges, Duration back, Window& best) const {
  if (edges.end <= edges.first) return;
  const std::size_t lowest = Lowest(costs_.data(), edges.first, edges.end);
  if (costs_[lowest] < best.cost)
    best = {costs_[lowest], scan.choice.pool, curve_.EdgeAt(lowest) - back, scan.choice.length};
}

// Within one step, all begins of a window that is shorter than a step cost the same.
void Relaxation::ScanShort(const Scan& scan, Edges begins, Edges ends, Window& best) {
  const double hours = Hours(scan.choice.length);
  const double kilowatt_hours = scan.kilowatts * hours, device_hours = scan.width * hours;
  double* __restrict costs = costs_.data();
  for (std::size_t i = begins.first; i < begins.end; ++i)
    costs[i] = kilowatt_hours * scan.price[i] + device_hours * scan.rent[i];
  KeepLowest(scan, begins, Duration::zero(), best);
  // Only a window that ends on the first edge may lie in a step on whose edge none begins.
  if (ends.end <= ends.first) return;
  costs[ends.first] =
      kilowatt_hours * scan.price[ends.first - 1] + device_hours * scan.rent[ends.first - 1];
  KeepLowest(scan, {ends.first, ends.first + 1}, scan.choice.length, best);
}

void Relaxation::ScanLong(const Scan& scan, Edges begins, Edges ends, Window& best) {
  const Duration step = curve_.step(), rest = scan.choice.length % step;
  const double part = Hours(rest) / Hours(step);
  const std::size_t whole = scan.whole;
  const std::size_t from = std::min(begins.first, ends.first - whole - 1);
  const std::size_t to = std::min(curve_.size() + 1, std::max(begins.end + whole + 1, ends.end));
  both_sums_.resize(curve_.size() + 1);
  double* __restrict sums = both_sums_.data();
  for (std::size_t i = from; i < to; ++i)
    sums[i] = scan.kilowatts * scan.price_sum[i] + scan.width * scan.rent_sum[i];
  double* __restrict costs = costs_.data();
  for (std::size_t i = begins.first; i < begins.end; ++i)
    costs[i] = (sums[i + whole] - sums[i]) + part * (sums[i + whole + 1] - sums[i + whole]);
  KeepLowest(scan, begins, Duration::zero(), best);
  for (std::size_t i = ends.first; i < ends.end; ++i)
    costs[i] = (sums[i] - sums[i - whole]) + part * (sums[i - whole] - sums[i - whole - 1]);
  KeepLowest(scan, ends, scan.choice.length, best);
}

// Takes the cheapest bits until the work is done: a fractional knapsack.
double Relaxation::InBits(const BoundJob& job) {
  bits_.Find(input_, job, *rents_);
  double cost = 0, left = Hours(job.work);
  while (left > 0) {
    const auto bit = bits_.Take();
    if (!bit) break;
    const double part = std::min(left, bit->work_hours);
    cost += part * bit->price;
    left -= part;
    asked_[bit->pool][bit->step] += bit->devices * part;
  }
  return cost;
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
