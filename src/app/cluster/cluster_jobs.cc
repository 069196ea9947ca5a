#include "app/cluster/cluster_jobs.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/reconciler/offered_change.h"
#include "platform/system_clock.h"

namespace ebb::app {
namespace {

using engine::JobPhase;

// Agents that were away may report jobs that ended up to this long ago.
constexpr std::chrono::hours kHeardOfFor{1};
constexpr std::chrono::seconds kLooksAgainAfter{1};

core::JobId JobOf(const engine::Command& command) {
  return std::visit([](const auto& c) { return c.job; }, command);
}

}  // namespace

ClusterJobs::ClusterJobs(kubernetes::ClusterExecutor& cluster, service::ExecutorPorts ports,
                         ClusterJobsOptions options)
    : cluster_(cluster),
      ports_(std::move(ports)),
      options_(std::move(options)),
      offers_(
          {ports_.ask, [this](core::JobId number, const Error& why) { OfferRefused(number, why); },
           [this](const std::string& uid, core::JobId job) { figures_.TakeEarlier(uid, job); }}),
      accounts_(
          {.metering = *ports_.metering,
           .agents = cluster.agents(),
           .pods = &cluster.pods(),
           .job_of = [this](const std::string& uid) { return JobOfObject(uid); },
           .idle_at = [this](const std::string& node,
                             Time moment) { return cluster_.timelines().IdleAt(node, moment); },
           .idle_counted = [this](
                               const std::string& uid,
                               const core::LedgerTotals& totals) { overheads_.Add(uid, totals); },
           .now = [this] { return Now(); },
           .since_boot = platform::SinceBoot}),
      overheads_(
          {.lives = cluster.timelines(),
           .groups = cluster.groups(),
           .agents = cluster.agents(),
           .job_of = [this](const std::string& uid) { return JobOfObject(uid); },
           .enter = [this](core::JobId job, int attempt,
                           const auto& reading) { return accounts_.Add(job, attempt, reading); },
           .intensity_at = [this](Time at) { return ports_.metering->IntensityAt(at); },
           .in_no_account =
               [this](const std::string& uid, Energy energy, const auto& emissions) {
                 const kubernetes::GatedObject* object = cluster_.reconciler().FindObject(uid);
                 if (budgets_ && object)
                   budgets_->AddIdle(object->name_space, energy, emissions, Now());
               },
           .tell = [this](const std::string& uid,
                          const NodeOverhead& sum) { figures_.WriteOverhead(uid, sum); },
           .pue = options_.pue}),
      figures_({cluster.reconciler(), *ports_.metering, accounts_, options_.figures_every}) {
  if (options_.with_budgets && cluster_.policies())
    budgets_ = std::make_unique<NamespaceBudgets>(
        NamespaceBudgets::Ports{*cluster_.policies(), ports_.view, ports_.ask, ports_.show_budgets,
                                options_.say, options_.pue});
  if (!cluster_.agents()) return;
  // Includes jobs that run since before this controller started.
  Time since = Now();
  for (const engine::JobReport& report : cluster_.reconciler().Observe())
    if (report.phase == JobPhase::kRunning) since = std::min(since, report.since);
  cluster_.agents()->BeginAt(since);
}

// The job of an object that runs or ended within the last hour.
std::optional<core::JobId> ClusterJobs::JobOfObject(const std::string& uid) const {
  if (const auto live = jobs_.LiveJobOf(uid)) return live;
  const auto ended = ended_.find(uid);
  return ended == ended_.end() ? std::nullopt : std::optional(ended->second.first);
}

std::optional<int> ClusterJobs::stop_signal() const {
  if (const auto stopped = cluster_.stop_signal()) return stopped;
  return cluster_.has_lost_lease() ? std::optional(0) : std::nullopt;
}

// Numbers of jobs -----------------------------------------------------------------------------

Status ClusterJobs::Add(local::LocalJob job) {
  const std::string uid = UidOfKey(job.submission->key);
  if (uid.empty())
    return Fail({ExitCode::kUsage, "jobs of this service are objects of a cluster", job.job().name,
                 "create one with the label ebb/wait=true (docs/kubernetes.md)"});
  const core::JobId id = job.job().id;
  jobs_.Add(id, uid);
  Known& known = known_[id] = {.width = job.job().devices};
  if (const auto number = offers_.NumberOf(job.submission->key))
    jobs_.Bind(id, *number);
  else
    known.earlier = job.job();
  return {};
}

// The service may have made the job known before it refused it. Then its object has none again, and
// is offered anew when it changes.
void ClusterJobs::OfferRefused(core::JobId number, const Error& why) {
  if (const auto job = jobs_.JobOf(number)) {
    jobs_.Drop(*job);
    known_.erase(*job);
  }
  cluster_.reconciler().Refused(number, why);
}

// Forgets a job. The loop calls this when the end is stored, and again once the engine has decided
// upon it; until then the end is not written on the object.
void ClusterJobs::Forget(core::JobId job) {
  const auto known = known_.find(job);
  if (known == known_.end() || !known->second.said || !engine::HasEnded(*known->second.said))
    return;
  if (const auto number = jobs_.NumberOf(job)) cluster_.Forget(*number);
  if (const std::string* uid = jobs_.UidOf(job)) {
    ended_[*uid] = {job, platform::SinceBoot()};
    if (!accounts_.Ended(job, *uid)) ports_.metering->Complete(job);
  }
  jobs_.Drop(job);
  known_.erase(known);
}

// From the cluster to the service ------------------------------------------------------------

void ClusterJobs::TakeOffers() {
  for (const engine::Fact& fact : offers_.HearAnswers()) TakeFact(fact);
  HearChanges();
  for (const engine::Event& event : cluster_.Take(Now())) TakeFact(event.fact);
  if (!std::exchange(settled_, true)) SettleUnknown();
}

void ClusterJobs::TakeFact(const engine::Fact& fact) {
  if (const auto* submitted = std::get_if<engine::JobSubmitted>(&fact))
    return TakeSubmission(submitted->job);
  const auto* cancelled = std::get_if<engine::JobCancelled>(&fact);
  const auto* changed = std::get_if<engine::JobChanged>(&fact);
  if (!cancelled && !changed) return;
  const core::JobId number = cancelled ? cancelled->job : changed->job;
  if (offers_.Keep(number, fact)) return;
  const auto job = jobs_.JobOf(number);
  if (!job) return;
  if (changed) {
    changes_.push_back({number, ports_.ask(service::ChangeJob{*job, changed->change, {}, {}})});
    return;
  }
  std::ignore = ports_.ask(service::Cancel{*job});
  jobs_.GiveUp(*job);
}

void ClusterJobs::TakeSubmission(const core::Job& job) {
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(job.id);
  if (!object) return;  // deleted meanwhile
  if (offers_.Contains(job.id)) return;
  if (const auto of_earlier_life = jobs_.LiveJobOf(object->uid)) {
    if (FollowMeanwhile(*of_earlier_life, job)) return jobs_.Bind(*of_earlier_life, job.id);
    std::ignore = ports_.ask(service::Cancel{*of_earlier_life});
    jobs_.GiveUp(*of_earlier_life);
  }
  offers_.Make(object->uid, std::string(object->kind->kind), WithDeadline(job));
}

core::Job ClusterJobs::WithDeadline(core::Job job) const {
  if (!job.start_by && !job.finish_by) job.start_by = job.submitted + options_.default_max_delay;
  return job;
}

// Follows changes of an object that were made while no controller ran. False if no change expresses
// them, so that the object has to be offered as another job. Changes of a running object are
// followed once it waits again.
bool ClusterJobs::FollowMeanwhile(core::JobId job, const core::Job& offered) {
  const auto known = known_.find(job);
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(offered.id);
  if (known == known_.end() || !known->second.earlier || !object) return true;
  const core::Job told = *std::exchange(known->second.earlier, std::nullopt);
  if (object->phase == kubernetes::ObjectPhase::kReleased) return true;
  core::Job wanted = WithDeadline(offered);
  wanted.id = told.id;
  wanted.submitted = told.submitted;
  const auto change = kubernetes::ChangeTo(told, wanted, object->attempt > 0);
  if (!change) return false;
  if (*change != core::JobChange{})
    changes_.push_back({offered.id, ports_.ask(service::ChangeJob{job, *change, {}, {}})});
  return true;
}

void ClusterJobs::HearChanges() {
  std::erase_if(changes_, [&](Change& change) {
    if (change.answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
    if (!change.answer.get()) cluster_.reconciler().ChangeRefused(change.number);
    return true;
  });
}

// Settles jobs of an earlier controller for which no object was offered.
void ClusterJobs::SettleUnknown() {
  for (const auto& [uid, job] : jobs_.live()) {
    if (jobs_.NumberOf(job)) continue;
    const kubernetes::GatedObject* object = cluster_.reconciler().FindObject(uid);
    const bool succeeded = object && object->phase == kubernetes::ObjectPhase::kSucceeded;
    const bool failed = object && object->phase == kubernetes::ObjectPhase::kFailed;
    if (!succeeded && !failed) {
      std::ignore = ports_.ask(service::Cancel{job});
      continue;
    }
    engine::JobReport report;
    report.job = job;
    report.attempt = std::max(object->attempt, 1);
    report.phase = succeeded ? JobPhase::kSucceeded : JobPhase::kFailed;
    report.since = Now();
    report.exit_code = failed ? 1 : 0;
    report.detail = failed ? std::string(object->kind->kind) + " failed" : "";
    reports_.push_back(std::move(report));
  }
}

std::vector<engine::JobReport> ClusterJobs::Translated(std::vector<engine::JobReport> reports) {
  std::vector<engine::JobReport> all = std::exchange(reports_, {});
  std::vector<engine::JobReport> early = std::exchange(early_, {});
  std::ranges::move(reports, std::back_inserter(early));
  for (engine::JobReport& report : early) {
    if (const auto job = jobs_.JobOf(report.job)) {
      report.job = *job;
      running_.Follow(report, report.devices > 0 ? report.devices : known_.at(*job).width);
      all.push_back(std::move(report));
    } else if (offers_.Contains(report.job)) {
      early_.push_back(std::move(report));
    }
  }
  return all;
}

std::vector<local::SupervisedFigures> ClusterJobs::Running() const {
  std::vector<local::SupervisedFigures> all;
  for (const auto& [job, running] : running_.all()) {
    local::SupervisedFigures& figures = all.emplace_back(running.figures);
    const auto measured = accounts_.FiguresOf(job, figures.attempt);
    figures.is_measured = measured.has_value();
    if (measured) figures.figures = *measured;
    figures.figures.elapsed = std::max(Duration{}, Now() - running.began);
    if (const auto number = jobs_.NumberOf(job))
      figures.begins_after = cluster_.NodeItWaitsFor(*number);
  }
  return all;
}

Result<std::vector<engine::JobReport>> ClusterJobs::Observe() {
  TakeOffers();
  EBB_ASSIGN_OR_RETURN(auto reports, cluster_.Observe());
  std::erase_if(reports, [&](const auto& report) { return !jobs_.JobOf(report.job); });
  auto early = std::exchange(early_, {});
  auto all = Translated(std::move(reports));
  early_ = std::move(early);
  return all;
}

// Waits for reports; a look at budgets alone does not end the wait, because it is no reason to
// decide.
Result<std::vector<engine::JobReport>> ClusterJobs::WaitBesideBudgets(Time deadline) {
  for (;;) {
    if (budgets_ && Now() >= budgets_->due()) budgets_->Look(Now());
    const Time until = budgets_ ? std::min(deadline, budgets_->due()) : deadline;
    auto reports = cluster_.WaitForEvents(until);
    const bool is_only_for_budgets =
        reports && reports->empty() && until < deadline && Now() >= until;
    if (!is_only_for_budgets) return reports;
  }
}

Result<std::vector<engine::JobReport>> ClusterJobs::WaitForEvents(Time deadline) {
  TakeOffers();
  heartbeat_.Rest();
  if (accounts_.NextDue()) deadline = std::min(deadline, Now() + kLooksAgainAfter);
  auto reports = WaitBesideBudgets(reports_.empty() ? deadline : Time::min());
  heartbeat_.Beat();
  heartbeat_.At("reading what was measured in the cluster");
  FollowRecords();
  if (!reports) return reports;
  TakeOffers();
  return Translated(*std::move(reports));
}

// From the service to the cluster ------------------------------------------------------------

Status ClusterJobs::Execute(const engine::Command& command) {
  const core::JobId job = JobOf(command);
  const auto number = jobs_.NumberOf(job);
  if (!number) {
    const auto* cancel = std::get_if<engine::CancelJob>(&command);
    if (!cancel) return Fail({ExitCode::kTryLater, "its object is not there", "", ""});
    engine::JobReport report;
    report.job = job;
    report.attempt = cancel->attempt;
    report.phase = JobPhase::kCancelled;
    report.since = Now();
    reports_.push_back(std::move(report));
    return {};
  }
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(*number);
  Status done = MayStart(command, object);
  if (done) {
    engine::Command translated = command;
    std::visit([&](auto& each) { each.job = *number; }, translated);
    done = cluster_.Execute(translated);
    object = cluster_.reconciler().Find(*number);
  }
  known_.at(job).failure = done ? "" : done.error().what;
  if (!done) options_.say((object ? object->job.name + ": " : "") + done.error().Message());
  return done;
}

// Asks the budgets of the job's namespace before a start.
Status ClusterJobs::MayStart(const engine::Command& command,
                             const kubernetes::GatedObject* object) {
  const auto* start = std::get_if<engine::StartJob>(&command);
  if (!budgets_ || !object || !start) return {};
  core::Job job = object->job;
  job.id = start->job;
  return budgets_->MayStart(job, start->devices > 0 ? start->devices : job.devices,
                            object->phase == kubernetes::ObjectPhase::kReleased, Now());
}

void ClusterJobs::Tell(const engine::Decision& decision) {
  for (const engine::Explanation& explanation : decision.explanations) Tell(explanation);
  for (const engine::Explanation& explanation : decision.restated) Tell(explanation);
}

void ClusterJobs::Tell(const engine::Explanation& explanation) {
  const auto found = known_.find(explanation.job);
  if (found == known_.end()) return;
  Known& known = found->second;
  const bool is_news = std::exchange(known.said, explanation.stage) != explanation.stage;
  const auto number = jobs_.NumberOf(explanation.job);
  const kubernetes::GatedObject* object = number ? cluster_.reconciler().Find(*number) : nullptr;
  if (!object) return;
  std::string sentence = engine::Sentence(explanation);
  if (budgets_ && explanation.reason.rule == core::GateRule::kHeld)
    if (const std::string why = budgets_->WhyHeld(object->job); !why.empty())
      sentence = std::string(engine::Name(explanation.stage)) + ": " + why;
  if (!known.failure.empty() && explanation.reason.rule == core::GateRule::kRetryLater)
    sentence += "; " + known.failure;
  if (is_news) options_.say(object->job.name + ": " + sentence);
  const auto start = explanation.reason.start;
  kubernetes::ObjectNote note{std::string(engine::Name(explanation.stage)), sentence,
                              start ? FormatTime(*start) : ""};
  const int site = SiteOf(explanation.pool);
  if (site > 0)
    known.cluster = cluster_.cluster().sites[static_cast<std::size_t>(site)].name;
  else if (explanation.pool >= 0)
    known.cluster.clear();
  note.cluster = known.cluster;
  NoteIntensities(explanation, *object, is_news, known);
  note.at_submission = known.at_submission.value_or("");
  note.at_start = known.at_start;
  cluster_.reconciler().Note(*number, std::move(note));
  ports_.show_remark(explanation.job, cluster_.reconciler().KeptWidth(*number));
}

// The site of a pool: the cluster's own (0), or a worker cluster.
int ClusterJobs::SiteOf(int pool) const {
  const auto& pools = cluster_.cluster().pools;
  const auto number = static_cast<std::size_t>(pool);
  return pool >= 0 && number < pools.size() ? pools[number].site : 0;
}

// Notes the intensity at the creation of the object, in the cluster's own zone, and at its first
// release, where it runs.
void ClusterJobs::NoteIntensities(const engine::Explanation& explanation,
                                  const kubernetes::GatedObject& object, bool is_news,
                                  Known& known) const {
  const auto text = [](const std::optional<Intensity>& intensity) {
    return intensity ? Rounded(intensity->g_per_kwh) : "";
  };
  if (!known.at_submission)
    known.at_submission = text(ports_.metering->IntensityAt(object.created));
  const engine::Stage stage = explanation.stage;
  const bool begins = stage == engine::Stage::kStarting || stage == engine::Stage::kRunning;
  if (is_news && begins && object.attempt <= 1 && known.at_start.empty())
    known.at_start = text(SiteOf(explanation.pool) == 0 ? ports_.metering->IntensityAt(Now())
                                                        : explanation.reason.current);
}

// Figures ------------------------------------------------------------------------------------

void ClusterJobs::FollowRecords() {
  const bool counted = accounts_.Tick(), added = overheads_.Tick();
  const std::int64_t changes = cluster_.node_wait_changes();
  const bool waits = std::exchange(node_wait_changes_, changes) != changes;
  if (counted || added || waits) ports_.metering->Publish();
  const Duration before = platform::SinceBoot() - kHeardOfFor;
  std::erase_if(ended_, [&](const auto& ended) {
    if (ended.second.second > before) return false;
    accounts_.Forget(ended.second.first);
    overheads_.Forget(ended.first);
    figures_.Forget(ended.first);
    return true;
  });
}

void ClusterJobs::TellFigures(const service::JobCard& card) {
  if (const std::string uid = UidOfKey(card.submission->key); !uid.empty())
    figures_.Write(uid, card);
}

}  // namespace ebb::app
