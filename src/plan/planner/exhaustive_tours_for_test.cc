#include "plan/planner/exhaustive_tours_for_test.h"

#include <algorithm>
#include <cmath>

namespace ebb::plan::testing {
namespace {

double SitePrice(const Instance& instance, int site, int unit) {
  return instance.signals[static_cast<std::size_t>(site)]
      .At(instance.now + instance.unit * unit)
      ->intensity.g_per_kwh;
}

class Tours {
 public:
  Tours(const Instance& instance, const core::Job& job, std::vector<Way>& ways)
      : instance_(instance), job_(job), ways_(ways) {
    work_ = UnitsOf(job.duration);
    resume_ = UnitsOf(job.pause_cost);
    shortest_ = UnitsOf(std::max<Duration>(job.minimum_segment, std::chrono::hours{1}));
    latest_end_ = instance.units;
    if (job.finish_by) latest_end_ = std::min(latest_end_, UnitsOf(*job.finish_by - instance.now));
    if (job.start_by)
      latest_end_ = std::min(latest_end_, UnitsOf(*job.start_by - instance.now) + work_);
  }

  void AddAll() { Try(0, work_); }

 private:
  // A stretch of units on one pool; the first ones are the move.
  struct Piece {
    int pool = 0, first = 0, units = 0;
    OwnMove move;
  };

  int UnitsOf(Duration time) const { return static_cast<int>(time / instance_.unit); }
  int SiteOf(int pool) const {
    return instance_.cluster.pools[static_cast<std::size_t>(pool)].site;
  }

  // Adds a further piece at or after `unit`.
  void Try(int unit, int left) {
    for (int pool = 0; pool < static_cast<int>(instance_.cluster.pools.size()); ++pool) {
      if (!Fits(job_, instance_.cluster, pool) || !MayRunAt(job_, instance_.cluster.SiteOf(pool)))
        continue;
      const int last_site = pieces_.empty() ? -1 : SiteOf(pieces_.back().pool);
      const OwnMove move = OwnMoveOf(instance_, job_, last_site, pool);
      const int idle = move.units + (pieces_.empty() ? 0 : resume_);
      for (int first = unit; first < latest_end_; ++first) {
        if (pieces_.empty() && job_.start_by &&
            instance_.now + instance_.unit * (first + move.units) > *job_.start_by)
          break;
        const bool goes_on = !pieces_.empty() && pieces_.back().pool == pool && first == unit;
        if (!goes_on) TryPiece({pool, first, 0, move}, idle, left);
      }
    }
  }

  void TryPiece(Piece piece, int idle, int left) {
    for (int works = 1; works <= left; ++works) {
      piece.units = idle + works;
      if (piece.first + piece.units > latest_end_) return;
      if (piece.units < piece.move.units + shortest_) continue;
      pieces_.push_back(piece);
      if (works == left)
        AddWay();
      else
        Try(piece.first + piece.units, left - works);
      pieces_.pop_back();
    }
  }

  void AddWay() {
    const auto elsewhere = [&](const Piece& piece) {
      return SiteOf(piece.pool) != SiteOf(pieces_.front().pool);
    };
    if (std::ranges::none_of(pieces_, elsewhere)) return;
    Way way;
    for (const Piece& piece : pieces_)
      for (int i = 0; i < piece.units; ++i) {
        const int unit = piece.first + i;
        way.units.push_back(unit);
        way.pools.push_back(piece.pool);
        way.grams += i < piece.move.units
                         ? MovingGrams(instance_, job_, piece.move, piece.pool, unit)
                         : RunningGrams(instance_, job_, piece.pool, unit);
      }
    way.grams *= WeightOf(instance_, job_);
    ways_.push_back(std::move(way));
  }

  const Instance& instance_;
  const core::Job& job_;
  std::vector<Way>& ways_;
  int work_ = 0, resume_ = 0, shortest_ = 0, latest_end_ = 0;  // units
  std::vector<Piece> pieces_;
};

}  // namespace

OwnMove OwnMoveOf(const Instance& instance, const core::Job& job, int last_site, int pool) {
  OwnMove move;
  const core::Cluster& cluster = instance.cluster;
  const core::DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  if (job.home.empty()) return move;
  int home = 0;
  while (cluster.sites[static_cast<std::size_t>(home)].name != job.home) ++home;
  move.from = last_site >= 0 ? last_site : home;
  if (move.from == devices.site) return move;
  const core::Site& here = cluster.SiteOf(pool);
  const core::Site& from = cluster.sites[static_cast<std::size_t>(move.from)];
  double bytes = last_site >= 0 ? static_cast<double>(job.checkpoint_bytes) : 0;
  if (home != devices.site) bytes += static_cast<double>(job.file_bytes);
  const double seconds =
      bytes / std::min(*here.bytes_per_second, *from.bytes_per_second) + Seconds(here.set_up);
  move.units = static_cast<int>(std::lround(seconds / Seconds(instance.unit)));
  move.network_kwh = bytes * *cluster.joules_per_byte / 3.6e6;
  move.there_kwh = here.pue.ratio *
                   (here.set_up_energy.kwh() + devices.idle.watts * job.devices * seconds / 3.6e6);
  return move;
}

bool MayRunAt(const core::Job& job, const core::Site& site) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  for (const std::string& label : job.data)
    if (has(site.forbidden_data, label) ||
        (!site.allowed_data.empty() && !has(site.allowed_data, label)))
      return false;
  return !has(job.forbidden_sites, site.name);
}

double RunningGrams(const Instance& instance, const core::Job& job, int pool, int unit) {
  const core::DevicePool& devices = instance.cluster.pools[static_cast<std::size_t>(pool)];
  return EmissionsOf(EnergyOn(job, devices, instance.unit), instance.cluster.SiteOf(pool).pue,
                     {PreferredPriceOf(instance, job, pool, unit)})
      .grams;
}

double MovingGrams(const Instance& instance, const core::Job& job, const OwnMove& move, int pool,
                   int unit) {
  return (move.there_kwh * PreferredPriceOf(instance, job, pool, unit) +
          move.network_kwh * SitePrice(instance, move.from, unit)) /
         move.units;
}

void AddTours(const Instance& instance, const core::Job& job, std::vector<Way>& ways) {
  Tours(instance, job, ways).AddAll();
}

}  // namespace ebb::plan::testing
