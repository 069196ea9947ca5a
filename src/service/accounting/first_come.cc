#include "service/accounting/first_come.h"

#include <algorithm>
#include <map>

#include "core/ledger/counterfactual.h"
#include "core/run/accounting.h"
#include "core/run/uncertainty.h"
#include "plan/problem/capacity_profile.h"

namespace ebb::service {
namespace {

constexpr std::int64_t kMostPieces = 512;
// Supervisors measure jobs with this scope.
constexpr core::MeterScope kScope = core::MeterScope::kProcessTree;

double BoundOf(const core::LedgerRow& row) { return core::RelativeBound(core::WayOf(row, kScope)); }

// The earliest time, from `from` on, at which `width` devices are free for `length`. The last piece
// of a profile never ends.
std::optional<Time> EarliestFit(const plan::CapacityProfile& profile, Time from, Duration length,
                                int width) {
  Time begin = from;
  for (std::size_t piece = profile.PieceAt(from); piece < profile.pieces().size(); ++piece) {
    const Time end = profile.EndOf(piece);
    if (profile.pieces()[piece].free < width)
      begin = end;
    else if (end == Time::max() || end - begin >= length)
      return begin;
  }
  return std::nullopt;
}

// When the job is submitted and its predecessors would have ended; nothing: one never ends.
std::optional<Time> Release(const ComingJob& job,
                            const std::map<core::JobId, std::optional<Time>>& ends) {
  Time release = job.submitted;
  for (const core::JobId before : job.after) {
    const auto found = ends.find(before);
    if (found == ends.end()) continue;
    if (!found->second) return std::nullopt;
    release = std::max(release, *found->second);
  }
  return release;
}

}  // namespace

std::vector<std::optional<Time>> FirstComeStarts(std::span<const ComingJob> jobs,
                                                 const core::Cluster& cluster,
                                                 std::span<const TakenPlace> taken) {
  std::vector<std::optional<Time>> starts(jobs.size());
  Time begin = Time::max();
  for (const ComingJob& job : jobs) begin = std::min(begin, job.submitted);
  std::vector<plan::CapacityProfile> pools;
  for (const core::DevicePool& pool : cluster.pools) pools.emplace_back(begin, pool.count);
  std::map<core::JobId, std::optional<Time>> ends;
  for (const TakenPlace& one : taken) {
    ends[one.id] = one.place.end;
    const auto pool = static_cast<std::size_t>(one.pool);
    const Interval from_here{std::max(one.place.begin, begin), one.place.end};
    if (one.pool >= 0 && pool < pools.size() && from_here.begin < from_here.end)
      pools[pool].Take(from_here, one.devices);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ComingJob& job = jobs[i];
    std::optional<Time>& end = ends[job.id];
    const auto pool = static_cast<std::size_t>(job.pool);
    const auto release = Release(job, ends);
    if (job.pool < 0 || pool >= pools.size() || !release) continue;
    starts[i] = EarliestFit(pools[pool], *release, job.length, job.devices);
    if (!starts[i]) continue;
    end = *starts[i] + job.length;
    pools[pool].Take({*starts[i], *end}, job.devices);
  }
  return starts;
}

EnergyProfile::EnergyProfile(const std::vector<core::LedgerRow>& rows) {
  const std::vector<Interval> places = core::MovedTo(rows, Time{});
  for (const Interval& place : places)
    length_ = std::max(length_, Duration{place.end.time_since_epoch()});
  const Duration::rep seconds = length_ / std::chrono::seconds{1};
  facility_kwh_.resize(
      static_cast<std::size_t>(std::clamp<Duration::rep>(seconds, 1, kMostPieces)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    has_unknown_ = has_unknown_ || !rows[i].intensity;
    if (i == 0 || BoundOf(rows[i]) > BoundOf(least_sure_)) least_sure_ = rows[i];
    Spread(places[i], rows[i].energy.kwh() * rows[i].pue.ratio);
  }
}

Interval EnergyProfile::Piece(std::size_t index, Time start) const {
  const auto at = [&](std::size_t i) {
    return start + length_ * static_cast<Duration::rep>(i) /
                       static_cast<Duration::rep>(facility_kwh_.size());
  };
  return {at(index), at(index + 1)};
}

// Spreads the energy of a row over the pieces that it overlaps. On a replayed clock a row is often
// longer than a piece.
void EnergyProfile::Spread(Interval place, double kwh) {
  const double length = Seconds(place.length());
  std::size_t piece = 0;
  if (length_ > Duration::zero())
    piece = static_cast<std::size_t>(static_cast<double>(facility_kwh_.size()) *
                                     (Seconds(place.begin - Time{}) / Seconds(length_)));
  piece = piece > 0 ? std::min(piece, facility_kwh_.size()) - 1
                    : 0;  // stays inside in spite of rounding
  if (length <= 0) facility_kwh_[piece] += kwh;
  for (; length > 0 && piece < facility_kwh_.size(); ++piece) {
    const Interval here = Piece(piece, Time{});
    if (here.begin >= place.end) break;
    facility_kwh_[piece] += kwh * Seconds(Overlap(place, here).length()) / length;
  }
}

std::optional<Emissions> EnergyProfile::At(Time start, const core::IntensitySeries& signal) const {
  constexpr double kAllOfIt = 1 - 1e-9;
  Emissions emissions;
  for (std::size_t piece = 0; piece < facility_kwh_.size(); ++piece) {
    Interval place = Piece(piece, start);
    place.end = std::max(
        place.end,
        place.begin + Duration{1});  // an interval of no length has the value of its moment
    const auto mean = signal.Mean(place);
    if (!mean || mean->coverage < kAllOfIt) return std::nullopt;
    emissions += Emissions{facility_kwh_[piece] * mean->intensity.g_per_kwh};
  }
  return emissions;
}

std::vector<core::LedgerRow> EnergyProfile::RowsIn(const std::vector<Interval>& stretches,
                                                   const core::IntensitySeries& signal) const {
  std::vector<core::LedgerRow> rows;
  std::size_t stretch = 0;
  Duration before{0};  // running time in earlier stretches
  for (std::size_t piece = 0; piece < facility_kwh_.size(); ++piece) {
    const Interval place = Piece(piece, Time{});
    const Duration offset = place.begin - Time{};
    while (stretch + 1 < stretches.size() && offset >= before + stretches[stretch].length())
      before += stretches[stretch++].length();
    core::LedgerRow& row = rows.emplace_back(least_sure_);
    const Time begin = stretches[stretch].begin + (offset - before);
    row.grid = {begin, begin + std::max(place.length(), Duration{1})};
    row.wall = row.grid;
    row.energy = Energy::Joules(facility_kwh_[piece] * 3.6e6);
    row.pue = {};
  }
  return core::Revalued(rows, signal);
}

double EnergyProfile::HalfWidthOfSaving(const std::vector<Interval>& stretches, Time start,
                                        const core::IntensitySeries& signal) const {
  if (stretches.empty()) return 0;
  return core::HalfWidthOfDifference(RowsIn({{start, start + length_}}, signal),
                                     RowsIn(stretches, signal), kScope);
}

}  // namespace ebb::service
