// Starts that other sites keep (start_order.h): the part of the executor that sends jobs ahead of
// their start. Until such an attempt begins, nothing of it counts as running. Its follower
// (sites/home/follower.h) reads from the plan what is to become of it, and tells in attempt-N.site
// how far it is.

#include <algorithm>

#include "local/job_start.h"
#include "local/supervised_executor.h"
#include "platform/file_lock.h"
#include "platform/path_facts.h"

namespace ebb::local {
namespace {

// Times of a plan are worked out anew with each decision.
constexpr Duration kSameTime{std::chrono::seconds{5}};
constexpr Duration kBetweenOrders{std::chrono::minutes{1}};

bool IsNear(Time a, Time b) { return std::chrono::abs(a - b) <= kSameTime; }

bool HasDeadline(const core::Job& job) { return job.start_by || job.finish_by; }

}  // namespace

bool WaitsAtSite(const AttemptPlan& plan, const SiteState& state) {
  return plan.place && plan.place->order && !state.start_was_sent &&
         state.order != OrderStage::kAlone && state.order != OrderStage::kBegun;
}

void SupervisedExecutor::KeepStarts(const std::vector<StartWish>& wishes) {
  std::set<core::JobId> wanted;
  for (const StartWish& wish : wishes)
    if (KeepStart(wish)) wanted.insert(wish.job);
  for (const core::JobId job : kept_)
    if (!wanted.contains(job)) TakeBack(entries_.at(job));
}

// True: the site has this order, or gets it.
bool SupervisedExecutor::KeepStart(const StartWish& wish) {
  const auto found = entries_.find(wish.job);
  if (found == entries_.end() || !options_.other_sites) return false;
  Entry& entry = found->second;
  const bool is_over = entry.last_report && entry.last_report->attempt >= wish.attempt;
  if (entry.program || is_over || !HasDeadline(entry.local.job())) return false;
  if (IsWatchedHere(entry.local.submission->budget)) return false;
  if (!entry.order) return Stage(entry, wish);
  StartOrder& order = *entry.order->place->order;
  const bool is_same = entry.order->attempt == wish.attempt && !order.is_taken_back &&
                       SiteOf(entry.order->pool) == SiteOf(wish.pool);
  if (!is_same) return false;
  const StartOrder now = OrderFor(wish, order.number);
  if (IsNear(now.planned, order.planned) && IsNear(now.latest, order.latest)) return true;
  order = now;
  std::ignore = WritePlan({entry.local.directory, wish.attempt}, *entry.order);
  return true;
}

StartOrder SupervisedExecutor::OrderFor(const StartWish& wish, std::int64_t number) const {
  const auto to_wall = [&](Time grid) { return clock_.wall().Now() + clock_.ToWall(grid - Now()); };
  const core::DevicePool& pool = cluster().pools[static_cast<std::size_t>(wish.pool)];
  const bool has_gpus = !devices_.NamesOf(wish.pool).empty();
  return {number, to_wall(wish.planned), to_wall(wish.latest),
          has_gpus ? 0 : pool.count + pool.away, false};
}

// Orders have slots of their own. What runs in them now is over by then, or is waited for.
std::set<int> SupervisedExecutor::SlotsOfOrders(int pool) const {
  std::set<int> taken;
  for (const core::JobId job : kept_) {
    const AttemptPlan& other = *entries_.at(job).order;
    if (other.pool == pool) taken.insert(other.slots.begin(), other.slots.end());
  }
  return taken;
}

bool SupervisedExecutor::Stage(Entry& entry, const StartWish& wish) {
  if (SinceBoot() < entry.no_order_before || SiteOf(wish.pool) == 0) return false;
  entry.no_order_before = SinceBoot() + kBetweenOrders;
  auto slots = SlotsFor(entry.local.job(), devices_.ClusterWith(Held()), wish.pool,
                        devices_.SlotsOf(wish.pool), SlotsOfOrders(wish.pool));
  if (!slots) return false;
  auto plan = PlanFor(entry, {wish.job, wish.attempt, wish.pool}, *std::move(slots));
  if (!plan || !plan->place) return false;
  plan->place->order = OrderFor(wish, clock_.wall().Now().time_since_epoch().count());
  if (!Launch(entry, *plan)) return false;
  entry.order = *std::move(plan);
  entry.followed_at = SinceBoot();
  kept_.insert(wish.job);
  return true;
}

void SupervisedExecutor::TakeBack(Entry& entry) {
  StartOrder& order = *entry.order->place->order;
  if (order.is_taken_back) return;
  order.is_taken_back = true;
  // On a full disk it is tried again with the next decision.
  if (!WritePlan({entry.local.directory, entry.order->attempt}, *entry.order))
    order.is_taken_back = false;
}

// The order stays known until the site has confirmed that the job does not run there.
void SupervisedExecutor::CancelOrder(Entry& entry) {
  std::ignore = WriteAsked({entry.local.directory, entry.order->attempt}, EndRequest::kCancel);
  TakeBack(entry);
  entry.start_after.reset();
  entry.is_forgotten = true;
}

// The attempt starts where its files are, or at another place once its start there is taken back.
Status SupervisedExecutor::StartKept(Entry& entry, const engine::StartJob& command) {
  if (command.attempt != entry.order->attempt) {
    TakeBack(entry);
    return Fail({ExitCode::kTryLater, "its start is being taken back",
                 "site " + entry.order->place->site, ""});
  }
  const bool is_there = SiteOf(command.pool) == SiteOf(entry.order->pool) &&
                        !entry.order->place->order->is_taken_back;
  if (!is_there) {
    TakeBack(entry);
    entry.start_after = command;
    return {};
  }
  AttemptPlan plan = *entry.order;
  if (auto slots = FreeSlots(AtWidth(entry.local.job(), command.devices), command.pool))
    if (auto now = PlanFor(entry, command, *std::move(slots)); now && now->place)
      plan = *std::move(now);
  plan.place->order.reset();
  EBB_RETURN_IF_ERROR(WritePlan({entry.local.directory, plan.attempt}, plan));
  *entry.order = std::move(plan);
  TakeOrder(entry);
  return {};
}

// From here on the attempt counts as one that runs there.
void SupervisedExecutor::TakeOrder(Entry& entry) {
  AttemptPlan plan = *std::move(entry.order);
  entry.order.reset();
  entry.order_is_said = false;
  entry.start_after.reset();
  kept_.erase(plan.job);
  const AttemptPaths paths{entry.local.directory, plan.attempt};
  SetBegin(plan, paths);
  Watch(entry, std::move(plan), FollowerOf(paths));
  entry.followed_at = SinceBoot();
  reports_.push_back(*entry.last_report);
  Wake();
}

// The site may have started it a while ago.
void SupervisedExecutor::SetBegin(AttemptPlan& plan, const AttemptPaths& paths) const {
  EnergyTail tail(paths.energy());
  std::ignore = tail.Read();
  plan.since = Now();
  if (tail.header()) plan.since = std::min(plan.since, clock_.ToGrid(tail.header()->wall_begin));
  plan.since_boot = SinceBoot() - clock_.ToWall(Now() - plan.since);
}

std::optional<platform::ProcessWatch> SupervisedExecutor::FollowerOf(const AttemptPaths& paths) {
  if (!platform::FileLock::IsHeld(paths.lock())) return std::nullopt;
  const auto pid = SupervisorOf(paths);
  auto watch = pid ? platform::ProcessWatch::Open(*pid) : std::nullopt;
  // While the supervisor holds the lock, its pid cannot belong to another process.
  if (!platform::FileLock::IsHeld(paths.lock())) watch.reset();
  return watch;
}

void SupervisedExecutor::LookAtOrders() {
  const std::set<core::JobId> kept = kept_;
  for (const core::JobId job : kept) {
    Entry& entry = entries_.at(job);
    const AttemptPlan& plan = *entry.order;
    const AttemptPaths paths{entry.local.directory, plan.attempt};
    const SiteState state = ReadSiteState(paths);
    if (!WaitsAtSite(plan, state)) {
      const bool is_alone = state.order == OrderStage::kAlone;
      options_.say(job, "site " + plan.place->site +
                            (is_alone ? " cannot be reached, and starts it by itself by " +
                                            FormatTime(plan.place->order->latest)
                                      : " has started it by itself"));
      TakeOrder(entry);
    } else if (!platform::FileLock::IsHeld(paths.lock())) {
      if (platform::Exists(paths.end()))
        DropOrder(entry);
      else
        FollowAgain(entry, plan);
    } else if (state.order == OrderStage::kKept && !std::exchange(entry.order_is_said, true)) {
      options_.say(job, "site " + plan.place->site + " has its files, and starts it by itself by " +
                            FormatTime(plan.place->order->latest) + " if the connection breaks");
    }
  }
}

// The site does not start the attempt any more, so its number is free.
void SupervisedExecutor::DropOrder(Entry& entry) {
  const core::JobId job = entry.order->job;
  const AttemptPaths paths{entry.local.directory, entry.order->attempt};
  // The plan goes last: what is left after a crash is found by it.
  std::error_code ignored;
  for (const auto& file : {paths.site(), paths.asked(), paths.sent(), paths.end(), paths.plan()})
    std::filesystem::remove(file, ignored);
  entry.order.reset();
  entry.order_is_said = false;
  kept_.erase(job);
  const auto start = std::exchange(entry.start_after, std::nullopt);
  if (entry.is_forgotten) return void(entries_.erase(job));
  if (!start) return;
  const Status begun = Start(*start);
  if (begun) return;
  const Error& why = begun.error();
  Report(entry, {job, start->attempt, engine::JobPhase::kStartFailed, start->pool, Now(),
                 static_cast<int>(why.code), why.Message(), why.code == ExitCode::kTryLater});
}

}  // namespace ebb::local
