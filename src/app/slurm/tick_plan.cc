#include "app/slurm/tick_plan.h"

#include <algorithm>
#include <map>

#include "app/slurm/start_choice.h"
#include "slurm/jobs/job_comment.h"
#include "slurm/site/slurm_pools.h"

namespace ebb::app {
namespace {

using slurm::SlurmJob;
using slurm::SlurmNode;

// A move by less than this, or for less than this share, is not worth a change in Slurm.
constexpr Duration kLeastMove{std::chrono::minutes{5}};
constexpr double kLeastGain = 0.01;

// A job that a tick may move.
struct Movable {
  SlurmJob seen;
  std::string id;
  core::Job job;
  std::optional<Time> not_before{};
  StartChoice choice{};
};

// Slurm says the reason a moment after the job came or was changed.
bool WaitsForItsBegin(const SlurmJob& job) {
  return job.start && (job.reason == "BeginTime" || job.reason == "None" || job.reason.empty());
}

bool MayMove(const SlurmJob& job) {
  const slurm::JobComment comment = slurm::ReadComment(job.comment);
  return comment.is_for_ebb && comment.course == slurm::Course::kNone &&
         job.state == slurm::JobState::kPending && !job.is_held() && !job.has_dependency &&
         !job.has_reservation && WaitsForItsBegin(job);
}

// The components of a heterogeneous job are one job, which moves if all of them may.
std::vector<Movable> MovableJobs(const std::vector<SlurmJob>& pending,
                                 const std::vector<core::Tier>& tiers) {
  std::vector<std::vector<SlurmJob>> jobs;
  std::map<std::string, std::size_t> of_leader;
  for (const SlurmJob& job : pending) {
    const auto [found, is_new] = of_leader.try_emplace(job.leader, jobs.size());
    if (job.leader.empty() || is_new)
      jobs.push_back({job});
    else
      jobs[found->second].push_back(job);
  }
  slurm::JobDefaults defaults;
  defaults.tiers = tiers;
  std::vector<Movable> movable;
  for (const std::vector<SlurmJob>& components : jobs) {
    if (!std::ranges::all_of(components, MayMove)) continue;
    Movable one{components.front(), "", {}};
    for (auto other = components.begin() + 1; other != components.end(); ++other) {
      one.seen.gpus += other->gpus;
      one.seen.cores += other->cores;
    }
    one.id = one.seen.leader.empty() ? one.seen.id : one.seen.leader;
    slurm::JobWishes wishes = slurm::ReadWishes(one.seen, defaults);
    // A wish that cannot be read may be a deadline.
    if (!wishes.problems.empty()) continue;
    one.job = std::move(wishes.submission.job);
    one.not_before = wishes.not_before;
    movable.push_back(std::move(one));
  }
  return movable;
}

// The devices of the cluster over time, as far as jobs that a tick looks at take them.
class Room {
 public:
  Room(const std::vector<SlurmNode>& nodes, const std::vector<Movable>& jobs) {
    is_known_ = !nodes.empty();
    std::vector<SlurmNode> empty = nodes;
    for (SlurmNode& node : empty) node.used_cores = node.used_gpus = 0;
    pools_.Take(empty, {});
    free_.Take(nodes, {});
    if (is_known_) return;
    int all = 0;
    for (const Movable& job : jobs) all += job.job.devices;
    cluster_ = ClusterFor(all);
  }

  const core::Cluster& cluster() const { return is_known_ ? pools_.cluster() : cluster_; }
  std::vector<std::string> ModelsFor(const SlurmJob& job) const {
    return is_known_ ? pools_.ModelsFor(job) : std::vector<std::string>{};
  }
  bool HasRoomAtAll(const Movable& job) const { return !is_known_ || !job.job.models.empty(); }

  bool Fits(const Movable& job, Time start, Time now) const {
    if (!is_known_) return true;
    const int pool = PoolOf(job);
    if (start <= now && Used(pool, now) + job.job.devices > CountIn(free_, pool)) return false;
    int most = 0;
    const Interval time = TimeOf(job, start);
    for (const Taken& taken : taken_)
      if (taken.pool == pool && taken.time.begin >= time.begin && taken.time.begin < time.end)
        most = std::max(most, Used(pool, taken.time.begin));
    most = std::max(most, Used(pool, start));
    return most + job.job.devices <= CountIn(pools_, pool);
  }
  void Take(const Movable& job, Time start) {
    taken_.push_back({PoolOf(job), TimeOf(job, start), job.job.devices});
  }

 private:
  struct Taken {
    int pool = 0;
    Interval time;
    int devices = 0;
  };
  // Jobs whose ends and starts overlap by so little need not be apart: Slurm lets one wait for the
  // other.
  static Interval TimeOf(const Movable& job, Time start) {
    return {start, start + std::max(job.job.duration - kLeastMove, kLeastMove)};
  }
  int PoolOf(const Movable& job) const {
    return job.choice.pool >= 0 ? job.choice.pool : pools_.PoolOf(job.job.models);
  }
  static int CountIn(const slurm::SlurmPools& pools, int pool) {
    return pools.cluster().pools[static_cast<std::size_t>(pool)].count;
  }
  int Used(int pool, Time at) const {
    int used = 0;
    for (const Taken& taken : taken_)
      if (taken.pool == pool && taken.time.begin <= at && at < taken.time.end)
        used += taken.devices;
    return used;
  }

  bool is_known_ = false;
  slurm::SlurmPools pools_{core::Site{}}, free_{core::Site{}};
  core::Cluster cluster_;
  std::vector<Taken> taken_;
};

// Jobs are planned together, but for those that may not start yet: each of them is planned for the
// moment from which on it may.
void Choose(std::vector<Movable>& jobs, const Room& room, const core::SignalView& view,
            Time next_change) {
  std::vector<Movable*> together;
  std::vector<core::Job> planned;
  for (Movable& one : jobs) {
    if (one.not_before.value_or(view.now) <= view.now) {
      together.push_back(&one);
      planned.push_back(one.job);
      continue;
    }
    core::SignalView later = view;
    later.now = *one.not_before;
    core::Job alone = one.job;
    alone.models.clear();
    one.choice = ChooseStarts(ClusterFor(alone.devices), {alone}, later, next_change).front();
    one.choice.pool = -1;
  }
  const auto choices = ChooseStarts(room.cluster(), planned, view, next_change);
  for (std::size_t i = 0; i < together.size(); ++i) together[i]->choice = choices[i];
}

std::optional<Intensity> MeanAt(const core::SignalView& view, Time start, Duration length) {
  const auto mean = view.Mean({start, start + length});
  constexpr double kWhole = 0.999;
  return mean && mean->coverage > kWhole ? std::optional(mean->intensity) : std::nullopt;
}

// The time between the present start and the planned one.
Duration DistanceOf(const Movable& job) {
  const Duration later = job.choice.start - *job.seen.start;
  return later < Duration::zero() ? -later : later;
}

TickChange ChangeOf(const Movable& job, const core::SignalView& view) {
  TickChange change;
  change.id = job.id;
  change.name = job.seen.name;
  change.from = *job.seen.start;
  change.to = job.choice.start;
  change.latest = job.choice.latest;
  change.expected_from = MeanAt(view, change.from, job.job.duration);
  change.expected_to = job.choice.expected;
  return change;
}

bool IsWorthwhile(const TickChange& change) {
  if (change.from > change.latest) return true;
  if (!change.expected_to) return false;
  return !change.expected_from ||
         change.expected_to->g_per_kwh < change.expected_from->g_per_kwh * (1 - kLeastGain);
}

// True if not all jobs have room at their present starts.
bool IsCrowded(const std::vector<Movable>& jobs, Room room, Time now) {
  return std::ranges::any_of(jobs, [&](const Movable& job) {
    const bool fits = room.Fits(job, *job.seen.start, now);
    room.Take(job, *job.seen.start);
    return !fits;
  });
}

}  // namespace

std::vector<TickChange> PlanTick(const std::vector<SlurmJob>& pending,
                                 const std::vector<SlurmNode>& nodes, const core::SignalView& view,
                                 Time next_change, const std::vector<core::Tier>& tiers) {
  std::vector<Movable> jobs = MovableJobs(pending, tiers);
  Room room(nodes, jobs);
  for (Movable& job : jobs) job.job.models = room.ModelsFor(job.seen);
  std::erase_if(jobs, [&](const Movable& job) { return !room.HasRoomAtAll(job); });
  Choose(jobs, room, view, next_change);
  std::erase_if(jobs, [](const Movable& job) { return !job.choice.refused.empty(); });
  // If some cannot all start when they should, all go where the planner has room for them.
  // Otherwise only those move that gain, and those that stay keep their room.
  const bool is_crowded = IsCrowded(jobs, room, view.now);
  const auto moves = [&](const Movable& job) {
    return DistanceOf(job) >= kLeastMove && (is_crowded || IsWorthwhile(ChangeOf(job, view)));
  };
  std::ranges::stable_sort(
      jobs, {}, [&](const Movable& job) { return std::pair(moves(job), job.choice.start); });
  std::vector<TickChange> changes;
  for (const Movable& job : jobs) {
    const bool moved = moves(job) && room.Fits(job, job.choice.start, view.now);
    room.Take(job, moved ? job.choice.start : *job.seen.start);
    if (!moved) continue;
    changes.push_back(ChangeOf(job, view));
    changes.back().makes_room = !IsWorthwhile(changes.back());
  }
  return changes;
}

}  // namespace ebb::app
