#include "sim/place_and_time.h"

#include <algorithm>

namespace ebb::sim {
namespace {

// The lowest grams found so far; nothing if none are known.
struct Least {
  std::optional<double> grams;
  void Take(std::optional<double> other) {
    if (other && (!grams || *other < *grams)) grams = other;
  }
};

// The starts on one pool, and their grams.
class PoolStarts {
 public:
  PoolStarts(const core::Job& job, const core::Cluster& cluster, Truth truth, int pool,
             Duration longest_delay)
      : job_(job),
        cluster_(cluster),
        truth_(truth),
        pool_(pool),
        held_(core::HeldOn(job, cluster, -1, pool, job.duration)) {
    const auto& devices = cluster.pools[static_cast<std::size_t>(pool)];
    const Time latest_run =
        core::LatestStartOn(job, devices, job.duration).value_or(job.submitted + longest_delay);
    latest_ = latest_run - core::MoveTo(job, cluster, -1, pool).takes;
  }

  std::optional<double> AtOnce() const { return GramsAt(job_.submitted); }

  std::optional<double> Best() const {
    Least least;
    for (Time begin = job_.submitted; begin <= latest_; begin += kStartStep)
      least.Take(GramsAt(begin));
    if (latest_ > job_.submitted) least.Take(GramsAt(latest_));
    return least.grams;
  }

 private:
  // Returns nullopt if the job would be late or the intensity of some energy is unknown.
  std::optional<double> GramsAt(Time begin) const {
    if (begin > latest_) return std::nullopt;
    Use use;
    const auto energy = core::EnergyOver(job_, cluster_, -1, pool_, {begin, begin + held_});
    for (const core::EnergyPart& part : energy.parts())
      if (part.energy > Energy{})
        use +=
            UseOver(part.energy, part.time, part.pue, truth_[static_cast<std::size_t>(part.site)]);
    if (use.energy_without_intensity > Energy{}) return std::nullopt;
    return use.emissions.grams;
  }

  const core::Job& job_;
  const core::Cluster& cluster_;
  Truth truth_;
  int pool_;
  Duration held_;
  Time latest_{};
};

std::optional<PlaceAndTime> OfJob(const core::Job& job, const core::Cluster& cluster, Truth truth,
                                  Duration longest_delay) {
  Least home_now, home_best, now, best;
  for (int pool = 0; pool < std::ssize(cluster.pools); ++pool) {
    if (!core::Fits(job, cluster, pool)) continue;
    const PoolStarts starts(job, cluster, truth, pool, longest_delay);
    const std::optional<double> pool_now = starts.AtOnce(), pool_best = starts.Best();
    now.Take(pool_now);
    best.Take(pool_best);
    if (cluster.SiteOf(pool).name != job.home) continue;
    home_now.Take(pool_now);
    home_best.Take(pool_best);
  }
  if (!home_now.grams || !home_best.grams || !now.grams || !best.grams) return std::nullopt;
  return PlaceAndTime{{*home_now.grams}, {*home_best.grams}, {*now.grams}, {*best.grams}};
}

}  // namespace

PlaceAndTime& PlaceAndTime::operator+=(const PlaceAndTime& other) {
  home_at_once += other.home_at_once;
  home_best_time += other.home_best_time;
  best_place_at_once += other.best_place_at_once;
  best_place_and_time += other.best_place_and_time;
  return *this;
}

std::optional<PlaceAndTime> PlaceAndTimeOf(std::span<const core::Job> jobs,
                                           const core::Cluster& cluster, Truth truth,
                                           Duration longest_delay) {
  PlaceAndTime sum;
  for (const core::Job& job : jobs) {
    if (job.home.empty()) return std::nullopt;
    const auto one = OfJob(job, cluster, truth, longest_delay);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

}  // namespace ebb::sim
