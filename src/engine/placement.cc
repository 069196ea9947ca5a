#include "engine/placement.h"

#include <algorithm>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"

namespace ebb::engine {
namespace {

using core::GateRule;

constexpr Duration kRampWindow = std::chrono::minutes{5};
// The assumed remaining time of a job that overran its estimate, because nothing better is known.
constexpr Duration kOverrun = std::chrono::minutes{15};

std::size_t Index(int pool) { return static_cast<std::size_t>(pool); }

// The widths below one, widest first.
std::vector<core::WidthSpeed> NarrowerWidths(const core::Job& job, int devices) {
  if (!core::IsElastic(job)) return {};
  std::vector<core::WidthSpeed> widths = core::WidthsOf(job);
  std::erase_if(widths, [&](const core::WidthSpeed& width) { return width.devices >= devices; });
  std::reverse(widths.begin(), widths.end());
  return widths;
}

}  // namespace

Placer::Placer(const Options& options, const State& state, const std::vector<std::size_t>& holding,
               Time now)
    : options_(options),
      state_(state),
      holding_(holding),
      now_(now),
      free_(FreeDevices(state, holding)),
      free_before_(free_),
      reserved_(free_.size()) {
  for (const RecentStart& start : state.recent_starts)
    if (start.at > now - kRampWindow) ramp_used_w_ += start.power.watts;
}

Duration Placer::RunTimeOn(const LiveJob& live, int pool, int devices) const {
  const Duration overhead = live.pauses > 0 ? live.job.pause_cost : Duration::zero();
  return overhead + HeldOn(live, state_.cluster, pool, devices);
}

// A job that exceeds the limit alone may start if no other job has started.
bool Placer::RampAllows(Power power) {
  if (!options_.ramp_limit_per_5_minutes) return true;
  if (ramp_used_w_ == 0 || ramp_used_w_ + power.watts <= options_.ramp_limit_per_5_minutes->watts) {
    return true;
  }
  ramp_wake_at_ = now_ + kRampWindow;
  for (const RecentStart& start : state_.recent_starts)
    if (start.at > now_ - kRampWindow)
      ramp_wake_at_ = std::min(ramp_wake_at_, start.at + kRampWindow);
  return false;
}

bool Placer::PassesReservation(const LiveJob& live, int pool, int devices) const {
  const auto& kept = reserved_[Index(pool)];
  return !kept || devices <= kept->spare || now_ + RunTimeOn(live, pool, devices) <= kept->from;
}

bool Placer::RoomFor(const LiveJob& live, int pool, int devices) const {
  return free_[Index(pool)] >= devices && core::FitsAt(live.job, state_.cluster, pool, devices);
}

double Placer::GramsOn(const LiveJob& live, int pool) const {
  const Interval held{now_, now_ + RunTimeOn(live, pool, live.job.devices)};
  const core::HeldEnergy energy =
      core::EnergyOver(live.job, state_.cluster, live.last_site.value_or(-1), pool, held);
  double grams = 0;
  for (const core::EnergyPart& part : energy.parts()) {
    if (part.energy == Energy{}) continue;
    const auto mean = state_.signals[Index(part.site)].view.Mean(part.time);
    // If the intensity is unknown, energy decides.
    grams += EmissionsOf(part.energy, part.pue, mean ? mean->intensity : Intensity{1e6}).grams;
  }
  return grams;
}

// The pool with the fewest grams among those that keep the deadline; if none keeps it, among all.
int Placer::Choose(const Candidate& candidate, const LiveJob& live, const plan::JobPlan& plan,
                   int devices) const {
  if (plan.pool >= 0 && RoomFor(live, plan.pool, devices))
    return PassesReservation(live, plan.pool, devices) ? plan.pool : -1;
  // The planned place is taken. The job can wait, so it waits for that place.
  if (plan.pool >= 0 && !candidate.must_start) return -1;
  int only = -1;
  int best = -1;
  double best_grams = 0;
  bool best_in_time = false;
  for (int pool = 0; pool < static_cast<int>(free_.size()); ++pool) {
    if (!RoomFor(live, pool, devices) || !PassesReservation(live, pool, devices)) continue;
    if (best < 0 && only < 0) {  // with only one candidate pool, no grams are needed
      only = pool;
      continue;
    }
    for (const int option : {std::exchange(only, -1), pool}) {
      if (option < 0) continue;
      const bool in_time =
          !live.job.finish_by || now_ + RunTimeOn(live, option, devices) <= *live.job.finish_by;
      const double grams = GramsOn(live, option);
      if (best >= 0 && (best_in_time != in_time ? best_in_time : best_grams <= grams)) continue;
      best = option;
      best_grams = grams;
      best_in_time = in_time;
    }
  }
  return best >= 0 ? best : only;
}

GateRule Placer::WhyNot(const LiveJob& live, const plan::JobPlan& plan) const {
  GateRule why = GateRule::kNoFreeDevice;
  for (int pool = 0; pool < static_cast<int>(free_.size()); ++pool) {
    if (plan.pool >= 0 && pool != plan.pool) continue;
    const int devices = WantedWidth(live, plan);
    if (RoomFor(live, pool, devices)) return GateRule::kDevicesReserved;
    if (free_before_[Index(pool)] >= devices &&
        core::FitsAt(live.job, state_.cluster, pool, devices))
      why = GateRule::kBehindPriority;
  }
  return why;
}

// The moment at which enough devices of the pool are free if the jobs that hold them end as
// expected.
Placer::Reservation Placer::ReservationOn(const LiveJob& live, int pool) const {
  std::vector<std::pair<Time, int>> ends;
  for (const std::size_t index : holding_) {
    const LiveJob& other = *state_.live[index];
    if (other.pool != pool) continue;
    ends.emplace_back(ExpectedEnd(other, state_.cluster, now_).value_or(now_ + kOverrun),
                      other.width());
  }
  for (const Placement& placed : placed_) {
    const LiveJob& other = *state_.live[placed.index];
    const int devices = placed.devices > 0 ? placed.devices : other.job.devices;
    if (placed.pool == pool) ends.emplace_back(now_ + RunTimeOn(other, pool, devices), devices);
  }
  std::sort(ends.begin(), ends.end());
  Reservation reservation{now_, free_[Index(pool)] - live.job.devices};
  for (const auto& [end, devices] : ends) {
    if (reservation.spare >= 0) break;
    reservation = {end, reservation.spare + devices};
  }
  return reservation;
}

void Placer::Reserve(const LiveJob& live, const plan::JobPlan&) {
  std::optional<std::size_t> where;
  for (int pool = 0; pool < static_cast<int>(free_.size()); ++pool) {
    if (!core::Fits(live.job, state_.cluster, pool) || reserved_[Index(pool)]) continue;
    const Reservation reservation = ReservationOn(live, pool);
    if (reservation.spare < 0) continue;
    if (where && reserved_[*where]->from <= reservation.from) continue;
    if (where) reserved_[*where].reset();
    where = Index(pool);
    reserved_[*where] = reservation;
  }
}

Placement Placer::Place(const Candidate& candidate) {
  const LiveJob& live = *state_.live[candidate.index];
  const plan::JobPlan& plan = state_.schedule.jobs[candidate.index];
  Placement placement{candidate.index, -1, 0, GateRule::kRampLimit};
  if (ramp_closed_) return placement;
  int devices = WantedWidth(live, plan);
  int pool = Choose(candidate, live, plan, devices);
  // A job that must start takes fewer devices if the planned ones are not free.
  if (pool < 0 && candidate.must_start)
    for (const core::WidthSpeed& width : NarrowerWidths(live.job, devices)) {
      pool = Choose(candidate, live, plan, devices = width.devices);
      if (pool >= 0) break;
    }
  if (pool < 0) {
    placement.hold = WhyNot(live, plan);
    if (candidate.must_start) Reserve(live, plan);
    return placement;
  }
  const Power power = core::PowerOn(live.job, state_.cluster.pools[Index(pool)], devices);
  if (!RampAllows(power)) {
    // No job may overtake this one, because a smaller job would use up the power that it waits for.
    ramp_closed_ = true;
    return placement;
  }
  ramp_used_w_ += power.watts;
  free_[Index(pool)] -= devices;
  if (auto& kept = reserved_[Index(pool)];
      kept && now_ + RunTimeOn(live, pool, devices) > kept->from)
    kept->spare -= devices;
  placement.pool = pool;
  if (core::IsElastic(live.job)) placement.devices = devices;
  placed_.push_back(placement);
  return placement;
}

}  // namespace ebb::engine
