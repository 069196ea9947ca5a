#include "plan/planner/exhaustive_for_test.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/random.h"
#include "core/jobs/widths.h"
#include "plan/planner/exhaustive_tours_for_test.h"

namespace ebb::plan::testing {
namespace {

using std::chrono::minutes;

core::IntensitySeries SeriesOf(Time begin, Duration unit, const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Time at = begin + unit * static_cast<Duration::rep>(i);
    samples.push_back({{at, at + unit}, {values[i]}, core::SampleStatus::kMeasured});
  }
  return *core::IntensitySeries::Create({}, std::move(samples));
}

core::SignalView RandomSignal(Random& random, Time now, Duration unit, int units) {
  std::vector<double> values;
  double value = random.Uniform(100, 500);
  for (int i = 0; i < units; ++i) {
    values.push_back(value);
    value = std::clamp(value + random.Uniform(-120, 120), 40.0, 600.0);
  }
  core::SignalView view;
  view.now = now;
  view.known = SeriesOf(now, unit, {values.front()});
  view.forecast.series = SeriesOf(now + unit, unit, {values.begin() + 1, values.end()});
  return view;
}

core::Job RandomJob(Random& random, const Instance& instance, core::JobId id) {
  core::Job job;
  job.id = id;
  job.submitted = instance.now;
  int widest = 0;
  for (const core::DevicePool& pool : instance.cluster.pools) widest = std::max(widest, pool.count);
  job.devices = widest > 1 && random.Below(4) == 0 ? 2 : 1;
  // The length is even, so that it is whole units on the pool of double speed too.
  const auto length = 2 * static_cast<int>(1 + random.Below(2));
  job.duration = instance.unit * length;
  job.power = {random.Uniform(100, 400)};
  const auto latest =
      static_cast<int>(random.Below(static_cast<std::uint64_t>(instance.units - length + 1)));
  if (random.Below(2) == 0)
    job.start_by = instance.now + instance.unit * latest;
  else
    job.finish_by = instance.now + instance.unit * (latest + length);
  job.checkpointable = random.Below(3) == 0;
  job.pause_cost = instance.unit * static_cast<int>(random.Below(2));
  job.minimum_segment = instance.unit * static_cast<int>(1 + random.Below(2));
  return job;
}

double PriceAt(const Instance& instance, std::size_t site, int unit) {
  return instance.signals[site].At(instance.now + instance.unit * unit)->intensity.g_per_kwh;
}

class Search {
 public:
  explicit Search(const Instance& instance) : instance_(instance) {
    for (const core::DevicePool& pool : instance.cluster.pools)
      free_.emplace_back(static_cast<std::size_t>(instance.units), pool.count);
    for (const core::Job& job : instance.jobs) ways_.push_back(WaysOf(job));
    cheapest_rest_.assign(ways_.size() + 1, 0);
    for (std::size_t i = ways_.size(); i-- > 0;)
      cheapest_rest_[i] = cheapest_rest_[i + 1] + (ways_[i].empty() ? 0 : ways_[i].front().grams);
  }

  std::optional<double> Run() {
    Try(0, 0);
    return best_;
  }

 private:
  std::vector<Way> WaysOf(const core::Job& job) const {
    std::vector<Way> ways;
    for (int pool = 0; pool < static_cast<int>(instance_.cluster.pools.size()); ++pool) {
      if (!Fits(job, instance_.cluster, pool) || !MayRunAt(job, instance_.cluster.SiteOf(pool)))
        continue;
      if (core::IsElastic(job)) {
        AddWaysWithWidths(instance_, job, pool, ways);
        continue;
      }
      const OwnMove move = OwnMoveOf(instance_, job, -1, pool);
      const core::DevicePool& devices = instance_.cluster.pools[static_cast<std::size_t>(pool)];
      const auto length = static_cast<int>(TimeOn(job, devices, job.duration) / instance_.unit);
      for (int set = 1; set < 1 << instance_.units; ++set) {
        Way way{pool, {}, {}, 0};
        for (int unit = 0; unit < instance_.units; ++unit)
          if (set >> unit & 1) way.units.push_back(unit);
        if (IsAllowed(job, devices, move.units, length, way.units)) ways.push_back(std::move(way));
      }
    }
    for (Way& way : ways)
      if (way.widths.empty()) way.grams = GramsOf(job, way);
    if (job.checkpointable && !core::IsElastic(job)) AddTours(instance_, job, ways);
    std::sort(ways.begin(), ways.end(),
              [](const Way& left, const Way& right) { return left.grams < right.grams; });
    return ways;
  }

  // Checks length, pieces and deadline as the job defines them.
  bool IsAllowed(const core::Job& job, const core::DevicePool& devices, int moving, int length,
                 const std::vector<int>& units) const {
    const auto shortest = static_cast<int>(job.minimum_segment / instance_.unit);
    int pieces = 0;
    for (std::size_t i = 0; i < units.size();) {
      std::size_t end = i + 1;
      while (end < units.size() && units[end] == units[end - 1] + 1) ++end;
      ++pieces;
      const bool whole = i == 0 && end == units.size();
      if (!whole && static_cast<int>(end - i) < shortest + (i == 0 ? moving : 0)) return false;
      i = end;
    }
    if (pieces > 1 && !job.checkpointable) return false;
    const auto overhead = static_cast<int>(job.pause_cost / instance_.unit);
    if (static_cast<int>(units.size()) != moving + length + (pieces - 1) * overhead) return false;
    const Time begin = instance_.now + instance_.unit * (units.front() + moving);
    const Time end = instance_.now + instance_.unit * (units.back() + 1);
    if (job.finish_by && end > *job.finish_by) return false;
    if (!job.start_by) return true;
    return begin <= *job.start_by &&
           (!job.checkpointable || end <= *job.start_by + TimeOn(job, devices, job.duration));
  }

  // Grams with the cost of the job's preferences: see plan/problem/preferences.h.
  double GramsOf(const core::Job& job, const Way& way) const {
    const OwnMove move = OwnMoveOf(instance_, job, -1, way.pool);
    double grams = 0;
    for (std::size_t i = 0; i < way.units.size(); ++i)
      grams += i < static_cast<std::size_t>(move.units)
                   ? MovingGrams(instance_, job, move, way.pool, way.units[i])
                   : RunningGrams(instance_, job, way.pool, way.units[i]);
    return WeightOf(instance_, job) * grams;
  }

  void Try(std::size_t job, double grams) {
    if (best_ && grams + cheapest_rest_[job] >= *best_) return;
    if (job == ways_.size()) {
      best_ = grams;
      return;
    }
    for (const Way& way : ways_[job]) {
      if (best_ && grams + way.grams + cheapest_rest_[job + 1] >= *best_) return;
      const auto width = [&](std::size_t unit) {
        return way.widths.empty() ? instance_.jobs[job].devices : way.widths[unit];
      };
      const auto free_at = [&](std::size_t i) -> int& {
        const int pool = way.pools.empty() ? way.pool : way.pools[i];
        return free_[static_cast<std::size_t>(pool)][static_cast<std::size_t>(way.units[i])];
      };
      bool fits = true;
      for (std::size_t i = 0; i < way.units.size(); ++i) fits = fits && free_at(i) >= width(i);
      if (!fits) continue;
      for (std::size_t i = 0; i < way.units.size(); ++i) free_at(i) -= width(i);
      Try(job + 1, grams + way.grams);
      for (std::size_t i = 0; i < way.units.size(); ++i) free_at(i) += width(i);
    }
  }

  const Instance& instance_;
  std::vector<std::vector<int>> free_;
  std::vector<std::vector<Way>> ways_;
  std::vector<double> cheapest_rest_;
  std::optional<double> best_;
};

double PriceOf(const Instance& instance, int pool, int unit) {
  const auto site =
      static_cast<std::size_t>(instance.cluster.pools[static_cast<std::size_t>(pool)].site);
  return PriceAt(instance, site, unit);
}

}  // namespace

double PreferredPriceOf(const Instance& instance, const core::Job& job, int pool, int unit) {
  const double price = PriceOf(instance, pool, unit);
  if (!job.threshold || price <= job.threshold->g_per_kwh) return price;
  double dearest = 0;
  for (int i = 0; i < instance.units; ++i) dearest = std::max(dearest, PriceOf(instance, pool, i));
  return price + 3 * dearest;
}

double WeightOf(const Instance& instance, const core::Job& job) {
  std::set<int> lower;
  for (const core::Job& other : instance.jobs)
    if (other.priority < job.priority) lower.insert(other.priority);
  return std::pow(4.0, static_cast<double>(lower.size()));
}

Problem Instance::Finish() {
  views.clear();
  sites.clear();
  for (const core::Job& job : jobs)
    views.push_back({&job, JobState::kWaiting, job.duration, -1, {}, 0});
  for (const core::SignalView& signal : signals) sites.push_back({&signal, now + unit});
  return {now, &cluster, views, sites};
}

void MakeRandomInstance(std::uint64_t seed, Instance& instance) {
  Random random(SeedFor(seed, 0));
  instance.now = *ParseTime("2023-05-01T12:00");
  instance.unit = minutes{30};
  instance.units = 10;
  const std::uint64_t sites = 1 + random.Below(2);
  for (std::uint64_t i = 0; i < sites; ++i) {
    instance.cluster.sites.push_back(
        {"site " + std::to_string(i), "Z", {1 + 0.2 * random.Uniform()}});
    instance.signals.push_back(RandomSignal(random, instance.now, instance.unit, instance.units));
  }
  const std::uint64_t pools = 1 + random.Below(2);
  for (std::uint64_t i = 0; i < pools; ++i) {
    core::DevicePool pool{
        "m" + std::to_string(i), static_cast<int>(random.Below(sites)), 1, 1, 1, {}};
    pool.count = static_cast<int>(1 + random.Below(pools == 1 ? 3 : 2));
    pool.speed = random.Below(3) == 0 ? 2 : 1;
    pool.power_factor = random.Uniform(0.8, 2.6);
    instance.cluster.pools.push_back(pool);
  }
  const std::uint64_t jobs = 2 + random.Below(3);
  for (std::uint64_t i = 0; i < jobs; ++i)
    instance.jobs.push_back(RandomJob(random, instance, static_cast<core::JobId>(i)));
}

void MakeRandomElastic(std::uint64_t seed, Instance& instance) {
  MakeRandomInstance(seed, instance);
  Random random(SeedFor(seed, 2));
  for (core::DevicePool& pool : instance.cluster.pools)
    pool.count += static_cast<int>(1 + random.Below(2));
  const std::size_t elastic = std::min(instance.jobs.size(), 1 + random.Below(2));
  for (std::size_t i = 0; i < elastic; ++i) {
    core::Job& job = instance.jobs[i];
    job.checkpointable = true;
    job.devices = 1;
    const double two = random.Uniform(1.3, 2), three = random.Uniform(0.3, two - 1);
    job.speedup = {{2, two}};
    if (random.Below(2) == 0) job.speedup.push_back({3, two + three});
    // Some jobs name their wide form, and are slower on one device.
    if (random.Below(3) == 0) {
      job.devices = 2;
      for (core::WidthSpeed& width : job.speedup) width.speed /= two;
      job.speedup.front() = {1, 1 / two};
    }
  }
}

void MakeRandomSites(std::uint64_t seed, Instance& instance) {
  constexpr double kSlow = 1e6, kFast = 2e6;  // bytes per second
  Random random(SeedFor(seed, 1));
  instance.now = *ParseTime("2023-05-01T12:00");
  instance.unit = minutes{30};
  instance.units = 10;
  const std::uint64_t sites = 2 + random.Below(2);
  instance.cluster.joules_per_byte = random.Uniform(0, 2e-4);
  for (std::uint64_t i = 0; i < sites; ++i) {
    core::Site site{"site " + std::to_string(i), "Z", {1 + 0.3 * random.Uniform()}};
    site.bytes_per_second = random.Below(2) == 0 ? kSlow : kFast;
    site.set_up = instance.unit * static_cast<int>(random.Below(2));
    if (site.set_up > Duration::zero()) site.set_up_energy = Energy::Joules(random.Uniform(0, 1e5));
    if (random.Below(4) == 0) site.forbidden_data = {"personal"};
    if (random.Below(6) == 0) site.allowed_data = {"public", "personal"};
    instance.cluster.sites.push_back(site);
    instance.signals.push_back(RandomSignal(random, instance.now, instance.unit, instance.units));
    core::DevicePool pool{"m", static_cast<int>(i), 1, 1, 1, {random.Uniform(0, 60)}};
    pool.count = static_cast<int>(1 + random.Below(2));
    pool.power_factor = random.Uniform(0.8, 1.6);
    instance.cluster.pools.push_back(pool);
  }
  const std::uint64_t jobs = 2 + random.Below(3);
  for (std::uint64_t i = 0; i < jobs; ++i) {
    core::Job job = RandomJob(random, instance, static_cast<core::JobId>(i));
    job.home = instance.cluster.sites[random.Below(sites)].name;
    job.file_bytes = static_cast<std::int64_t>(random.Below(2)) *
                     static_cast<std::int64_t>(kFast * Seconds(instance.unit));
    if (random.Below(3) == 0) job.data = {"personal"};
    if (random.Below(8) == 0) job.forbidden_sites = {instance.cluster.sites[0].name};
    instance.jobs.push_back(job);
  }
  // A checkpoint of no size still has a move with the files and the set-up.
  for (core::Job& job : instance.jobs)
    job.checkpoint_bytes = static_cast<std::int64_t>(random.Below(2)) *
                           static_cast<std::int64_t>(kFast * Seconds(instance.unit));
}

void MakeRandomTurns(std::uint64_t seed, Instance& instance) {
  MakeRandomSites(seed, instance);
  Random random(SeedFor(seed, 3));
  instance.units = 12;
  for (core::SignalView& signal : instance.signals) {
    std::vector<double> values;
    for (bool clean = random.Below(2) == 0; static_cast<int>(values.size()) < instance.units;
         clean = !clean)
      for (std::uint64_t i = 2 + random.Below(3); i > 0; --i)
        values.push_back(clean ? random.Uniform(40, 150) : random.Uniform(300, 600));
    values.resize(static_cast<std::size_t>(instance.units));
    signal.known = SeriesOf(instance.now, instance.unit, {values.front()});
    signal.forecast.series =
        SeriesOf(instance.now + instance.unit, instance.unit, {values.begin() + 1, values.end()});
  }
  const std::size_t long_ones = std::min(instance.jobs.size(), 1 + random.Below(2));
  for (std::size_t i = 0; i < long_ones; ++i) {
    core::Job& job = instance.jobs[i];
    job.checkpointable = true;
    const int length = static_cast<int>(4 + random.Below(3));
    job.duration = instance.unit * length;
    job.start_by.reset();
    job.finish_by = instance.now + instance.unit * static_cast<int>(length + random.Below(5));
    job.file_bytes = 0;
  }
}

std::optional<double> ExhaustiveOptimum(const Instance& instance) { return Search(instance).Run(); }

}  // namespace ebb::plan::testing
