// How a service begins: it goes on where its last life left off, by the store, the folders of the
// jobs and the programs that still run.

#include <algorithm>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "core/run/accounting.h"
#include "local/files/job_folder.h"
#include "plan/make_policy.h"
#include "service/accounting/place_and_time.h"
#include "service/accounting/settlement.h"
#include "service/accounting/waited_job.h"
#include "service/planning/timed.h"
#include "service/service.h"
#include "store/database/job_numbers.h"
#include "store/device_history.h"
#include "store/ended_sums.h"
#include "store/engine_setup.h"

namespace ebb::service {
namespace {

constexpr std::chrono::days kLongAway{30};  // a longer time between two lives may be a wrong clock

// The numbers of an attempt's devices in their pool; none: one of the devices is gone.
std::vector<int> SlotsOf(const store::AttemptRecord& attempt,
                         const local::SupervisedExecutor* machine) {
  const local::DeviceRegister* devices = machine ? &machine->devices() : nullptr;
  const bool known =
      devices && attempt.pool >= 0 && attempt.pool < std::ssize(devices->pools().pools);
  const auto names = known ? devices->NamesOf(attempt.pool) : std::vector<std::string>();
  std::vector<int> slots;
  for (const std::string& device : attempt.devices) {
    std::optional<long long> slot;
    if (names.empty()) slot = ParseInteger(device);
    if (const auto found = std::find(names.begin(), names.end(), device); found != names.end())
      slot = found - names.begin();
    if (!slot) return {};
    slots.push_back(static_cast<int>(*slot));
  }
  return slots;
}

// The report of the attempt that lost its work by a pause.
std::string WhyItWasLost(store::ServiceStore& store, core::JobId job) {
  std::string why;
  if (const auto attempts = store.jobs().AttemptsOf(job))
    for (const store::AttemptRecord& attempt : *attempts)
      if (attempt.phase == engine::Name(engine::JobPhase::kStartFailed)) why = attempt.detail;
  return why;
}

// The name of a pool's site, if there are several.
std::string SiteOfPool(int pool, const local::SupervisedExecutor* machine) {
  if (!machine) return "";
  const core::Cluster& cluster = machine->devices().pools();
  const bool known = pool >= 0 && pool < std::ssize(cluster.pools) && cluster.sites.size() > 1;
  return known ? cluster.SiteOf(pool).name : "";
}

// Adds to the card when and on which devices the job ran.
void PutStretches(store::ServiceStore& store, const local::SupervisedExecutor* machine,
                  JobCard& card) {
  const core::Job& job = card.submission->job;
  const auto attempts = store.jobs().AttemptsOf(job.id);
  if (!attempts) return;
  for (const store::AttemptRecord& attempt : *attempts) {
    card.attempt = std::max(card.attempt, attempt.attempt);
    if (!attempt.began) continue;
    card.stretches.push_back({*attempt.began, attempt.ended.value_or(Time::max())});
    card.slots.push_back(SlotsOf(attempt, machine));
    if (core::IsElastic(job)) card.widths.push_back(static_cast<int>(attempt.devices.size()));
    card.explanation.pool = attempt.pool;
    card.site = SiteOfPool(attempt.pool, machine);
  }
}

}  // namespace

Status Service::Recover() {
  // Programs of this machine and of sites get as many devices as a start says. Another executor
  // says whether its jobs do (ServiceOptions::engine).
  if (!options_.make_executor) options_.engine.changes_widths = true;
  EBB_ASSIGN_OR_RETURN(auto named, plan::MakePolicy(options_.policy, options_.policy_options));
  auto policy = std::make_unique<TimedPolicy>(std::move(named), publisher_.counters());
  EBB_ASSIGN_OR_RETURN(store::Recovered recovered, store_.Recover(std::make_unique<engine::Engine>(
                                                       options_.engine, std::move(policy))));
  engine_ = std::move(recovered.engine);
  store::PutEngineSetup(store_, {options_.policy, options_.engine, options_.price_file,
                                 options_.price_weight, options_.priced_from});
  // A replayed grid clock goes on where it stood: it does not run between two lives.
  if (clock_.settings().replayed && engine_->state().now > clock_.Now())
    clock_.SkipTo(engine_->state().now);

  SetAsideUnknown();
  EBB_RETURN_IF_ERROR(MakeExecutor());
  EBB_RETURN_IF_ERROR(MakePlanThread());
  CountToday();

  EBB_ASSIGN_OR_RETURN(std::vector<core::Submission> unknown, store_.UnknownSubmissions());
  EBB_ASSIGN_OR_RETURN(std::vector<core::Submission> live, store_.jobs().LiveSubmissions());
  const engine::State& state = engine_->state();
  for (core::Submission& submission : live)
    if (engine_->Explain(submission.job.id))
      EBB_RETURN_IF_ERROR(RecoverLive(std::move(submission)));
  // By now the cluster includes the devices of running programs, even if their driver is silent.
  publisher_.SetCluster(executor_->cluster());
  SayDrain();
  EBB_RETURN_IF_ERROR(RecoverEnded());
  if (state.now != Time::min() && executor_->Now() - state.now > kLongAway) pruner_.DistrustClock();
  EBB_RETURN_IF_ERROR(recurring_intake_.Load());
  intake_.Resubmit(std::move(unknown));
  for (std::size_t site = 0; site < state.signals.size(); ++site)
    publisher_.FollowSignal({static_cast<int>(site), state.signals[site].view, {}});
  publisher_.Publish(executor_->Now());
  return {};
}

// Adds what the store has of the present day. Without it, the day begins with this life.
void Service::CountToday() {
  const Time now = executor_->Now();
  today_.Turn(now);
  const Time begin = today_.day().begin;
  const auto jobs = store_.jobs().ThatRan({begin, now});
  if (!jobs) return events_.Say(0, jobs.error().Message());
  for (const store::JobSpan& span : *jobs)
    if (const auto rows = store_.ledgers().RowsOf(span.job, begin)) today_.Add(span.job, *rows);
  publisher_.SetToday(today_.figures());
}

// Takes over a job that the engine knows. Jobs that it does not know are submitted to it later.
Status Service::RecoverLive(core::Submission stored) {
  const core::JobId id = stored.job.id;
  const auto submission = std::make_shared<const core::Submission>(std::move(stored));
  const engine::State& state = engine_->state();
  const engine::LiveJob* held = state.FindHeld(id);
  EBB_RETURN_IF_ERROR(submission_intake_.Recover(submission, held != nullptr));
  JobCard card;
  card.explanation = *engine_->Explain(id);
  card.submission = submission;
  PutStretches(store_, supervised_, card);
  if (held) card.detail = holds_.WhyHeld(id);
  if (const engine::LiveJob* known = FindLiveOrHeld(id);
      known && card.detail.empty() && LosesWorkByPauses(*known, *submission))
    card.detail = WhyItWasLost(store_, id);
  if (const auto sums = store_.ledgers().SumsOf(id)) card.SetSums(*sums);
  if (const auto work = store_.jobs().WorkOf(id)) card.work = *work;
  publisher_.AddJob(std::move(card));
  publisher_.FollowJob(*engine_->Explain(id), state,
                       [this](core::JobId job) { return dependencies_.WaitsFor(job); });
  return {};
}

// A store that was restored from a backup lacks the newest jobs. Their numbers are not given out
// again, and their folders are set aside.
void Service::SetAsideUnknown() {
  if (store_.next_job_id() == store_.last_known_job() + 1) return;
  int moved = 0;
  for (const core::JobId id : store::NumberedFolders(options_.jobs_directory)) {
    if (id <= store_.last_known_job() || !local::MayBelongTo(DirectoryOf(id), options_.store))
      continue;
    const auto aside = local::SetFolderAside(DirectoryOf(id));
    if (!aside) publisher_.Say(clock_.Now(), id, aside.error().Message());
    if (aside) ++moved;
  }
  if (moved > 0)
    publisher_.Say(clock_.Now(), 0,
                   "folders of " + std::to_string(moved) +
                       " jobs that the store does not know (is it a backup?) are in " +
                       (options_.jobs_directory / "set-aside").string() + " now");
}

// Learns the power and speed of device models from jobs that have ended. Such measurements go
// before data sheets.
void Service::LearnOfDevices() {
  const core::Cluster pools = Pools();
  store::RememberPools(store_, pools);
  if (const auto runs = store::DeviceRuns(store_)) experience_ = core::Learn(*runs, pools);
}

// Adds the newest ended jobs to the view, with their savings. Older ones are only counted.
Status Service::RecoverEnded() {
  EBB_ASSIGN_OR_RETURN(const store::EndedSums sums,
                       store::CountEnded(store_, options_.ended_in_view));
  publisher_.SetForgotten(sums);
  EBB_ASSIGN_OR_RETURN(auto newest, store_.jobs().Uncounted(options_.ended_in_view));
  std::reverse(newest.begin(), newest.end());
  for (const core::JobId id : newest) EBB_RETURN_IF_ERROR(RecoverEnded(id));
  return {};
}

Status Service::RecoverEnded(core::JobId id) {
  EBB_ASSIGN_OR_RETURN(const auto record, store_.jobs().Find(id));
  EBB_ASSIGN_OR_RETURN(auto submission, store_.jobs().FindSubmission(id));
  if (!record || !submission) return {};
  JobCard card;
  card.submission = std::make_shared<const core::Submission>(*std::move(submission));
  if (const engine::Explanation* explanation = engine_->Explain(id))
    card.explanation = *explanation;
  card.explanation.job = id;
  card.explanation.stage = record->stage;
  card.explanation.reason.end = record->ended;
  card.pauses = record->pauses;
  PutStretches(store_, supervised_, card);
  card.first_start = record->first_start;
  card.ended = record->ended;
  card.exit_code = record->exit_code;
  card.detail = record->detail;
  card.SetSums(*record);
  card.work = record->work;
  EBB_ASSIGN_OR_RETURN(const auto figures, store_.jobs().FindFirstCome(id));
  if (figures) {
    card.emissions_at_submission = figures->at_submission;
    card.emissions_settled = figures->settled;
    card.saving_half_width_g = figures->saving_half_width_g;
    card.energy_half_width = figures->energy_half_width;
    card.emissions_half_width = figures->emissions_half_width;
    card.emissions_first_come = figures->emissions;
    card.first_come_half_width_g = figures->first_come_half_width_g;
    card.had_it_waited = WaitedFrom(figures->had_it_waited);
    card.place_and_time = PlaceAndTimeFrom(figures->place_and_time);
    if (figures->place) card.first_come_start = figures->place->begin;
  }
  const bool settled = card.emissions_at_submission || card.energy == Energy{} || record->pruned;
  if (!settled)
    settlements_.Add(id);
  else if (!record->pruned)
    settlements_.AddSettled(id, record->ended.value_or(Time{}),
                            card.place_and_time && !card.place_and_time->best);
  publisher_.AddEnded(std::move(card));
  return {};
}

}  // namespace ebb::service
