#include "local/supervised_executor.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "local/files/job_folder.h"
#include "local/job_start.h"
#include "platform/file_lock.h"
#include "platform/free_space.h"
#include "platform/path_facts.h"
#include "platform/signature.h"

namespace ebb::local {
namespace {

using engine::JobPhase;
using engine::JobReport;

// A follower that ends at once, whatever may be wrong, is not started again and again.
constexpr Duration kBetweenFollowers{std::chrono::seconds{2}};

bool HasEnded(JobPhase phase) {
  return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed ||
         phase == JobPhase::kCancelled;
}

Error NotKnown(core::JobId job) {
  return {ExitCode::kUsage, "is not known", "job " + std::to_string(job), ""};
}

}  // namespace

SupervisedExecutor::SupervisedExecutor(SupervisedExecutorOptions options, runtime::SignalFeed& feed,
                                       runtime::GridClock& clock, platform::ProcessSignals& signals,
                                       JobRecords& records)
    : options_(std::move(options)),
      devices_(options_.cluster, options_.gpus),
      feed_(feed),
      clock_(clock),
      signals_(signals),
      records_(records),
      watch_(clock.wall(), options_.clock),
      feeds_{&feed},
      observed_{ObservedFeed(feed)},
      wake_descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

SupervisedExecutor::~SupervisedExecutor() {
  if (options_.other_sites) options_.other_sites->Begin({});
  ::close(wake_descriptor_);
}

void SupervisedExecutor::UseSites(const std::vector<core::Site>& sites,
                                  const std::vector<runtime::SignalFeed*>& feeds) {
  site_numbers_ = devices_.UseSites(sites);
  feeds_.resize(devices_.pools().sites.size(), nullptr);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    feeds_[static_cast<std::size_t>(site_numbers_[i])] = feeds[i];
    observed_.emplace_back(*feeds[i]);
  }
  if (options_.other_sites) options_.other_sites->Begin([this] { Wake(); });
}

Result<SupervisedExecutor::Entry*> SupervisedExecutor::Find(core::JobId job) {
  const auto found = entries_.find(job);
  if (found == entries_.end()) return Fail(NotKnown(job));
  return &found->second;
}

Result<std::vector<JobReport>> SupervisedExecutor::Observe() {
  heartbeat_.Beat();
  LookAtPrograms();
  LookAtOrders();
  FindFrozen();
  std::vector<JobReport> reports;
  for (const auto& [job, entry] : entries_) {
    if (entry.last_report) reports.push_back(*entry.last_report);
    if (entry.start_after)
      reports.push_back({job, entry.start_after->attempt, JobPhase::kStarting,
                         entry.start_after->pool, Now(), 0, ""});
  }
  return reports;
}

void SupervisedExecutor::Forget(core::JobId job) {
  const auto found = entries_.find(job);
  // The job was cancelled before it was started, or while it was paused: no report will come.
  if (found == entries_.end() || found->second.program) return;
  if (found->second.order) return CancelOrder(found->second);
  entries_.erase(found);
}

void SupervisedExecutor::Replace(std::shared_ptr<const core::Submission> submission) {
  const auto found = entries_.find(submission->job.id);
  if (found == entries_.end()) return;
  found->second.local.submission = std::move(submission);
  if (found->second.order) TakeBack(found->second);  // it has the files and words of before
}

void SupervisedExecutor::PauseAll() {
  stop_signal_.reset();
  for (const auto& [job, entry] : running_) entry->program->AskToEnd(EndRequest::kPause);
  while (!running_.empty()) {
    std::ignore = WaitOnce(options_.tick);
    if (stop_signal_)
      for (const auto& [job, entry] : running_) entry->program->Hurry();
    stop_signal_.reset();
    LookAtPrograms();
  }
}

// Commands ---------------------------------------------------------------------------------

Status SupervisedExecutor::Execute(const engine::Command& command) {
  if (const auto* start = std::get_if<engine::StartJob>(&command)) return Start(*start);
  if (const auto* pause = std::get_if<engine::PauseJob>(&command)) return Pause(*pause);
  const auto& cancel = std::get<engine::CancelJob>(command);
  return RequestEnd(cancel.job, cancel.attempt, EndRequest::kCancel);
}

// Finds the slots of an attempt of another life by names, because numbers of GPUs may change.
void SupervisedExecutor::FindSlots(AttemptPlan& plan) const {
  if (plan.gpus.empty()) return;
  const std::vector<std::string> names = devices_.NamesOf(plan.pool);
  std::vector<int> slots;
  for (const std::string& gpu : plan.gpus) {
    const auto found = std::find(names.begin(), names.end(), gpu);
    if (found != names.end()) slots.push_back(static_cast<int>(found - names.begin()));
  }
  plan.slots = std::move(slots);
}

HeldDevices SupervisedExecutor::Held() const {
  HeldDevices held;
  for (const auto& [job, entry] : running_) {
    const AttemptPlan& plan = entry->program->plan();
    for (const std::string& gpu : plan.gpus) held.emplace(gpu, plan.pool);
  }
  return held;
}

core::Cluster SupervisedExecutor::cluster() const {
  core::Cluster cluster = devices_.ClusterWith(Held());
  options_.refine(cluster);
  return cluster;
}

namespace {

// Space for the plan, the log and the first figures of an attempt.
constexpr std::uint64_t kRoomOfAStart = 64 << 10;

// On a full disk no job can be started, and no job is at fault.
Status WhoseFault(Status begun, const std::filesystem::path& directory) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(directory, ignored);
  if (begun || platform::HasRoomFor(exists ? directory : directory.parent_path(), kRoomOfAStart))
    return begun;
  Error error = begun.error();
  error.code = ExitCode::kTryLater;
  return Fail(std::move(error));
}

}  // namespace

// Slots of the pool that nothing runs in.
Result<std::vector<int>> SupervisedExecutor::FreeSlots(const core::Job& job, int pool) const {
  const HeldDevices held = Held();
  std::set<int> taken = devices_.Taken(pool, held);
  for (const auto& [other, running] : running_) {
    const AttemptPlan& plan = running->program->plan();
    if (plan.pool == pool) taken.insert(plan.slots.begin(), plan.slots.end());
  }
  return SlotsFor(job, devices_.ClusterWith(held), pool, devices_.SlotsOf(pool), taken);
}

Status SupervisedExecutor::Start(const engine::StartJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry* const entry, Find(command.job));
  if (entry->program && entry->last_report->phase == JobPhase::kFrozen &&
      entry->last_report->attempt == command.attempt)
    Freeze(*entry, false);
  if (entry->last_report && entry->last_report->attempt >= command.attempt) return {};
  const core::Job job = AtWidth(entry->local.job(), command.devices);
  if (entry->program)
    return Fail({ExitCode::kUnavailable, "an earlier attempt still runs", job.name, ""});
  if (command.pool < 0 || command.pool >= std::ssize(devices_.pools().pools))
    return Fail({ExitCode::kInfeasible, "does not fit these devices", job.name, ""});
  if (entry->order) return StartKept(*entry, command);
  const core::Cluster now = cluster();
  const core::DevicePool& pool = now.pools[static_cast<std::size_t>(command.pool)];
  // The site could be reached when this was decided.
  if (pool.site > 0 && pool.count < job.devices && pool.away > 0)
    return Fail(
        {ExitCode::kTryLater, "cannot be reached", "site " + now.SiteOf(command.pool).name, ""});
  EBB_ASSIGN_OR_RETURN(std::vector<int> slots, FreeSlots(job, command.pool));
  EBB_ASSIGN_OR_RETURN(AttemptPlan plan, PlanFor(*entry, command, std::move(slots)));
  return WhoseFault(Begin(*entry, std::move(plan)), entry->local.directory);
}

// The feed of the pool's site. What ran at a site that is not used any more is accounted with the
// first one's.
runtime::SignalFeed& SupervisedExecutor::FeedOf(int pool) const {
  const auto site =
      static_cast<std::size_t>(devices_.pools().pools[static_cast<std::size_t>(pool)].site);
  return site < feeds_.size() && feeds_[site] ? *feeds_[site] : feed_;
}

// The job's folders are those of the other machine, and it is measured as is said of that machine.
Status SupervisedExecutor::PutElsewhere(const Entry& entry, AttemptPlan& plan,
                                        std::filesystem::path& directory) {
  const int site = devices_.pools().pools[static_cast<std::size_t>(plan.pool)].site;
  if (site == 0) return {};
  const auto used = std::find(site_numbers_.begin(), site_numbers_.end(), site);
  if (used == site_numbers_.end() || !options_.other_sites)
    return Fail({ExitCode::kTryLater, "is at a site that this service does not use any more",
                 entry.local.job().name, ""});
  EBB_ASSIGN_OR_RETURN(
      SiteAccess access,
      options_.other_sites->AccessTo(static_cast<std::size_t>(used - site_numbers_.begin()),
                                     *entry.local.submission));
  plan.place = std::move(access.place);
  directory = std::move(access.run_folder);
  // How often samples are taken is the service's choice.
  if (const auto interval = plan.metering.find("interval"); interval != plan.metering.end())
    access.metering.insert(*interval);
  plan.metering = std::move(access.metering);
  plan.metering["pue"] = FormatExact(devices_.pools().SiteOf(plan.pool).pue.ratio);
  if (!access.work_folder.empty()) plan.working_directory = access.work_folder;
  if (!plan.tracking.empty())
    options_.say(plan.job, "its trackers get nothing of attempt " + std::to_string(plan.attempt) +
                               ", which runs at site " + plan.place->site +
                               "; to keep the job here, submit it with --sites here");
  plan.tracking = {};
  return {};
}

Result<AttemptPlan> SupervisedExecutor::PlanFor(const Entry& entry, const engine::StartJob& command,
                                                std::vector<int> slots) {
  const core::Submission& submission = *entry.local.submission;
  const core::Job& job = submission.job;
  AttemptPlan plan;
  plan.job = command.job;
  plan.identity = submission.identity;
  plan.attempt = command.attempt;
  plan.pool = command.pool;
  plan.command = submission.command;
  plan.working_directory = submission.working_directory;
  plan.environment = submission.environment;
  plan.metering = options_.metering;
  plan.store = options_.store;
  plan.tracking = core::Over(submission.tracking, options_.tracking);
  LocalJob placed = entry.local;
  EBB_RETURN_IF_ERROR(PutElsewhere(entry, plan, placed.directory));
  const ContractValues contract =
      ContractFor(placed, std::to_string(job.id), command.attempt, FeedOf(command.pool), Now());
  plan.since = contract.scheduled;
  for (auto& variable : ContractEnvironment(contract)) plan.environment.push_back(variable);
  const std::vector<std::string> names = devices_.NamesOf(command.pool);
  for (const int slot : slots)
    if (!names.empty()) plan.gpus.push_back(names[static_cast<std::size_t>(slot)]);
  for (auto& variable : DeviceEnvironment(plan.gpus))
    plan.environment.push_back(std::move(variable));
  for (auto& variable : WidthEnvironment(submission, slots.size()))
    plan.environment.push_back(std::move(variable));
  plan.slots = std::move(slots);
  plan.grace = options_.grace;
  const JobPower power = PowerOf(submission, command.pool);
  plan.power_cap = power.cap;
  plan.slower_by = power.slower_by;
  plan.known_cap = power.known;
  if (plan.known_cap) plan.known_cap->attempt = command.attempt;
  plan.log_limit_bytes = options_.log_limit_bytes;
  plan.name = job.name;
  plan.submitted = job.submitted;
  plan.since_wall = clock_.wall().Now();
  plan.since_boot = SinceBoot();
  plan.clock = clock_.settings();
  if (!plan.place || !IsWatchedHere(submission.budget)) plan.budget = submission.budget;
  if (!plan.budget.empty())
    plan.used_before = options_.stored_before(command.job, command.attempt).used;
  return plan;
}

JobPower SupervisedExecutor::PowerOf(const core::Submission& submission, int pool) const {
  if (options_.power_of) return options_.power_of(submission, pool);
  return {submission.power_cap ? submission.power_cap : options_.power_cap,
          submission.slower_by.value_or(options_.slower_by)};
}

Status SupervisedExecutor::Begin(Entry& entry, AttemptPlan plan) {
  EBB_ASSIGN_OR_RETURN(const pid_t pid, Launch(entry, plan));
  Watch(entry, std::move(plan), platform::ProcessWatch::Open(pid));
  entry.followed_at = SinceBoot();
  reports_.push_back(*entry.last_report);
  return {};
}

// The plan is on disk before the supervisor exists, and the lock is held from here on.
Result<pid_t> SupervisedExecutor::Launch(const Entry& entry, AttemptPlan& plan) {
  const AttemptPaths paths{entry.local.directory, plan.attempt};
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(entry.local.directory));
  EBB_ASSIGN_OR_RETURN(const auto lock, platform::FileLock::Take(paths.lock()));
  if (const core::JobId earlier = entry.local.submission->resumes;
      earlier > 0 && plan.attempt == 1) {
    const auto folder = entry.local.directory.parent_path() / std::to_string(earlier);
    if (const Status taken = TakeOverCheckpoints(folder, entry.local.directory); !taken)
      options_.say(plan.job, "begins anew: " + taken.error().Message());
  }
  std::string secret;
  // The supervisor at another site signs with keys of that site.
  if (!plan.place) {
    auto keys = platform::MakeSigningKeys();
    if (!keys) options_.say(plan.job, "how it ends is not signed: " + keys.error().Message());
    if (!keys) keys = platform::SigningKeys();
    plan.end_key = keys->public_key;
    secret = keys->secret_key;
  }
  EBB_RETURN_IF_ERROR(WritePlan(paths, plan));
  return StartSupervisor(plan, paths, lock.descriptor(), secret);
}

Result<pid_t> SupervisedExecutor::StartSupervisor(const AttemptPlan& plan,
                                                  const AttemptPaths& paths, int lock,
                                                  const std::string& secret) const {
  platform::DetachedOptions supervisor{options_.supervisor_program,
                                       plan.place ? options_.follower : options_.supervisor, lock,
                                       secret};
  supervisor.argv.push_back(platform::AbsolutePath(paths.plan()).string());
  return options_.start(supervisor);
}

// Starts another follower after the first was killed, or after the machine was started anew: the
// attempt may run at its site.
std::optional<pid_t> SupervisedExecutor::FollowAgain(Entry& entry, const AttemptPlan& plan) {
  if (SinceBoot() - entry.followed_at < kBetweenFollowers) return std::nullopt;
  entry.followed_at = SinceBoot();
  const AttemptPaths paths{entry.local.directory, plan.attempt};
  const auto lock = platform::FileLock::Take(paths.lock());
  if (!lock) return std::nullopt;
  const auto pid = StartSupervisor(plan, paths, lock->descriptor(), "");
  return pid ? std::optional(*pid) : std::nullopt;
}

void SupervisedExecutor::Freeze(Entry& entry, bool frozen) {
  entry.program->Freeze(frozen);
  const Duration now = SinceBoot();
  if (entry.frozen_since) entry.frozen += now - *entry.frozen_since;
  entry.frozen_since = frozen ? std::optional(now) : std::nullopt;
  JobReport report = *entry.last_report;
  report.phase = frozen ? JobPhase::kFrozen : JobPhase::kRunning;
  report.since = Now();
  Report(entry, std::move(report));
}

Status SupervisedExecutor::Pause(const engine::PauseJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry* const entry, Find(command.job));
  if (!entry->local.job().freeze)
    return RequestEnd(command.job, command.attempt, EndRequest::kPause);
  const bool runs = entry->program && entry->program->plan().attempt == command.attempt;
  if (runs && !entry->program->HasEnded()) Freeze(*entry, true);
  return {};
}

Status SupervisedExecutor::RequestEnd(core::JobId job, int attempt, EndRequest request) {
  EBB_ASSIGN_OR_RETURN(Entry* const entry, Find(job));
  if (entry->program && entry->program->plan().attempt == attempt) {
    entry->program->AskToEnd(request);
    return {};
  }
  // The job was to start elsewhere as soon as another site had let go of it.
  if (request == EndRequest::kCancel && entry->order && entry->start_after) {
    CancelOrder(*entry);
    Report(*entry, {job, attempt, JobPhase::kCancelled, -1, Now(), 0, ""});
    return {};
  }
  // No program runs that could be cancelled, and the engine waits for the report.
  if (request == EndRequest::kCancel && !entry->program && entry->last_report &&
      !HasEnded(entry->last_report->phase)) {
    JobReport report = *entry->last_report;
    report.phase = JobPhase::kCancelled;
    report.attempt = std::max(report.attempt, attempt);
    report.since = Now();
    Report(*entry, std::move(report));
  }
  return {};
}

void SupervisedExecutor::Report(Entry& entry, JobReport report) {
  entry.last_report = report;
  reports_.push_back(std::move(report));
}

std::vector<SupervisedFigures> SupervisedExecutor::Running() const {
  std::vector<SupervisedFigures> running;
  for (const auto& [job, entry] : running_) {
    const SupervisedProgram& program = *entry->program;
    running.push_back({job, program.plan().attempt, program.plan().pool, program.plan().slots,
                       program.plan().gpus, program.program_pid(), program.figures()});
    running.back().gpu_power = program.gpu_power();
    running.back().power_cap = program.plan().power_cap;
    running.back().cpu_percent = program.cpu_percent();
    running.back().gpu_percent = program.gpu_percent();
  }
  return running;
}

}  // namespace ebb::local
