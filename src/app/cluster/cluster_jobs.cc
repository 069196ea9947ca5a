#include "app/cluster/cluster_jobs.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/offered_change.h"
#include "platform/system_clock.h"

namespace ebb::app {
namespace {

using engine::JobPhase;

constexpr std::string_view kKeyPrefix = "kubernetes/";
constexpr char kTimesMark = '#';
// Keys of annotations, without the prefix.
constexpr const char *kEnergyKey = "energy-j", *kEmissionsKey = "emissions-g",
                     *kSavedKey = "saved-g", *kUntilKey = "measured-until",
                     *kIdleEnergyKey = "idle-energy-j", *kIdleEmissionsKey = "idle-emissions-g";
// Agents that were away may report jobs that ended up to this long ago.
constexpr std::chrono::hours kHeardOfFor{1};
constexpr std::chrono::seconds kLooksAgainAfter{1};
constexpr int kDigits = 6;
constexpr double kMostJoules = 1e12;  // limit above which a job's energy is not credible

std::string KeyOf(const std::string& uid, int times) {
  std::string key = std::string(kKeyPrefix) + uid;
  return times == 0 ? key : key + kTimesMark + std::to_string(times);
}

// The uid in a submission's key; empty if the key is not that of an object.
std::string UidOf(const std::string& key) {
  if (!key.starts_with(kKeyPrefix)) return "";
  const std::string uid = key.substr(kKeyPrefix.size());
  return uid.substr(0, uid.find(kTimesMark));
}

// Removes the object's name from an Error, because the caller reports it with the name.
Error WithoutName(Error error, const std::string& name) {
  if (error.where == name) error.where.clear();
  return error;
}

// The value with six significant digits and without trailing zeros.
std::string Rounded(double value) {
  return FormatExact(ParseNumber(FormatSignificant(value, kDigits)).value_or(value));
}

core::JobId JobOf(const engine::Command& command) {
  return std::visit([](const auto& c) { return c.job; }, command);
}

}  // namespace

ClusterJobs::ClusterJobs(kubernetes::ClusterExecutor& cluster, service::ExecutorPorts ports,
                         ClusterJobsOptions options)
    : cluster_(cluster),
      ports_(std::move(ports)),
      options_(std::move(options)),
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
                          const NodeOverhead& sum) { TellOverhead(uid, sum); },
           .pue = options_.pue}) {
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
  if (const auto live = by_uid_.find(uid); live != by_uid_.end()) return live->second;
  const auto ended = ended_.find(uid);
  return ended == ended_.end() ? std::nullopt : std::optional(ended->second.first);
}

std::optional<int> ClusterJobs::stop_signal() const {
  if (const auto stopped = cluster_.stop_signal()) return stopped;
  return cluster_.has_lost_lease() ? std::optional(0) : std::nullopt;
}

// Numbers of jobs -----------------------------------------------------------------------------

Status ClusterJobs::Add(local::LocalJob job) {
  const std::string uid = UidOf(job.submission->key);
  if (uid.empty())
    return Fail({ExitCode::kUsage, "jobs of this service are objects of a cluster", job.job().name,
                 "create one with the label ebb/wait=true (docs/kubernetes.md)"});
  const core::JobId id = job.job().id;
  by_uid_[uid] = id;
  uid_of_[id] = uid;
  width_of_[id] = job.job().devices;
  if (const auto offer = offered_.find(uid); offer != offered_.end())
    Bind(id, offer->second);
  else
    earlier_[id] = job.job();
  return {};
}

void ClusterJobs::Bind(core::JobId job, core::JobId number) {
  number_of_[job] = number;
  job_of_[number] = job;
}

void ClusterJobs::Unbind(core::JobId job) {
  failures_.erase(job);
  if (const auto found = number_of_.find(job); found != number_of_.end()) {
    job_of_.erase(found->second);
    number_of_.erase(found);
  }
  if (const auto found = uid_of_.find(job); found != uid_of_.end()) {
    const auto live = by_uid_.find(found->second);
    if (live != by_uid_.end() && live->second == job) by_uid_.erase(live);
    uid_of_.erase(found);
  }
  width_of_.erase(job);
  earlier_.erase(job);
}

// Forgets a job. The loop calls this when the end is stored, and again once the engine has decided
// upon it; until then the end is not written on the object.
void ClusterJobs::Forget(core::JobId job) {
  const auto said = said_.find(job);
  if (said == said_.end() || !engine::HasEnded(said->second)) return;
  if (const auto found = number_of_.find(job); found != number_of_.end())
    cluster_.Forget(found->second);
  if (const auto uid = uid_of_.find(job); uid != uid_of_.end()) {
    ended_[uid->second] = {job, platform::SinceBoot()};
    if (!accounts_.Ended(job, uid->second)) ports_.metering->Complete(job);
  }
  Unbind(job);
  said_.erase(job);
  intensities_.erase(job);
}

// From the cluster to the service ------------------------------------------------------------

void ClusterJobs::TakeOffers() {
  HearAnswers();
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
  if (const auto offer = offers_.find(number); offer != offers_.end())
    return offer->second.later.push_back(fact);
  const auto job = job_of_.find(number);
  if (job == job_of_.end()) return;
  if (changed)
    changes_.push_back(
        {number, ports_.ask(service::ChangeJob{job->second, changed->change, {}, {}})});
  else
    std::ignore = ports_.ask(service::Cancel{job->second});
  // The object may be offered again as another job.
  if (cancelled) by_uid_.erase(uid_of_[job->second]);
}

void ClusterJobs::TakeSubmission(const core::Job& job) {
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(job.id);
  if (!object) return;  // deleted meanwhile
  if (offers_.contains(job.id)) return;
  if (const auto known = by_uid_.find(object->uid); known != by_uid_.end()) {
    const core::JobId of_earlier_life = known->second;
    if (FollowMeanwhile(of_earlier_life, job)) return Bind(of_earlier_life, job.id);
    std::ignore = ports_.ask(service::Cancel{of_earlier_life});
    by_uid_.erase(object->uid);
  }
  Offer& offer = offers_[job.id] = {.uid = object->uid, .job = job};
  offered_[object->uid] = job.id;
  Ask(job.id, offer);
}

core::Job ClusterJobs::WithDeadline(core::Job job) const {
  if (!job.start_by && !job.finish_by) job.start_by = job.submitted + options_.default_max_delay;
  return job;
}

// Follows changes of an object that were made while no controller ran. False if no change expresses
// them, so that the object has to be offered as another job. Changes of a running object are
// followed once it waits again.
bool ClusterJobs::FollowMeanwhile(core::JobId known, const core::Job& offered) {
  const auto earlier = earlier_.find(known);
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(offered.id);
  if (earlier == earlier_.end() || !object) return true;
  const core::Job told = std::move(earlier->second);
  earlier_.erase(earlier);
  if (object->phase == kubernetes::ObjectPhase::kReleased) return true;
  core::Job wanted = WithDeadline(offered);
  wanted.id = told.id;
  wanted.submitted = told.submitted;
  const auto change = kubernetes::ChangeTo(told, wanted, object->attempt > 0);
  if (!change) return false;
  if (*change != core::JobChange{})
    changes_.push_back({offered.id, ports_.ask(service::ChangeJob{known, *change, {}, {}})});
  return true;
}

void ClusterJobs::Ask(core::JobId number, Offer& offer) {
  service::Submit submit;
  core::Submission& submission = submit.submission;
  submission.job = offer.job;
  submission.job.id = 0;
  submission.job = WithDeadline(submission.job);
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(number);
  submission.command = {object ? std::string(object->kind->kind) : "object", offer.job.name};
  submission.working_directory = "/";
  submission.key = KeyOf(offer.uid, offer.times);
  submit.since = offer.job.submitted;
  submit.duration_given = submit.power_given = submit.no_check = true;
  offer.answer = ports_.ask(std::move(submit));
}

void ClusterJobs::HearAnswers() {
  std::vector<engine::Fact> later;
  for (auto at = offers_.begin(); at != offers_.end();) {
    const core::JobId number = at->first;
    Offer& offer = at->second;
    if (offer.answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
      ++at;
      continue;
    }
    const Result<service::Answer> answer = offer.answer.get();
    // The object was offered before, as a job that has ended.
    if (answer && answer->existing) {
      ++offer.times;
      Ask(number, offer);
      ++at;
      continue;
    }
    if (!answer)
      cluster_.reconciler().Refused(number, WithoutName(answer.error(), offer.job.name));
    else if (offer.times == 0)
      TakeEarlier(offer.uid, answer->job);
    std::ranges::move(offer.later, std::back_inserter(later));
    if (const auto found = offered_.find(offer.uid);
        found != offered_.end() && found->second == number)
      offered_.erase(found);
    at = offers_.erase(at);
  }
  for (const engine::Fact& fact : later) TakeFact(fact);
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
  for (const auto& [uid, job] : by_uid_) {
    if (number_of_.contains(job)) continue;
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
    const auto job = job_of_.find(report.job);
    if (job != job_of_.end()) {
      report.job = job->second;
      FollowDevices(report);
      all.push_back(std::move(report));
    } else if (offers_.contains(report.job)) {
      early_.push_back(std::move(report));
    }
  }
  return all;
}

// A running job takes as many slots as it has devices, the lowest free ones.
void ClusterJobs::FollowDevices(const engine::JobReport& report) {
  const auto known = running_.find(report.job);
  if (known != running_.end()) {
    if (report.phase == JobPhase::kRunning && known->second.attempt == report.attempt) return;
    for (const int slot : known->second.slots) taken_[known->second.pool].erase(slot);
    running_.erase(known);
    began_.erase(report.job);
  }
  if (report.phase != JobPhase::kRunning) return;
  local::SupervisedFigures figures;
  figures.job = report.job;
  figures.attempt = report.attempt;
  figures.pool = report.pool;
  began_[report.job] = report.since;
  std::set<int>& taken = taken_[report.pool];
  for (int slot = 0; std::ssize(figures.slots) < width_of_[report.job]; ++slot)
    if (taken.insert(slot).second) figures.slots.push_back(slot);
  running_.emplace(report.job, std::move(figures));
}

std::vector<local::SupervisedFigures> ClusterJobs::Running() const {
  std::vector<local::SupervisedFigures> running;
  for (const auto& [job, figures] : running_) {
    running.push_back(figures);
    const auto measured = accounts_.FiguresOf(job, figures.attempt);
    running.back().is_measured = measured.has_value();
    if (measured) running.back().figures = *measured;
    running.back().figures.elapsed = std::max(Duration{}, Now() - began_.at(job));
    if (const auto number = number_of_.find(job); number != number_of_.end())
      running.back().begins_after = cluster_.NodeItWaitsFor(number->second);
  }
  return running;
}

Result<std::vector<engine::JobReport>> ClusterJobs::Observe() {
  TakeOffers();
  EBB_ASSIGN_OR_RETURN(auto reports, cluster_.Observe());
  std::erase_if(reports, [&](const auto& report) { return !job_of_.contains(report.job); });
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
  const auto number = number_of_.find(JobOf(command));
  if (number == number_of_.end()) {
    const auto* cancel = std::get_if<engine::CancelJob>(&command);
    if (!cancel) return Fail({ExitCode::kTryLater, "its object is not there", "", ""});
    engine::JobReport report;
    report.job = cancel->job;
    report.attempt = cancel->attempt;
    report.phase = JobPhase::kCancelled;
    report.since = Now();
    reports_.push_back(std::move(report));
    return {};
  }
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(number->second);
  Status done = MayStart(command, object);
  if (done) {
    engine::Command translated = command;
    std::visit([&](auto& c) { c.job = number->second; }, translated);
    done = cluster_.Execute(translated);
    object = cluster_.reconciler().Find(number->second);
  }
  failures_.erase(JobOf(command));
  if (!done) {
    failures_[JobOf(command)] = done.error().what;
    options_.say((object ? object->job.name + ": " : "") + done.error().Message());
  }
  return done;
}

// Asks the budgets of the job's namespace before a start.
Status ClusterJobs::MayStart(const engine::Command& command,
                             const kubernetes::GatedObject* object) {
  if (!budgets_ || !object || !std::holds_alternative<engine::StartJob>(command)) return {};
  core::Job job = object->job;
  job.id = JobOf(command);
  return budgets_->MayStart(job, object->phase == kubernetes::ObjectPhase::kReleased, Now());
}

void ClusterJobs::Tell(const engine::Decision& decision) {
  for (const engine::Explanation& explanation : decision.explanations) Tell(explanation);
  for (const engine::Explanation& explanation : decision.restated) Tell(explanation);
}

void ClusterJobs::Tell(const engine::Explanation& explanation) {
  const auto said = said_.find(explanation.job);
  const bool is_news = said == said_.end() || said->second != explanation.stage;
  said_[explanation.job] = explanation.stage;
  const auto number = number_of_.find(explanation.job);
  if (number == number_of_.end()) return;
  const kubernetes::GatedObject* object = cluster_.reconciler().Find(number->second);
  if (!object) return;
  std::string sentence = engine::Sentence(explanation);
  if (budgets_ && explanation.reason.rule == core::GateRule::kHeld)
    if (const std::string why = budgets_->WhyHeld(object->job); !why.empty())
      sentence = std::string(engine::Name(explanation.stage)) + ": " + why;
  const auto failure = failures_.find(explanation.job);
  if (failure != failures_.end() && explanation.reason.rule == core::GateRule::kRetryLater)
    sentence += "; " + failure->second;
  if (is_news) options_.say(object->job.name + ": " + sentence);
  const auto start = explanation.reason.start;
  kubernetes::ObjectNote note{std::string(engine::Name(explanation.stage)), sentence,
                              start ? FormatTime(*start) : ""};
  NoteIntensities(explanation, *object, is_news, note);
  cluster_.reconciler().Note(number->second, std::move(note));
}

// Notes the intensity at the creation of the object, and at its first release.
void ClusterJobs::NoteIntensities(const engine::Explanation& explanation,
                                  const kubernetes::GatedObject& object, bool is_news,
                                  kubernetes::ObjectNote& note) {
  const auto at = [&](Time time) {
    const auto intensity = ports_.metering->IntensityAt(time);
    return intensity ? Rounded(intensity->g_per_kwh) : "";
  };
  const auto [known, is_new] = intensities_.try_emplace(explanation.job);
  if (is_new) known->second.first = at(object.created);
  const bool begins =
      explanation.stage == engine::Stage::kStarting || explanation.stage == engine::Stage::kRunning;
  if (is_news && begins && object.attempt <= 1 && known->second.second.empty())
    known->second.second = at(Now());
  std::tie(note.at_submission, note.at_start) = known->second;
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
    written_.erase(ended.first);
    return true;
  });
}

// Adds the energy that a controller with another store counted before: only the object's
// annotations still have it.
void ClusterJobs::TakeEarlier(const std::string& uid, core::JobId job) {
  const auto written = [&](const char* key) {
    return cluster_.reconciler().notes().Written(uid, key);
  };
  const auto joules = ParseNumber(written(kEnergyKey));
  const auto until = ParseTime(written(kUntilKey));
  const kubernetes::GatedObject* object = cluster_.reconciler().FindObject(uid);
  if (!object || !joules || *joules <= 0 || *joules > kMostJoules || !until ||
      *until <= object->created)
    return;
  std::optional<Emissions> emissions;
  if (const auto grams = ParseNumber(written(kEmissionsKey)); grams && *grams >= 0)
    emissions = Emissions{*grams};
  ports_.metering->AddEarlier(job, std::max(object->attempt, 1), {object->created, *until},
                              Energy::Joules(*joules), emissions);
  accounts_.CountedBefore(uid, *until);
}

void ClusterJobs::TellOverhead(const std::string& uid, const NodeOverhead& sum) {
  cluster_.reconciler().notes().WriteOverhead(
      uid, {{kIdleEnergyKey, FormatExact(sum.energy.joules())},
            {kIdleEmissionsKey, sum.emissions ? Rounded(sum.emissions->grams) : ""}});
}

void ClusterJobs::TellFigures(const service::JobCard& card) {
  const std::string uid = UidOf(card.submission->key);
  if (uid.empty() || card.energy == Energy{}) return;
  const engine::Stage stage = card.explanation.stage;
  std::map<std::string, std::string> figures{{kEnergyKey, FormatExact(card.energy.joules())}};
  const auto emitted = card.emitted();
  if (emitted) figures[kEmissionsKey] = Rounded(emitted->grams);
  if (emitted && card.emissions_at_submission)
    figures[kSavedKey] = Rounded(card.emissions_at_submission->grams - emitted->grams);
  if (const auto until = accounts_.CountedUpTo(uid)) figures[kUntilKey] = FormatTime(*until);
  Written& written = written_[uid];
  const Duration now = platform::SinceBoot();
  const bool runs = stage == engine::Stage::kRunning || stage == engine::Stage::kStarting;
  if (written.figures == figures) return;
  if (runs && !written.figures.empty() && now - written.at < options_.figures_every) return;
  written = {figures, now};
  cluster_.reconciler().notes().WriteFigures(uid, figures);
}

}  // namespace ebb::app
