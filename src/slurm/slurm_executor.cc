#include "slurm/slurm_executor.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "platform/file.h"
#include "slurm/jobs/job_place.h"

namespace ebb::slurm {
namespace {

using engine::JobPhase;
using engine::JobReport;

constexpr std::chrono::seconds kLookAtClock{10};

std::string TagOf(const core::Submission& submission) {
  return std::to_string(static_cast<std::uint64_t>(submission.identity));
}

core::JobId JobOf(const engine::Command& command) {
  return std::visit([](const auto& c) { return c.job; }, command);
}

}  // namespace

SlurmExecutor::SlurmExecutor(std::unique_ptr<SlurmClient> client, SlurmOptions options,
                             SlurmQueue queue, const runtime::GridClock& clock,
                             platform::ProcessSignals& signals)
    : client_(std::move(client)),
      options_(std::move(options)),
      queue_(std::move(queue)),
      clock_(clock),
      signals_(signals),
      watch_(clock.wall()),
      pools_(options_.site) {}

SlurmExecutor::~SlurmExecutor() = default;

Status SlurmExecutor::Begin(const core::Cluster& before) {
  pools_.KeepPools(before);
  EBB_ASSIGN_OR_RETURN(const auto identity, client_->Identity());
  cluster_name_ = identity.first;
  EBB_ASSIGN_OR_RETURN(std::vector<SlurmJob> jobs, client_->Jobs());
  EBB_ASSIGN_OR_RETURN(const std::vector<SlurmNode> nodes, client_->Nodes());
  pools_.Take(nodes, {});
  TakeJobs(std::move(jobs));
  ReadNodes();
  return {};
}

std::optional<engine::ClockSet> SlurmExecutor::TakeClockSet() {
  const auto step = watch_.TakeStep();
  if (!step) return std::nullopt;
  return engine::ClockSet{clock_.ToGrid(step->from), clock_.ToGrid(step->to)};
}

// Requests of the service -----------------------------------------------------------------------

// A job of a user is found by its number and its tag; one that the service submitted itself by its
// tag alone. A job without a tag is new, or its mark was not written before the last life ended.
Status SlurmExecutor::Add(local::LocalJob job) {
  const core::Submission& submission = *job.submission;
  std::shared_ptr<Entry> entry;
  if (const auto offer = offered_.find(submission.key); offer != offered_.end()) {
    entry = offer->second;
    offered_.erase(offer);
  } else if (submission.key.starts_with(kKeyPrefix)) {
    const auto parts = Split(submission.key, '#');
    const auto slash = parts.front().rfind('/');
    const std::string id(parts.front().substr(slash + 1));
    const std::string tag(parts.size() > 1 ? parts[1] : "");
    const auto found = entries_.find(id);
    if (found != entries_.end() &&
        (found->second->comment.tag == tag || found->second->comment.tag.empty()))
      entry = found->second;
    if (!entry) {
      entry = std::make_shared<Entry>();
      entry->ids = {id};
      entry->is_missing = true;
      entry->step = Step::kWaiting;
    }
    entry->comment.tag = tag;
  } else {
    const std::string tag = TagOf(submission);
    for (const auto& [id, each] : entries_)
      if (each->comment.tag == tag) entry = each;
    if (!entry) {
      entry = std::make_shared<Entry>();
      entry->step = Step::kNew;
      entry->comment.owners = "ebb:";
      entry->comment.tag = tag;
      // The job was in Slurm, and has left it.
      if (const auto id = platform::ReadFile(job.directory / kIdFile)) {
        entry->ids = {std::string(Trim(*id))};
        entry->is_missing = true;
        entry->step = Step::kWaiting;
      }
    }
    entry->wishes.pause_signal = "USR1";
    entry->wishes.grace = std::chrono::minutes{10};
  }
  entry->key = submission.key;
  entry->local = std::move(job);
  by_job_[entry->job()] = entry;
  if (entry->step == Step::kSeen) entry->step = Step::kWaiting;
  Resume(*entry);
  return {};
}

// Takes up a job where an earlier life left it.
void SlurmExecutor::Resume(Entry& entry) {
  const JobComment& comment = entry.comment;
  if (comment.course == Course::kNone || entry.is_missing) return;
  entry.attempt = comment.attempt;
  entry.pool = pools_.PoolOfRunning(entry.seen);
  if (comment.course != Course::kWait) entry.width = SeenWidth(entry);
  if (comment.course == Course::kWait) {
    entry.step = Step::kWaiting;
    if (entry.seen.reason == "BeginTime") entry.begin = entry.seen.start;
    // A person has held it while no service ran. It keeps its latest start.
    if (entry.seen.is_held()) entry.begin = LatestStart(entry);
  } else {
    entry.step = comment.course == Course::kGo ? Step::kStarting : Step::kPausing;
    entry.is_let_go = true;
  }
  if (entry.step == Step::kPausing) entry.asked_at = SinceBoot();
  Follow(entry);
}

void SlurmExecutor::Replace(std::shared_ptr<const core::Submission> submission) {
  if (Entry* entry = EntryOf(submission->job.id)) entry->local->submission = std::move(submission);
}

void SlurmExecutor::Refused(const std::string& key, const Error& why) {
  const auto offer = offered_.find(key);
  if (offer == offered_.end()) return;
  const std::shared_ptr<Entry> entry = offer->second;
  offered_.erase(offer);
  entry->step = Step::kRefused;
  entry->sentence = "Ebb does not take this job: " + why.Message();
  if (entry->seen.is_held())
    entry->sentence += "; it stays held until scontrol release " + entry->id();
  options_.say("job " + entry->id() + " of " + entry->seen.user + ": " + why.Message());
}

void SlurmExecutor::ChangeRefused(core::JobId job, const Error& why) {
  Entry* entry = EntryOf(job);
  if (!entry) return;
  entry->refused = why.Message();
  options_.say("job " + entry->id() + " of " + entry->seen.user + ": " + why.Message());
}

void SlurmExecutor::Note(core::JobId job, const std::string& sentence) {
  if (Entry* entry = EntryOf(job)) entry->sentence = sentence;
}

std::filesystem::path SlurmExecutor::FolderOf(core::JobId job) const {
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return {};
  const Entry& entry = *found->second;
  if (IsOwn(entry)) return entry.local->directory;
  return JobFolder(entry.seen.directory, entry.seen.number);
}

SlurmExecutor::Entry* SlurmExecutor::EntryOf(core::JobId job) {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : found->second.get();
}

// An attempt that was let go counts as running: it may run by now.
Result<std::vector<JobReport>> SlurmExecutor::Observe() {
  std::vector<JobReport> reports;
  for (const auto& [job, entry] : by_job_)
    if (entry->last) reports.push_back(*entry->last);
  return reports;
}

Status SlurmExecutor::Execute(const engine::Command& command) {
  Entry* entry = EntryOf(JobOf(command));
  if (!entry) return Fail({ExitCode::kTryLater, "the job is not in Slurm", "", ""});
  if (is_away_) return Fail({ExitCode::kTryLater, "the Slurm controller does not answer", "", ""});
  if (const auto* start = std::get_if<engine::StartJob>(&command)) {
    if (start->attempt <= entry->attempt) return {};
    if (entry->step == Step::kEnded) {
      SayEndAs(*entry, start->attempt);
      return {};
    }
    if (entry->is_missing) return Fail({ExitCode::kTryLater, "Slurm does not list it", "", ""});
    entry->attempt = start->attempt;
    entry->pool = start->pool;
    entry->width = start->devices;
    entry->narrowed.clear();
    entry->is_let_go = false;
    if (entry->step != Step::kNew) entry->step = Step::kStarting;
    JobReport& report = entry->last.emplace();
    report.job = start->job;
    report.attempt = start->attempt;
    report.pool = start->pool;
    report.devices = start->devices;
    report.since = Now();
  } else if (std::holds_alternative<engine::PauseJob>(command)) {
    const bool is_under_way = entry->step == Step::kStarting || entry->step == Step::kRunning;
    if (is_under_way) entry->step = Step::kPausing;
  } else if (entry->step != Step::kEnded) {
    entry->step = Step::kCancelling;
  }
  polled_at_ = Duration{-1};  // the change is sent by the next round
  return {};
}

// The job ran without Ebb before this start could reach it: that was the attempt.
void SlurmExecutor::SayEndAs(Entry& entry, int attempt) {
  entry.attempt = attempt;
  if (!entry.last) return;
  JobReport end = *entry.last;
  end.attempt = attempt;
  JobReport ran = end;
  ran.phase = JobPhase::kRunning;
  ran.exit_code = 0;
  ran.detail.clear();
  ran.since = std::min(end.since, entry.seen.start.value_or(end.since));
  entry.last = end;
  reports_.push_back(std::move(ran));
  reports_.push_back(std::move(end));
}

bool SlurmExecutor::IsHeld(core::JobId job) const {
  const auto found = by_job_.find(job);
  return found != by_job_.end() && found->second->is_held;
}

// A job that still waits was cancelled through Ebb.
void SlurmExecutor::Forget(core::JobId job) {
  Entry* entry = EntryOf(job);
  if (!entry) return;
  const bool is_under_way = entry->step == Step::kStarting || entry->step == Step::kRunning ||
                            entry->step == Step::kPausing || entry->step == Step::kCancelling ||
                            (entry->step == Step::kNew && entry->attempt > 0);
  if (is_under_way) return;
  const std::shared_ptr<Entry> kept = by_job_.at(job);
  by_job_.erase(job);
  if (kept->step == Step::kWaiting && !kept->is_missing && !kept->ids.empty())
    if (const Status cancelled = client_->Cancel(kept->whole()); !cancelled)
      options_.say(kept->id() + ": " + cancelled.error().Message());
  if (!kept->ids.empty()) entries_.erase(kept->id());
}

std::vector<local::SupervisedFigures> SlurmExecutor::Running() const {
  std::vector<local::SupervisedFigures> running;
  for (const auto& [job, entry] : by_job_) {
    if (entry->step != Step::kRunning && entry->step != Step::kPausing) continue;
    local::SupervisedFigures figures;
    figures.job = job;
    figures.attempt = entry->attempt;
    figures.pool = entry->pool;
    for (int slot = 0; slot < WidthOf(*entry); ++slot) figures.slots.push_back(slot);
    figures.is_measured = false;
    if (entry->last) figures.figures.elapsed = std::max(Duration{}, Now() - entry->last->since);
    running.push_back(std::move(figures));
  }
  return running;
}

// Rounds --------------------------------------------------------------------------------------

bool SlurmExecutor::HasSomethingUnderWay() const {
  return std::ranges::any_of(by_job_, [](const auto& each) {
    const Step step = each.second->step;
    return step == Step::kStarting || step == Step::kPausing || step == Step::kCancelling ||
           step == Step::kNew;
  });
}

Result<std::vector<JobReport>> SlurmExecutor::WaitForEvents(Time deadline) {
  bool was_woken = false;
  if (!std::exchange(has_begun_, true))
    std::erase_if(entries_, [](const auto& each) {
      return !each.second->local && HasEnded(each.second->seen.state);
    });
  while (true) {
    heartbeat_.Beat();
    const Duration every = PollEvery();
    if (polled_at_ < Duration::zero() || SinceBoot() >= polled_at_ + every) {
      heartbeat_.At("asking Slurm for its jobs");
      Round();
    }
    const Time now = Now();
    if (!reports_.empty() || was_woken || stop_signal_ || now >= deadline || watch_.Look()) break;
    const Duration until_poll = polled_at_ + every - SinceBoot();
    const Duration left =
        deadline == Time::max() ? Duration{kLookAtClock} : clock_.ToWall(deadline - now);
    heartbeat_.Rest();
    was_woken =
        waker_.Wait(std::max(Duration{1}, std::min({until_poll, left, Duration{kLookAtClock}})),
                    signals_.descriptor());
    // Among them are the ends of Slurm's commands.
    if (const auto stop = signals_.TakeAll()) stop_signal_ = stop;
  }
  heartbeat_.Beat();
  return TakeReports();
}

void SlurmExecutor::Wake() { waker_.Wake(); }

void SlurmExecutor::Round() {
  const bool has_read = ReadJobs();
  polled_at_ = SinceBoot();
  if (!has_read) return;
  if (SinceBoot() >= nodes_at_ + options_.nodes_every) {
    ReadNodes();
    ReadLoad();
  }
  SendChanges();
}

// A controller that answers slowly has much to do, and is asked less often.
Duration SlurmExecutor::PollEvery() const {
  constexpr int kShareOfTime = 5;
  if (is_busy_) return options_.poll_busy;
  const Duration wanted = HasSomethingUnderWay() ? options_.poll_soon : options_.poll_every;
  return std::max(wanted, kShareOfTime * answer_took_);
}

bool SlurmExecutor::ReadJobs() {
  const Duration asked_at = SinceBoot();
  auto jobs = client_->Jobs();
  answer_took_ = SinceBoot() - asked_at;
  if (!jobs) {
    if (!std::exchange(is_away_, true)) options_.say(jobs.error().Message());
    return false;
  }
  if (std::exchange(is_away_, false)) options_.say("the Slurm controller answers again");
  TakeJobs(*std::move(jobs));
  return true;
}

void SlurmExecutor::ReadNodes() {
  const auto nodes = client_->Nodes();
  if (!nodes) return;
  nodes_at_ = SinceBoot();
  std::map<int, int> ours;
  for (const auto& [id, entry] : entries_) {
    const SlurmJob& job = entry->seen;
    // At the begin the service has not named its jobs yet; their marks tell them.
    const bool is_ours = entry->local || (!has_begun_ && entry->comment.course != Course::kNone);
    const bool has_devices = job.state == JobState::kRunning || job.state == JobState::kCompleting;
    if (is_ours && has_devices)
      ours[pools_.PoolOfRunning(job)] += std::max(1, job.gpus > 0 ? job.gpus : job.cores);
  }
  pools_.Take(*nodes, ours);
}

void SlurmExecutor::ReadLoad() {
  const auto load = client_->Load();
  if (!load) return;
  const bool is_busy = load->threads > options_.most_load.threads ||
                       load->messages_queued > options_.most_load.messages_queued;
  if (is_busy == std::exchange(is_busy_, is_busy)) return;
  options_.say(is_busy ? "the Slurm controller is busy (" + std::to_string(load->threads) +
                             " threads, " + std::to_string(load->messages_queued) +
                             " messages to nodes wait): it is asked once in " +
                             FormatDuration(options_.poll_busy) + ", and comments wait"
                       : "the Slurm controller is not busy any more");
}

// Slurm has the wall clock.
void SlurmExecutor::ToGrid(SlurmJob& job) const {
  job.submitted = clock_.ToGrid(job.submitted);
  if (job.start) job.start = clock_.ToGrid(*job.start);
  if (job.end) job.end = clock_.ToGrid(*job.end);
}

Time SlurmExecutor::ToWall(Time grid) const { return watch_.Now() + clock_.ToWall(grid - Now()); }

// Components of a heterogeneous job follow one another, in any order.
void SlurmExecutor::TakeJobs(std::vector<SlurmJob> jobs) {
  std::map<std::string, std::vector<SlurmJob>> together;
  for (const auto& [id, entry] : entries_) entry->is_missing = true;
  for (SlurmJob& job : jobs) {
    ToGrid(job);
    if (!job.leader.empty())
      together[job.leader].push_back(std::move(job));
    else
      TakeJob({std::move(job)});
  }
  for (auto& [leader, components] : together) {
    std::ranges::sort(components, {}, &SlurmJob::id);
    TakeJob(std::move(components));
  }
  FollowMissing();
}

bool SlurmExecutor::IsOurs(const SlurmJob& job) const {
  if (!options_.user.empty() && job.user != options_.user) return false;
  return ReadComment(job.comment).is_for_ebb || options_.accounts.contains(job.account) ||
         options_.qos.contains(job.qos) ||
         std::ranges::any_of(job.partitions,
                             [&](const auto& each) { return options_.partitions.contains(each); });
}

void SlurmExecutor::TakeJob(std::vector<SlurmJob> components) {
  SlurmJob& job = components.front();
  const auto known = entries_.find(job.id);
  // A job that has ended concerns only a service that knew it: at the begin, all may be such jobs.
  if (known == entries_.end() && (!IsOurs(job) || (has_begun_ && HasEnded(job.state)))) return;
  for (std::size_t i = 1; i < components.size(); ++i) {
    job.gpus += components[i].gpus;
    job.cores += components[i].cores;
  }
  std::shared_ptr<Entry> entry;
  if (known == entries_.end()) {
    entry = entries_[job.id] = std::make_shared<Entry>();
    ReadWishesOf(*entry, job);
  } else {
    entry = known->second;
  }
  entry->ids.clear();
  for (const SlurmJob& component : components) entry->ids.push_back(component.id);
  std::string tag = std::move(entry->comment.tag);
  const std::string owners = std::exchange(entry->comment, ReadComment(job.comment)).owners;
  if (known != entries_.end() && entry->comment.owners != owners) {
    ReadWishesOf(*entry, job);
    HearOwner(*entry);
  }
  if (entry->comment.tag.empty()) entry->comment.tag = std::move(tag);
  entry->seen = std::move(job);
  entry->is_missing = false;
  Follow(*entry);
}

void SlurmExecutor::ReadWishesOf(Entry& entry, const SlurmJob& job) {
  entry.wishes = ReadWishes(job, options_.defaults);
  for (const std::string& problem : entry.wishes.problems)
    options_.say("job " + job.id + " of " + job.user + ": " + problem);
}

// Accounting knows how jobs ended that Slurm has forgotten. While it is away, they wait.
void SlurmExecutor::FollowMissing() {
  std::vector<std::shared_ptr<Entry>> gone;
  std::vector<std::string> ids;
  for (const auto& [job, entry] : by_job_)
    if (entry->is_missing && entry->step != Step::kEnded && !entry->ids.empty()) {
      gone.push_back(entry);
      ids.push_back(entry->id());
    }
  if (!gone.empty() && SinceBoot() >= accounting_at_ + options_.accounting_every) {
    accounting_at_ = SinceBoot();
    auto accounted = client_->Accounted(ids);
    const bool is_away = !accounted && accounted.error().code == ExitCode::kUnavailable;
    if (!accounted && !std::exchange(said_no_accounting_, true))
      options_.say(accounted.error().Message() +
                   (is_away ? "" : "; how jobs ended that Slurm has forgotten is not known"));
    if (!is_away)
      for (const auto& entry : gone)
        FollowForgotten(*entry, accounted ? *accounted : std::vector<SlurmJob>());
  }
  std::erase_if(entries_, [](const auto& each) {
    const Entry& entry = *each.second;
    return (entry.is_missing && (!entry.local || entry.step == Step::kEnded)) || entry.ids.empty();
  });
}

void SlurmExecutor::FollowForgotten(Entry& entry, const std::vector<SlurmJob>& accounted) {
  const auto found = std::ranges::find(accounted, entry.id(), &SlurmJob::id);
  if (found != accounted.end() && !HasEnded(found->state)) return;
  if (found != accounted.end()) {
    SlurmJob ended = *found;
    ToGrid(ended);
    entry.seen.state = ended.state;
    entry.seen.state_text = ended.state_text;
    entry.seen.exit_code = ended.exit_code;
    entry.seen.start = ended.start;
    entry.seen.end = ended.end;
    return FollowEnd(entry);
  }
  // A controller that is killed loses what it has not written yet. A script that has not begun to
  // run is submitted again.
  if (IsOwn(entry) && !HasLog(entry)) {
    options_.say("Slurm has lost job " + entry.id() +
                 ", which had not begun; it is submitted again");
    entry.ids.clear();
    entry.begin.reset();
    entry.is_missing = false;
    entry.seen = {};
    entry.comment.course = Course::kNone;
    if (entry.step == Step::kCancelling) return;
    if (entry.step == Step::kWaiting) entry.attempt = 0;
    entry.step = Step::kNew;
    return;
  }
  entry.seen.state = JobState::kFailed;
  entry.seen.state_text =
      "Slurm has forgotten job " + entry.id() + ", and no accounting tells how it ended";
  FollowEnd(entry);
}

bool SlurmExecutor::IsOwn(const Entry& entry) { return !entry.key.starts_with(kKeyPrefix); }

bool SlurmExecutor::HasLog(const Entry& entry) {
  std::error_code error;
  return std::filesystem::exists(entry.local->directory / "attempt-1.log", error);
}

}  // namespace ebb::slurm
