#include "plan/bound/crowds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace ebb::plan {
namespace {

// Jobs differ more in their length than in the power of a device.
constexpr double kLengthsPerPower = 2;

double DeviceHours(const BoundJob& job) { return job.width * Hours(job.work); }

double DevicesPerKilowatt(const BoundJob& job) {
  const double kilowatts = job.choices.front().kilowatts;
  return kilowatts > 0 ? job.width / kilowatts : 0;
}

// Describes the choices of a job: two jobs are alike if they may run on the same pools, at the same
// prices, after moves from the same site.
std::vector<int> KindOf(const BoundJob& job) {
  std::vector<int> kind;
  for (const BoundChoice& choice : job.choices) {
    const bool moves = choice.move.takes > Duration::zero();
    kind.insert(kind.end(), {choice.pool, choice.curve, moves ? choice.move.curve_from : -2});
  }
  return kind;
}

// Sorts the jobs by `key`, and divides them into parts with about the same device-hours.
template <typename Key>
std::vector<std::vector<std::size_t>> Divide(const BoundInput& input, std::vector<std::size_t> jobs,
                                             std::size_t parts, Key key) {
  std::sort(jobs.begin(), jobs.end(), [&](std::size_t left, std::size_t right) {
    return std::pair(key(input.jobs[left]), left) < std::pair(key(input.jobs[right]), right);
  });
  double all = 0, before = 0;
  for (const std::size_t index : jobs) all += DeviceHours(input.jobs[index]);
  std::vector<std::vector<std::size_t>> divided(1);
  for (const std::size_t index : jobs) {
    const auto full = static_cast<double>(divided.size()) * all;
    if (before * static_cast<double>(parts) >= full && !divided.back().empty())
      divided.emplace_back();
    divided.back().push_back(index);
    before += DeviceHours(input.jobs[index]);
  }
  return divided;
}

}  // namespace

std::unique_ptr<Crowds> Crowds::Of(const BoundInput& input, const PoolSteps& capacity,
                                   std::size_t count) {
  std::map<std::vector<int>, Jobs> kinds;
  double all = 0;
  for (std::size_t i = 0; i < input.jobs.size(); ++i) {
    const BoundJob& job = input.jobs[i];
    if (job.split || job.earliest != input.jobs.front().earliest) return nullptr;
    if (job.choices.empty()) continue;
    kinds[KindOf(job)].push_back(i);
    all += DeviceHours(job);
    if (kinds.size() > count) return nullptr;
  }
  if (all <= 0) return nullptr;
  std::unique_ptr<Crowds> crowds(new Crowds(input, capacity));
  for (auto& [kind, jobs] : kinds) {
    double hours = 0;
    for (const std::size_t index : jobs) hours += DeviceHours(input.jobs[index]);
    const double share = std::round(static_cast<double>(count) * hours / all);
    crowds->AddKind(std::move(jobs), std::max<std::size_t>(1, static_cast<std::size_t>(share)));
  }
  return crowds;
}

Crowds::Crowds(const BoundInput& input, const PoolSteps& capacity)
    : input_(input), curve_(input.curves.front()) {
  capacity_ = capacity;
  asked_ = NoRents();
  for (std::size_t pool = 0; pool < capacity.size(); ++pool) sums_.emplace_back(curve_.size() + 1);
  const Duration since = std::max(input.jobs.front().earliest - curve_.begin(), Duration::zero());
  first_ = std::min(static_cast<std::size_t>(since / curve_.step()), curve_.size() - 1);
  for (auto* row : {&begins_, &ends_, &costs_}) row->resize(curve_.size());
  both_sums_.resize(curve_.size() + 1);
}

void Crowds::AddKind(Jobs jobs, std::size_t count) {
  const auto share = static_cast<double>(count);
  const auto powers = std::max(1.0, std::round(std::sqrt(share / kLengthsPerPower)));
  const auto lengths = std::max(1.0, std::round(share / powers));
  for (Jobs& alike :
       Divide(input_, std::move(jobs), static_cast<std::size_t>(powers), DevicesPerKilowatt))
    for (const Jobs& crowd : Divide(input_, std::move(alike), static_cast<std::size_t>(lengths),
                                    [](const BoundJob& job) { return job.work; }))
      AddCrowd(crowd);
}

void Crowds::AddCrowd(const Jobs& jobs) {
  const BoundJob& model = input_.jobs[jobs[jobs.size() / 2]];
  Crowd crowd;
  crowd.width = model.width;
  for (const BoundChoice& choice : model.choices) crowd.options.push_back(OptionOf(choice));
  for (const std::size_t index : jobs) {
    const BoundJob& job = input_.jobs[index];
    crowd.weights.push_back(DeviceHours(job) / DeviceHours(model));
    for (std::size_t i = 0; i < crowd.options.size(); ++i) {
      Option& option = crowd.options[i];
      const std::size_t fits = curve_.size() - 1 - option.whole;
      const std::size_t last = std::max(first_, std::min(LastStep(job.choices[i]), fits));
      crowd.last.push_back(static_cast<std::uint32_t>(last));
      option.last = std::max(option.last, last);
    }
  }
  for (const Option& option : crowd.options)
    places_ += 4 * static_cast<std::int64_t>(option.last - first_ + 1);
  places_ += static_cast<std::int64_t>(crowd.last.size());
  if (rows_.size() < crowd.options.size()) rows_.resize(crowd.options.size());
  crowds_.push_back(std::move(crowd));
}

Crowds::Option Crowds::OptionOf(const BoundChoice& choice) const {
  const ChoiceMove& move = choice.move;
  Option option;
  option.pool = static_cast<std::size_t>(choice.pool);
  option.here = option.from = &input_.CurveOf(choice);
  option.kilowatts = choice.kilowatts;
  option.whole =
      std::min(static_cast<std::size_t>(choice.length / curve_.step()), curve_.size() - 1 - first_);
  option.rest = Hours(choice.length % curve_.step());
  if (move.takes == Duration::zero()) return option;
  option.move_here = (move.kilowatts_here - choice.kilowatts) * Hours(move.takes);
  option.move_from = move.kilowatts_from * Hours(move.takes);
  if (move.curve_from >= 0) option.from = &input_.curves[static_cast<std::size_t>(move.curve_from)];
  return option;
}

std::size_t Crowds::LastStep(const BoundChoice& choice) const {
  const Duration since =
      std::max(choice.latest_end - choice.length - curve_.begin(), Duration::zero());
  return static_cast<std::size_t>(since / curve_.step());
}

double Crowds::Evaluate(const PoolSteps& rents) {
  rents_ = &rents;
  double value = 0;
  for (std::size_t pool = 0; pool < capacity_.size(); ++pool) {
    for (std::size_t i = 0; i < curve_.size(); ++i) {
      asked_[pool][i] = -capacity_[pool][i];
      sums_[pool][i + 1] = sums_[pool][i] + rents[pool][i] * Hours(curve_.step());
      value -= rents[pool][i] * capacity_[pool][i];
    }
  }
  for (const Crowd& crowd : crowds_) value += Place(crowd);
  return value;
}

// Places each job of the crowd where its model costs least, and returns the cost of all.
double Crowds::Place(const Crowd& crowd) {
  const std::size_t options = crowd.options.size();
  for (std::size_t i = 0; i < options; ++i) Scan(crowd, crowd.options[i], rows_[i]);
  double cost = 0;
  const std::uint32_t* last = crowd.last.data();
  for (const double weight : crowd.weights) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < options; ++i)
      if (const double here = rows_[i].least[last[i]]; here < least) {
        least = here;
        best = i;
      }
    cost += weight * least;
    Row& row = rows_[best];
    const std::uint32_t at = row.at[last[best]];
    if (row.wanted[at] == 0) row.wanted_at.push_back(at);
    row.wanted[at] += weight;
    last += options;
  }
  for (std::size_t i = 0; i < options; ++i) Ask(crowd, crowd.options[i], rows_[i]);
  return cost;
}

void Crowds::Scan(const Crowd& crowd, const Option& option, Row& row) {
  row.least.resize(curve_.size());
  row.at.resize(curve_.size());
  row.wanted.resize(2 * curve_.size());
  if (option.whole == 0)
    FillShort(crowd, option);
  else
    FillLong(crowd, option);
  double* __restrict costs = costs_.data();
  const double *begins = begins_.data(), *ends = ends_.data();
  for (std::size_t i = first_; i <= option.last; ++i) costs[i] = std::min(begins[i], ends[i]);
  if (option.move_here != 0 || option.move_from != 0) {
    const double* here = option.here->prices().data();
    const double* from = option.from->prices().data();
    for (std::size_t i = first_; i <= option.last; ++i)
      costs[i] += option.move_here * here[i] + option.move_from * from[i];
  }
  KeepLeast(option.last, row);
}

// Fills the costs of the windows of a model that is shorter than a step: those that end on an edge
// cost no less than others.
void Crowds::FillShort(const Crowd& crowd, const Option& option) {
  const double* price = option.here->prices().data();
  const double* rent = (*rents_)[option.pool].data();
  const double kilowatt_hours = option.kilowatts * option.rest, hours = crowd.width * option.rest;
  double* __restrict begins = begins_.data();
  double* __restrict ends = ends_.data();
  for (std::size_t i = first_; i <= option.last; ++i)
    begins[i] = ends[i] = kilowatt_hours * price[i] + hours * rent[i];
}

// The same for a longer model, from the sums of price and rent together.
void Crowds::FillLong(const Crowd& crowd, const Option& option) {
  const double *prices = option.here->sums().data(), *rents = sums_[option.pool].data();
  const double kilowatts = option.kilowatts, width = crowd.width;
  double* __restrict sums = both_sums_.data();
  for (std::size_t i = first_; i <= option.last + option.whole + 1; ++i)
    sums[i] = kilowatts * prices[i] + width * rents[i];
  const double part = option.rest / Hours(curve_.step());
  const double* after = sums + option.whole;
  double* __restrict begins = begins_.data();
  double* __restrict ends = ends_.data();
  for (std::size_t i = first_; i <= option.last; ++i) {
    begins[i] = (after[i] - sums[i]) + part * (after[i + 1] - after[i]);
    ends[i] = (after[i + 1] - sums[i + 1]) + part * (sums[i + 1] - sums[i]);
  }
}

// Fills the least cost so far. A block of steps is compared at once, because in most of them none
// costs less.
void Crowds::KeepLeast(std::size_t last, Row& row) const {
  constexpr std::size_t kBlock = 8;
  double least = std::numeric_limits<double>::infinity();
  std::uint32_t at = 0;
  std::size_t i = first_;
  const auto next = [&] {
    if (costs_[i] < least) {
      least = costs_[i];
      at = static_cast<std::uint32_t>(2 * i + (ends_[i] < begins_[i] ? 1 : 0));
    }
    row.least[i] = least;
    row.at[i++] = at;
  };
  while (i + kBlock <= last + 1) {
    bool lower = false;
    for (std::size_t k = 0; k < kBlock; ++k) lower |= costs_[i + k] < least;
    if (lower) {
      for (std::size_t k = 0; k < kBlock; ++k) next();
    } else {
      std::fill_n(&row.least[i], kBlock, least);
      std::fill_n(&row.at[i], kBlock, at);
      i += kBlock;
    }
  }
  while (i <= last) next();
}

// Adds the device-hours of all that begin at the same moment, and forgets them.
void Crowds::Ask(const Crowd& crowd, const Option& option, Row& row) {
  auto& asked = asked_[option.pool];
  const double hours = Hours(curve_.step());
  for (const std::uint32_t at : row.wanted_at) {
    const double devices = crowd.width * std::exchange(row.wanted[at], 0);
    const std::size_t begin = at / 2, on_end = at % 2;
    for (std::size_t k = 0; k < option.whole; ++k) asked[begin + on_end + k] += devices * hours;
    asked[on_end > 0 ? begin : begin + option.whole] += devices * option.rest;
  }
  row.wanted_at.clear();
}

}  // namespace ebb::plan
