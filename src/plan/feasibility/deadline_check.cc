#include "plan/feasibility/deadline_check.h"

#include <algorithm>

#include "plan/feasibility/feasibility.h"
#include "plan/planner/construct.h"
#include "plan/planner/planner.h"

namespace ebb::plan {
namespace {

// A room is valid only this long: it assumes that jobs run as soon as possible, while real jobs
// wait for cleaner power.
constexpr Duration kFresh = std::chrono::minutes{1};
constexpr std::size_t kMostRefused = 100;

double LateHoursAsSoonAsPossible(const PlanInput& input) {
  Work work;
  return PlaceAsSoonAsPossible(input, work).Total().late;
}

}  // namespace

DeadlineCheck::DeadlineCheck(const Problem& queue)
    : quick_check_(queue), jobs_(queue.jobs.size()) {}

DeadlineCheck::Room DeadlineCheck::MakeRoom(const Problem& queue) {
  const PlanInput input = FlatInput(queue);
  Work work;
  const Draft draft = PlaceInOrderOfSubmission(input, work);
  Room room;
  room.since = queue.now;
  room.grid = input.grid;
  room.profiles = ProfilesOf(draft, input);
  for (const int devices : input.devices_in_pool) room.devices += devices;
  for (const Task& task : input.tasks)
    if (const auto load = LoadOf(task)) room.loads.push_back(*load);
  std::sort(room.loads.begin(), room.loads.end(), Before);
  room.in_time = draft.Total().late == 0;
  room.reordered = !room.in_time && LateHoursAsSoonAsPossible(input) == 0;
  return room;
}

bool DeadlineCheck::IsOverfullWith(const Task& task, Time now) const {
  const auto load = LoadOf(task);
  if (!load) return false;
  std::vector<Load> loads = room_->loads;
  loads.insert(std::upper_bound(loads.begin(), loads.end(), *load, Before), *load);
  return IsTooMuch(loads, room_->devices, now);
}

// True if the job asks for no less than a job that was refused.
bool DeadlineCheck::AsksForNoLess(const core::Job& job) const {
  const auto no_later = [](const std::optional<Time>& asked, const std::optional<Time>& refused) {
    return !refused || (asked && *asked <= *refused);
  };
  return std::any_of(room_->refused.begin(), room_->refused.end(), [&](const core::Job& refused) {
    return job.devices >= refused.devices && job.duration >= refused.duration &&
           no_later(job.start_by, refused.start_by) && no_later(job.finish_by, refused.finish_by) &&
           job.sites == refused.sites && job.forbidden_sites == refused.forbidden_sites &&
           job.data == refused.data && job.home == refused.home &&
           job.file_bytes >= refused.file_bytes && job.models == refused.models &&
           job.overrides.empty() && refused.overrides.empty() && job.speedup == refused.speedup &&
           job.learned_speedup == refused.learned_speedup;
  });
}

// True if the queue with the job can be in time when all jobs may move.
bool DeadlineCheck::FitsIfOthersMove(const core::Job& job, const Problem& queue) {
  std::vector<JobView> views(queue.jobs.begin(), queue.jobs.end());
  views.push_back(WaitingView(job));
  Problem with = queue;
  with.jobs = views;
  if (LateHoursAsSoonAsPossible(FlatInput(with)) == 0) return true;
  if (room_->refused.size() < kMostRefused) room_->refused.push_back(job);
  return false;
}

Status DeadlineCheck::Check(const core::Job& job, const core::Cluster& cluster, Time now,
                            const std::function<Problem()>& queue) {
  if (quick_check_.Holds(job, cluster, now)) return {};
  if (jobs_ <= PlannerOptions{}.exact_up_to) return CheckDeadline(job, queue());
  if (!room_ || now >= room_->since + kFresh) {
    const Problem problem = queue();
    quick_check_ = QuickFeasibility(problem);
    if (quick_check_.Holds(job, cluster, now)) return {};
    room_ = MakeRoom(problem);
  }
  const JobView view = WaitingView(job);
  const Task task = TaskOf(view, cluster, now);
  const auto place = EarliestPlace(room_->profiles, task, now);
  if (place && place->in_time && !room_->reordered) return {};
  const bool open =
      (room_->in_time || room_->reordered) && !IsOverfullWith(task, now) && !AsksForNoLess(job);
  if (open && FitsIfOthersMove(job, queue())) {
    room_.reset();
    return {};
  }
  return CannotKeepDeadline(job, cluster, place ? std::optional(place->time.begin) : std::nullopt);
}

void DeadlineCheck::Add(const core::Job& job, const core::Cluster& cluster, Time now) {
  const bool sure = room_ && quick_check_.Holds(job, cluster, now);
  quick_check_.Add(job, cluster, now);
  ++jobs_;
  if (!room_) return;
  const JobView view = WaitingView(job);
  const Task task = TaskOf(view, cluster, now);
  const auto place = EarliestPlace(room_->profiles, task, now);
  // The job can be in time, but only if other jobs make room for it, so the room is not valid any
  // more.
  if (!place || (sure && !place->in_time)) return room_.reset();
  const Time end = place->time.end, line = end - end.time_since_epoch() % room_->grid;
  room_->profiles[static_cast<std::size_t>(place->pool)].Take(
      {place->time.begin, line == end ? end : line + room_->grid}, place->width);
  if (!place->in_time) room_->in_time = false;
  const auto load = LoadOf(task);
  if (load)
    room_->loads.insert(std::upper_bound(room_->loads.begin(), room_->loads.end(), *load, Before),
                        *load);
}

}  // namespace ebb::plan
