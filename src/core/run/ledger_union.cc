#include "core/run/ledger_union.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/run/uncertainty.h"

namespace ebb::core {
namespace {

// Rank of a reading, best first. Ties fall to the names of the row, so that the order is total.
auto Rank(const UnionRow& item) {
  const LedgerRow& row = item.row;
  return std::tuple(row.source, !row.intensity.has_value(), row.intensity_status, item.run_id,
                    row.attempt, row.wall.begin, row.wall.end, row.energy.microjoules(),
                    item.machine, item.scope, row.device, row.component, row.grid.begin,
                    row.grid.end, row.pue.ratio, row.intensity.value_or(Intensity{}).g_per_kwh,
                    row.shared);
}

bool IsWhole(const UnionRow& item) { return !WayOf(item.row, item.scope).shared; }

// Rows that can stand for each other form a group: a GPU with a UUID on any machine, otherwise all
// devices of a component of one machine.
std::pair<std::string, Component> GroupOf(const UnionRow& item) {
  const std::string& device = item.row.device;
  const bool has_uuid = device.starts_with("gpu:GPU-") || device.starts_with("gpu:MIG-");
  return {has_uuid ? device : item.machine + "\n", item.row.component};
}

// A row of the set with the parts of it that count.
struct Candidate {
  const UnionRow* item;
  bool whole;
  std::vector<Interval> parts{};

  void Take(Interval part) {
    if (!parts.empty() && parts.back().end == part.begin)
      parts.back().end = part.end;
    else
      parts.push_back(part);
  }
};

struct BetterFirst {
  bool operator()(const Candidate* a, const Candidate* b) const {
    return Rank(*a->item) < Rank(*b->item);
  }
};

// The rows of one group that cover the current millisecond.
class Active {
 public:
  void Add(Candidate* candidate) {
    if (!candidate->whole) {
      shares_.insert(candidate);
      return;
    }
    whole_[candidate->item->row.device].insert(candidate);
    if (IsSensor(*candidate)) ++sensors_;
  }
  void Remove(Candidate* candidate) {
    if (!candidate->whole) {
      shares_.erase(candidate);
      return;
    }
    const auto device = whole_.find(candidate->item->row.device);
    device->second.erase(candidate);
    if (device->second.empty()) whole_.erase(device);
    if (IsSensor(*candidate)) --sensors_;
  }
  void Count(Interval part) const {
    for (const auto& [device, rows] : whole_) {
      Candidate* best = *rows.begin();
      if (sensors_ == 0 || IsSensor(*best)) best->Take(part);
    }
    for (Candidate* share : shares_)
      if (!IsInWhole(share->item->row)) share->Take(part);
  }

 private:
  // A share of a GPU is a part of that GPU. A share of processors or memory is a part of all of
  // them.
  bool IsInWhole(const LedgerRow& share) const {
    return share.component == Component::kGpu ? whole_.contains(share.device) : !whole_.empty();
  }
  static bool IsSensor(const Candidate& candidate) {
    return candidate.item->row.source != EnergySource::kModel;
  }
  std::map<std::string, std::set<Candidate*, BetterFirst>> whole_;
  std::set<Candidate*, BetterFirst> shares_;
  int sensors_ = 0;  ///< rows of sensors among the whole ones
};

// True if the energy of a row without a length is already in another run's row.
bool IsCoveredInstant(const Candidate& instant, const std::vector<Candidate>& group) {
  const Time at = instant.item->row.wall.begin;
  return std::any_of(group.begin(), group.end(), [&](const Candidate& other) {
    if (&other == &instant || !other.whole || other.item->run_id == instant.item->run_id)
      return false;
    const bool is_of_device = instant.whole || instant.item->row.component == Component::kGpu;
    if (is_of_device && other.item->row.device != instant.item->row.device) return false;
    const Interval wall = other.item->row.wall;
    if (wall.contains(at)) return true;
    return wall.begin == at && wall.end == at &&
           (!instant.whole || BetterFirst()(&other, &instant));
  });
}

void CountGroup(std::vector<Candidate>& group) {
  std::map<Time, std::pair<std::vector<Candidate*>, std::vector<Candidate*>>> changes;
  for (Candidate& candidate : group) {
    const Interval wall = candidate.item->row.wall;
    if (wall.length() > Duration::zero()) {
      changes[wall.end].first.push_back(&candidate);
      changes[wall.begin].second.push_back(&candidate);
    } else if (!IsCoveredInstant(candidate, group)) {
      candidate.Take(wall);
    }
  }
  Active active;
  Time since{};
  for (const auto& [time, change] : changes) {
    active.Count({since, time});
    for (Candidate* ended : change.first) active.Remove(ended);
    for (Candidate* begun : change.second) active.Add(begun);
    since = time;
  }
}

// The grid time at `wall` of a row, by the linear map between its two intervals.
Time WallToGrid(Time wall, const LedgerRow& row) {
  if (wall == row.wall.end) return row.grid.end;
  const double share = Seconds(wall - row.wall.begin) / Seconds(row.wall.length());
  return row.grid.begin + DurationFromSeconds(share * Seconds(row.grid.length()));
}

UnionRow PartOf(const UnionRow& item, Interval part) {
  if (part == item.row.wall) return item;
  UnionRow cut = item;
  cut.row.energy = Share(item.row.energy, item.row.wall, part);
  cut.row.grid = {WallToGrid(part.begin, item.row), WallToGrid(part.end, item.row)};
  cut.row.wall = part;
  return cut;
}

bool SetOrder(const UnionRow& a, const UnionRow& b) {
  return std::tuple(a.row.wall.begin, Rank(a)) < std::tuple(b.row.wall.begin, Rank(b));
}

}  // namespace

std::vector<UnionRow> United(std::vector<UnionRow> a, const std::vector<UnionRow>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end(), SetOrder);
  const auto same = [](const UnionRow& x, const UnionRow& y) { return Rank(x) == Rank(y); };
  a.erase(std::unique(a.begin(), a.end(), same), a.end());
  return a;
}

std::vector<CountedPart> CountedParts(const std::vector<UnionRow>& set) {
  std::map<std::pair<std::string, Component>, std::vector<Candidate>> groups;
  for (const UnionRow& item : set) groups[GroupOf(item)].push_back({&item, IsWhole(item)});
  std::vector<CountedPart> counted;
  for (auto& [key, group] : groups) {
    CountGroup(group);
    for (const Candidate& candidate : group)
      for (const Interval part : candidate.parts)
        counted.push_back({static_cast<std::size_t>(candidate.item - set.data()), part});
  }
  return counted;
}

std::vector<UnionRow> Counted(const std::vector<UnionRow>& set) {
  std::vector<UnionRow> counted;
  for (const CountedPart& part : CountedParts(set))
    counted.push_back(PartOf(set[part.row], part.wall));
  std::sort(counted.begin(), counted.end(), SetOrder);
  return counted;
}

}  // namespace ebb::core
