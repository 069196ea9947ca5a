// How the parts of a service are connected. Parts that need the executor or the engine get
// functions or interfaces, because both are made later, when the service recovers.

#include "engine/admission.h"
#include "engine/job_change.h"
#include "local/files/job_folder.h"
#include "plan/feasibility/feasibility.h"
#include "platform/system_clock.h"
#include "service/observer.h"
#include "service/service.h"

namespace ebb::service {

// The jobs of this service's executor.
class Service::ExecutorJobs final : public KnownJobs {
 public:
  explicit ExecutorJobs(Service& service) : service_(service) {}
  Status Add(const SharedSubmission& submission) override {
    return service_.executor_->Add({submission, service_.DirectoryOf(submission->job.id)});
  }
  void Replace(const SharedSubmission& submission) override {
    service_.executor_->Replace(submission);
  }
  void Forget(core::JobId job) override { service_.executor_->Forget(job); }

 private:
  Service& service_;
};

// Checks against the devices of the executor and the queue of the engine.
class Service::EngineChecks final : public AdmissionChecks {
 public:
  explicit EngineChecks(const Service& service) : service_(service) {}
  // Devices that are away are expected back. While none is known yet, nobody can say what will fit.
  Status CheckDevices(const core::Job& job) const override {
    const core::Cluster cluster = Devices();
    return cluster.pools.empty() ? Status{} : plan::CheckJob(job, cluster);
  }
  Status CheckWithout(const core::Job& job, Time now,
                      const std::vector<core::JobId>& cancelled) const override {
    return engine::CheckAdmission(service_.engine_->state(), service_.options_.engine, job, now,
                                  cancelled);
  }
  core::Cluster Devices() const override { return core::WithAway(service_.executor_->cluster()); }
  Result<core::Job> CheckChange(const engine::JobChanged& change, Time now) const override {
    return engine::ChangedJob(service_.engine_->state(), service_.options_.engine, change, now);
  }

 private:
  const Service& service_;
};

// A function that ends the loop's wait, from any thread.
std::function<void()> Service::Waker() {
  return [this] { executor_->Wake(); };
}

// A function that reads the grid clock.
std::function<Time()> Service::Clock() const {
  return [this] { return executor_->Now(); };
}

std::function<std::filesystem::path(core::JobId)> Service::Directories() const {
  return [this](core::JobId job) { return DirectoryOf(job); };
}

Service::Service(ServiceOptions options, store::ServiceStore store, runtime::SignalFeed& feed,
                 runtime::GridClock& clock, platform::ProcessSignals& signals)
    : options_(std::move(options)),
      feed_(feed),
      clock_(clock),
      signals_(signals),
      store_(std::move(store)),
      events_(publisher_, Clock()),
      executor_jobs_(std::make_unique<ExecutorJobs>(*this)),
      checks_(std::make_unique<EngineChecks>(*this)),
      inbox_(Waker()),
      facts_(Waker()),
      holds_({store_, publisher_, dependencies_, facts_}),
      recurring_(platform::LocalUtcOffset,
                 [this](const std::string& text) { events_.Say(0, text); }),
      power_choices_(store_, options_.executor.power_cap, options_.executor.slower_by),
      width_history_(store_),
      width_watch_({.history = width_history_,
                    .publisher = publisher_,
                    .events = events_,
                    .facts = facts_,
                    .directory_of = Directories(),
                    .model_of = [this](int pool) { return ModelOf(pool); },
                    .live_jobs = [this] { return LiveJobs(); },
                    .now = Clock()}),
      estimator_(
          store_, [this] { return Pools(); }, options_.devices.profiles),
      sweeps_({.store = store_,
               .clock = clock_,
               .pue = options_.executor.cluster.sites.front().pue,
               .directory_of = Directories(),
               .live = [this](core::JobId job) { return FindLiveOrHeld(job); },
               .stop =
                   [this](core::JobId job, std::string why) {
                     facts_.PushAndWake(engine::JobCancelled{job, std::move(why)});
                   },
               .events = events_}),
      sweep_budgets_({.store = store_,
                      .clock = clock_,
                      .pue = options_.executor.cluster.sites.front().pue,
                      .sample_interval = options_.executor.tick,
                      .jobs = holds_,
                      .publisher = publisher_,
                      .events = events_}),
      sweep_intake_(store_, sweeps_, sweep_budgets_),
      today_(platform::LocalUtcOffset),
      accounting_(
          store_, events_,
          [this](core::JobId job, std::span<const core::LedgerRow> rows) {
            sweep_budgets_.Count(job, rows);
            today_.Add(job, rows);
          },
          publisher_.counters()),
      settlements_(
          {.store = store_,
           .publisher = publisher_,
           .feed = feed_,
           .now = Clock(),
           .feeds = [this] { return Feeds(); },
           .cluster = [this] { return core::WithAway(executor_->cluster()); },
           .checkpoint_bytes =
               [this](core::JobId job) { return local::CheckpointBytes(DirectoryOf(job)); },
           .longest_delay = options_.engine.default_max_delay,
           .on_settled = [this](core::JobId job,
                                const std::vector<RanAt>& places) { OnSettled(job, places); }}),
      pruner_({.store = store_, .events = events_, .now = Clock(), .directory_of = Directories()},
              options_.keep, options_.prune_every),
      outside_metering_({.accounting = accounting_,
                         .store = store_,
                         .feed = feed_,
                         .clock = clock_,
                         .pue = options_.executor.cluster.sites.front().pue,
                         .changed = [this] { OnOutsideFigures(); },
                         .complete =
                             [this](core::JobId job) {
                               settlements_.Add(job);
                               compare_again_ = true;
                             }}),
      device_inventory_(options_.devices, {store_, publisher_, events_, Waker()}),
      submission_intake_({.store = store_,
                          .publisher = publisher_,
                          .answers = answers_,
                          .facts = facts_,
                          .holds = holds_,
                          .dependencies = dependencies_,
                          .recurring = recurring_,
                          .estimator = estimator_,
                          .power_choices = power_choices_,
                          .widths = width_history_,
                          .sweeps = sweep_intake_,
                          .jobs = *executor_jobs_,
                          .checks = *checks_}),
      change_intake_({.store = store_,
                      .publisher = publisher_,
                      .answers = answers_,
                      .holds = holds_,
                      .dependencies = dependencies_,
                      .sweeps = sweep_intake_,
                      .jobs = *executor_jobs_,
                      .checks = *checks_}),
      recurring_intake_({store_, publisher_, answers_, recurring_, *checks_}),
      intake_({.inbox = inbox_,
               .publisher = publisher_,
               .answers = answers_,
               .facts = facts_,
               .submissions = submission_intake_,
               .changes = change_intake_,
               .recurring = recurring_intake_,
               .change_device =
                   [this](const ChangeDevice& change) { return device_inventory_.Change(change); },
               .patience = [this] { return Patience(); },
               .own_due = [this] { return settlements_.NextAt(); },
               .is_last = options_.until_idle}),
      observer_(std::make_unique<Observer>(*this)),
      first_come_(options_.store, Waker(), !options_.sites.empty()) {}

// Threads of the feed and of the snapshot wake the executor, so they are stopped first.
Service::~Service() {
  feed_.OnNews({});
  for (runtime::SignalFeed* feed : options_.site_feeds) feed->OnNews({});
  store_.AbandonSnapshot();
}

}  // namespace ebb::service
