// Takes reports of executors. Reports come late, twice, in the wrong order, or not at all. The
// engine takes a report if it says something new about the attempt that the engine knows, and
// ignores it otherwise. When the executor says everything it knows, the engine finds the reports
// that never came.

#include <algorithm>
#include <string>

#include "core/jobs/widths.h"
#include "engine/apply.h"

namespace ebb::engine {
namespace {

// The width at which the attempt runs; 0: the report does not say, or it is none of the job's.
int ReportedWidth(const LiveJob& live, const JobReport& report) {
  if (report.devices <= 0 || !core::IsElastic(live.job)) return 0;
  const auto widths = core::WidthsOf(live.job);
  const auto found = std::ranges::find(widths, report.devices, &core::WidthSpeed::devices);
  return found == widths.end() ? 0 : report.devices;
}

bool IsNews(const LiveJob& live, const JobReport& report) {
  if (report.phase == JobPhase::kStarting) return false;
  // A later attempt than the engine remembers comes from a life whose journal is lost.
  if (report.attempt != live.attempt) return report.attempt > live.attempt;
  if (live.attempt_over) return false;
  if (report.phase == JobPhase::kFrozen)
    return !IsFrozen(live) && live.stage != Stage::kStarting;  // a starting attempt is about to go
                                                               // on
  // Running is also news about an attempt that counted as lost, or that runs at another width.
  const int width = ReportedWidth(live, report);
  return report.phase != JobPhase::kRunning || live.stage == Stage::kStarting ||
         !HoldsDevices(live.stage) ||
         (live.stage == Stage::kRunning && width > 0 && width != live.width());
}

Duration BackOff(const Options& options, int failures) {
  return options.retry_after * (std::int64_t{1} << std::min(failures - 1, 10));
}

void FailJob(Folding& fold, std::size_t index, Time at, int exit_code, std::string detail) {
  const core::JobId id = fold.state.live[index]->job.id;
  EndJob(fold, index, Stage::kFailed, at);
  EndedJob& ended = fold.state.ended.at(id);
  ended.exit_code = exit_code;
  ended.detail = std::move(detail);
}

// An attempt that began to run has brought the job's files to its site.
void LeaveDevices(LiveJob& live, const core::Cluster& cluster, Time at) {
  if (live.stage != Stage::kStarting && live.pool >= 0)
    live.last_site = cluster.pools[static_cast<std::size_t>(live.pool)].site;
  live.moving = Duration::zero();
  live.stage = live.pauses > 0 ? Stage::kPaused : Stage::kWaiting;
  live.since = at;
  live.pool = -1;
  live.devices = 0;
  live.command_due = false;
}

// The job keeps its attempt and its devices; its work so far counts.
void TakeFrozen(LiveJob& live, const core::Cluster& cluster, const JobReport& report) {
  if (!HoldsDevices(live)) live.pool = report.pool;
  if (!live.first_start) live.first_start = live.segment_begin;
  live.remaining = RemainingAt(live, cluster, report.since);
  live.moving = std::max(Duration::zero(), live.segment_begin + live.moving - report.since);
  ++live.pauses;
  live.stage = Stage::kPaused;
  live.since = report.since;
  live.command_due = live.cancel_wanted;
}

// True if the attempt runs at another site than was asked, which had its start in keeping.
bool RunsElsewhere(const LiveJob& live, const core::Cluster& cluster, const JobReport& report) {
  const auto is_known = [&](int pool) { return pool >= 0 && pool < std::ssize(cluster.pools); };
  if (!is_known(live.pool) || !is_known(report.pool)) return false;
  return cluster.pools[static_cast<std::size_t>(live.pool)].site !=
         cluster.pools[static_cast<std::size_t>(report.pool)].site;
}

// An attempt that runs at another width than its start said was refused that width. The job does
// not ask for it for a while, nor for one beyond it. A later change comes from somebody else,
// unless the report says why the attempt did not get its width.
void TakeWidth(State& state, LiveJob& live, const JobReport& report) {
  const int devices = ReportedWidth(live, report);
  if (devices == 0) return;
  const bool is_later = live.stage == Stage::kRunning && report.since > live.segment_begin;
  if (is_later && report.detail.empty()) {
    live.remaining = RemainingAt(live, state.cluster, report.since);
    live.devices = devices;
    return;
  }
  const int wanted = HoldsDevices(live.stage) ? live.width() : devices;
  live.devices = devices;
  if (devices != wanted) RefuseWidths(state, live.job, wanted, devices < wanted, report.since);
}

void TakeRunning(State& state, LiveJob& live, const JobReport& report) {
  const core::Cluster& cluster = state.cluster;
  TakeWidth(state, live, report);
  if (!HoldsDevices(live.stage)) live.pool = report.pool;
  if (RunsElsewhere(live, cluster, report)) {
    live.pool = report.pool;
    live.moving = Duration::zero();
  }
  live.stage = Stage::kRunning;
  live.since = report.since;
  live.segment_begin = report.since;
  if (!live.first_start) live.first_start = report.since;
  if (!live.cancel_wanted) live.command_due = false;
}

// The way by which a report came. An attempt whose end is found only when the executor is looked at
// may have ended together with the executor.
enum class Source { kReported, kFound };

// Counts an end of an attempt that nobody asked for. True if the job does hardly anything but end.
// A program that pauses after every part of its work is fine as long as the parts add up.
bool KeepsEnding(const Options& options, LiveJob& live, Duration remaining_before) {
  if (live.unasked_pauses++ == 0) live.unasked_remaining = remaining_before;
  if (live.unasked_pauses < options.unasked_pauses) return false;
  live.unasked_pauses = 0;
  return live.unasked_remaining - live.remaining < live.job.duration / 10;
}

std::string KeepsPausingText(const Options& options) {
  return "paused " + std::to_string(options.unasked_pauses) +
         " times in a row without being asked, with hardly any work done: it has to go on from its "
         "checkpoint, and to report success rather than a pause when it is done";
}

// The attempt left no trace of work, so the engine retries it after a while, a limited number of
// times. An attempt that ran for longer than that wait did start, and something from outside ended
// it, for example a restart of the machine. This may happen more often in a long life. If the
// machine itself could not start the attempt, the engine retries for ever.
void Retry(Folding& fold, std::size_t index, Time at, int exit_code, std::string why,
           bool machine_trouble = false) {
  LiveJob& live = fold.Change(index);
  if (live.cancel_wanted) return EndJob(fold, index, Stage::kCancelled, at);
  if (machine_trouble) {
    LeaveDevices(live, fold.state.cluster, at);
    live.retry_at = at + fold.options.retry_after;
    return;
  }
  const bool ran = HoldsDevices(live.stage) && live.stage != Stage::kStarting &&
                   at - live.segment_begin > fold.options.retry_after;
  const bool again = ran ? !KeepsEnding(fold.options, live, live.remaining)
                         : ++live.failed_starts <= fold.options.start_retries;
  if (!again)
    return FailJob(fold, index, at, exit_code,
                   std::move(why) + " (" +
                       std::to_string(ran ? fold.options.unasked_pauses : live.failed_starts) +
                       " times)");
  if (ran) live.failed_starts = 0;
  LeaveDevices(live, fold.state.cluster, at);
  live.retry_at = at + BackOff(fold.options, std::max(live.failed_starts, 1));
}

// The attempt ended with a checkpoint, so its work counts.
void TakePaused(Folding& fold, std::size_t index, const JobReport& report, Source source) {
  LiveJob& live = fold.Change(index);
  const Duration remaining_before = live.remaining;
  const bool was_asked_for =
      source == Source::kReported && HoldsDevices(live.stage) && live.stage != Stage::kPausing;
  if (!live.first_start && HoldsDevices(live.stage)) live.first_start = live.segment_begin;
  live.remaining = RemainingAt(live, fold.state.cluster, report.since);
  ++live.pauses;
  live.failed_starts = 0;
  live.attempt_over = true;
  if (report.checkpoint_bytes > 0) live.job.checkpoint_bytes = report.checkpoint_bytes;
  if (live.cancel_wanted) return EndJob(fold, index, Stage::kCancelled, report.since);
  if (!was_asked_for) {
    live.unasked_pauses = 0;
  } else if (KeepsEnding(fold.options, live, remaining_before)) {
    return FailJob(fold, index, report.since, report.exit_code, KeepsPausingText(fold.options));
  }
  LeaveDevices(live, fold.state.cluster, report.since);
}

// True if the attempt was asked to pause and ended without a checkpoint, so its work is lost. The
// engine does not ask the job to pause again, because it would lose its work every time. The
// exception is an attempt that was asked so early that it may not have been ready for it.
bool LostByPause(const LiveJob& live) {
  return live.stage == Stage::kPausing ||
         (live.stage == Stage::kRunning && live.control == JobControl::kHold);
}

void TakeLostPause(Folding& fold, std::size_t index, const JobReport& report) {
  LiveJob& live = fold.Change(index);
  if (live.cancel_wanted) return EndJob(fold, index, Stage::kCancelled, report.since);
  if (!live.first_start) live.first_start = live.segment_begin;
  if (report.since - live.segment_begin > fold.options.retry_after) live.job.checkpointable = false;
  ++live.pauses;
  live.failed_starts = 0;
  live.unasked_pauses = 0;
  LeaveDevices(live, fold.state.cluster, report.since);
}

void Take(Folding& fold, std::size_t index, const JobReport& report, Source source) {
  LiveJob& live = fold.Change(index);
  const core::JobId id = live.job.id;
  if (report.attempt > live.attempt) {
    live.attempt = report.attempt;
    live.segment_begin = report.since;
    live.moving = Duration::zero();  // what that life knew of it is lost
    live.attempt_over = false;
  }
  switch (report.phase) {
    case JobPhase::kRunning:
      TakeRunning(fold.state, live, report);
      break;
    case JobPhase::kPaused:
      TakePaused(fold, index, report, source);
      break;
    case JobPhase::kFrozen:
      TakeFrozen(live, fold.state.cluster, report);
      break;
    case JobPhase::kStarting:
      break;
    case JobPhase::kSucceeded:
      if (!live.first_start) live.first_start = live.segment_begin;
      EndJob(fold, index, Stage::kSucceeded, report.since);
      fold.state.ended.at(id).exit_code = report.exit_code;
      return;
    case JobPhase::kFailed:
      return FailJob(fold, index, report.since, report.exit_code, report.detail);
    case JobPhase::kStartFailed:
      live.attempt_over = true;
      if (LostByPause(live) && !report.machine_trouble) {
        TakeLostPause(fold, index, report);
        break;
      }
      Retry(fold, index, report.since, report.exit_code,
            report.detail.empty() ? "could not be started" : report.detail, report.machine_trouble);
      break;
    case JobPhase::kCancelled:
      EndJob(fold, index, Stage::kCancelled, report.since);
      // Exit code 0 may also mean that nobody saw the end of the attempt.
      if (report.exit_code != 0) fold.state.ended.at(id).exit_code = report.exit_code;
      return;
  }
  fold.change.jobs.push_back(id);
  HoldBackIfHeld(fold, id, report.since);
}

bool KnownPool(const State& state, const JobReport& report) {
  return report.pool >= 0 && report.pool < static_cast<int>(state.cluster.pools.size());
}

// The repair that a job that holds devices needs, given the executor's knowledge of it.
enum class Repair { kNone, kGiveCommandAgain, kLost };

Repair RepairFor(const LiveJob& live, const JobReport* known, bool first_look) {
  if (!HoldsDevices(live)) return Repair::kNone;
  if (!known) {
    // If a start was given twice and the attempt is still unknown, the attempt started and then
    // vanished. For a command from an earlier life it is unknown if the executor got it: that life
    // may have ended between decision and command, even several times in a row.
    const bool start_was_lost = live.stage == Stage::kStarting && !live.cancel_wanted &&
                                (first_look || !live.start_repeated);
    return start_was_lost ? Repair::kGiveCommandAgain : Repair::kLost;
  }
  const bool frozen = known->phase == JobPhase::kFrozen;
  const bool waits_for_end = live.cancel_wanted || (live.stage == Stage::kPausing && !frozen);
  const bool goes_on =
      frozen || known->phase == JobPhase::kRunning || known->phase == JobPhase::kStarting;
  const bool lost = (waits_for_end && goes_on) || (live.stage == Stage::kStarting && frozen);
  return lost ? Repair::kGiveCommandAgain : Repair::kNone;
}

// A lost start command is not repeated while the queue drains.
void TakeBackStart(LiveJob& live, const core::Cluster& cluster, bool is_frozen, Time at) {
  if (!is_frozen) return LeaveDevices(live, cluster, at);
  live.stage = Stage::kPaused;
  live.since = at;
  live.command_due = false;
}

// Finds the latest report of each job. Reports are ordered by job, then by attempt.
class ReportIndex {
 public:
  explicit ReportIndex(const std::vector<JobReport>& reports) {
    for (const JobReport& report : reports) sorted_.push_back(&report);
    std::stable_sort(sorted_.begin(), sorted_.end(), [](const JobReport* a, const JobReport* b) {
      return a->job != b->job ? a->job < b->job : a->attempt < b->attempt;
    });
  }
  /// The report of the job's attempt or of a later one; nullptr if there is none.
  const JobReport* Latest(const LiveJob& live) const {
    auto it =
        std::upper_bound(sorted_.begin(), sorted_.end(), live.job.id,
                         [](core::JobId id, const JobReport* report) { return id < report->job; });
    if (it == sorted_.begin()) return nullptr;
    const JobReport* last = *--it;
    return last->job == live.job.id && last->attempt >= live.attempt ? last : nullptr;
  }

 private:
  std::vector<const JobReport*> sorted_;
};

Status ApplyFrom(Source source, Folding& fold, const JobReport& report) {
  State& state = fold.state;
  // The executor runs an attempt of a held job that the engine does not know. The job leaves the
  // held ones, although a person holds it.
  if (const LiveJob* held = state.FindHeld(report.job); held && IsNews(*held, report))
    LetGo(fold, report.job, report.since);
  const std::size_t index = state.LowerBound(report.job);
  if (!state.FindLive(report.job)) {
    if (state.FindEnded(report.job) || state.FindHeld(report.job)) return {};
    return Fail({ExitCode::kUsage, "is not known", "job " + std::to_string(report.job), ""});
  }
  if (!IsNews(*state.live[index], report)) return {};
  const bool runs = report.phase == JobPhase::kRunning || report.phase == JobPhase::kFrozen;
  if (!HoldsDevices(*state.live[index]) && runs && !KnownPool(state, report)) {
    return Fail({ExitCode::kConfiguration, "runs on a pool that is not known",
                 "job " + std::to_string(report.job), ""});
  }
  Take(fold, index, report, source);
  return {};
}

}  // namespace

Status ApplyReport(Folding& fold, const JobReport& report) {
  return ApplyFrom(Source::kReported, fold, report);
}

Status ApplyObserved(Folding& fold, Time at, const ExecutorObserved& observed) {
  // Jobs from another life of the executor do not concern this engine.
  for (const JobReport& report : observed.reports)
    std::ignore = ApplyFrom(Source::kFound, fold, report);
  const ReportIndex known(observed.reports);
  // The loop goes backwards, so that a job that ends does not move those still to come.
  for (std::size_t i = fold.state.live.size(); i-- > 0;) {
    const LiveJob& found = *fold.state.live[i];
    switch (RepairFor(found, known.Latest(found), observed.first_look)) {
      case Repair::kNone:
        break;
      case Repair::kGiveCommandAgain: {
        LiveJob& live = fold.Change(i);
        if (fold.state.drain && live.stage == Stage::kStarting && !live.cancel_wanted) {
          TakeBackStart(live, fold.state.cluster, known.Latest(live) != nullptr, at);
          fold.change.jobs.push_back(live.job.id);
          break;
        }
        live.command_due = true;
        live.start_repeated = live.stage == Stage::kStarting;
        break;
      }
      case Repair::kLost: {
        const core::JobId id = found.job.id;
        fold.change.jobs.push_back(id);
        Retry(fold, i, at, 0, "the executor lost it");
        HoldBackIfHeld(fold, id, at);
        break;
      }
    }
  }
  return {};
}

bool Engine::Differs(const ExecutorObserved& observed) const {
  for (const JobReport& report : observed.reports) {
    const LiveJob* live = state_.FindLive(report.job);
    if (live && IsNews(*live, report)) return true;
  }
  const ReportIndex known(observed.reports);
  return std::any_of(state_.live.begin(), state_.live.end(), [&](const auto& live) {
    return RepairFor(*live, known.Latest(*live), observed.first_look) != Repair::kNone;
  });
}

}  // namespace ebb::engine
