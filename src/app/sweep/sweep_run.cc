#include "app/sweep/sweep_run.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "app/jobs/policy_prices.h"
#include "app/jobs/run_closer.h"
#include "app/jobs/service_client.h"
#include "app/jobs/service_setup.h"
#include "app/jobs/submit_file.h"
#include "app/jobs/sweep_devices.h"
#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/run/run_trackers.h"
#include "app/sweep/sweep_budgets.h"
#include "app/sweep/sweep_report_data.h"
#include "app/sweep/sweep_runs.h"
#include "app/sweep/sweep_stored.h"
#include "base/text.h"
#include "local/files/attempt_files.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/system_clock.h"
#include "report/sweep/sweep_report.h"
#include "signals/make_feed.h"
#include "sweep/local_jobs.h"
#include "web/api/api.h"
#include "web/requests/submission_json.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr int kSomeFailed = 1;
// A budget looks ahead by one sample, so a sample must be counted within this time.
constexpr Duration kLongestTick{250};
constexpr std::chrono::milliseconds kRedraw{250};
// The key of the sweep and of its experiments: submitting them again gives the existing ones.
constexpr const char* kKey = "sweep";

// Shows the service and writes the runs, on a thread of its own, until it is stopped.
class SweepWatcher {
 public:
  SweepWatcher(const service::Service& service, SweepObserver& observer, SweepRuns& runs)
      : service_(service), observer_(observer), runs_(runs), thread_([this] { Work(); }) {}
  ~SweepWatcher() { Stop(); }
  SweepWatcher(const SweepWatcher&) = delete;
  SweepWatcher& operator=(const SweepWatcher&) = delete;

  /// Looks at everything a last time and stops.
  void Stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    thread_.join();
    Look(*service_.view(), true);
    observer_.Finish();
  }

 private:
  void Work() {
    std::uint64_t version = 0;
    while (!stopping_) {
      const auto view = service_.WaitForNewer(version, kRedraw);
      version = view->version;
      Look(*view, false);
    }
  }
  void Look(const service::View& view, bool is_last) {
    observer_.Show(view, service_.GridNow());
    for (const std::string& trouble : runs_.Keep(view, is_last))
      if (said_.insert(trouble).second)
        observer_.Say("note: not all of it could be kept: " + trouble);
  }

  const service::Service& service_;
  SweepObserver& observer_;
  SweepRuns& runs_;
  std::set<std::string> said_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// The page of the service during the sweep, at an address of this machine.
class LivePage {
 public:
  LivePage(service::Service& service, web::ApiOptions options)
      : api_(service, std::move(options)), address_("127.0.0.1", 0, door_) {
    door_.Open([this](const web::HttpRequest& request) { return api_.Handle(request); });
  }
  ~LivePage() { address_.Leave(); }
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;
  Result<std::string> Listen() { return address_.Listen(); }

 private:
  web::Api api_;
  web::StartupHandler door_;
  Address address_;
};

class SweepSession {
 public:
  /// `as_written`: the sweep without changes by flags.
  SweepSession(SweepRunRequest request, sweep::Sweep sweep, std::string as_written,
               RunOptions options, SweepPaths paths, const MakeSweepObserver& make_observer)
      : request_(std::move(request)),
        sweep_(std::move(sweep)),
        as_written_(std::move(as_written)),
        options_(std::move(options)),
        paths_(std::move(paths)),
        wall_(signals_),
        observer_(make_observer(sweep_.name, options_,
                                [this](core::JobId job) { return service_->DirectoryOf(job); })) {}

  Result<int> Run(bool continued);
  /// Call it before the sweep's directory is removed.
  void Close() { service_.reset(); }

 private:
  using Answers = std::vector<std::future<Result<service::Answer>>>;
  Status OpenSignal();
  Result<service::ServiceOptions> ServiceOptions();
  Status CheckDevices() const;
  Status CheckDeadlines() const;
  Result<Answers> AskForAll();
  Result<store::SweepRecord> CheckSweepBudget() const;
  Status ChangeBudgets();
  Result<int> RunService();
  Result<int> Finish(int refused);
  std::vector<const service::JobCard*> Cards(const service::View& view) const;
  int WantsMore(const std::string& why, const std::string& flag) const;
  std::string SameCommand() const;
  int Stopped() const;

  SweepRunRequest request_;
  sweep::Sweep sweep_;
  std::string as_written_;
  RunOptions options_;
  SweepPaths paths_;
  platform::ProcessSignals signals_;
  platform::SystemClock wall_;
  std::unique_ptr<runtime::SignalFeed> feed_;
  std::optional<prices::PriceSource> prices_;
  std::optional<runtime::GridClock> clock_;
  std::unique_ptr<RunCloser> closer_;
  std::unique_ptr<service::Service> service_;
  const std::unique_ptr<SweepObserver> observer_;  // destroyed first, because it asks the service
                                                   // for folders
};

// A replayed grid clock stands still between calls; the store knows its position.
Status SweepSession::OpenSignal() {
  EBB_RETURN_IF_ERROR(ValidateSignal(options_));
  EBB_RETURN_IF_ERROR(CheckTrackers(options_.tracking));
  const auto stop_asked = [this] { return wall_.StopAsked(); };
  EBB_ASSIGN_OR_RETURN(feed_,
                       signals::MakeFeed(options_.scheduler.signal, platform::HttpGet, stop_asked));
  if (wall_.stop_signal())
    return Fail({ExitCode::kTryLater, "stopped before anything was started", "",
                 "the same command continues"});
  const auto& clock = options_.scheduler.clock;
  clock_.emplace(wall_, ClockSettings(clock, clock.start.value_or(wall_.Now())));
  const Time now = clock_->Now();
  return signals::CheckCoverage(*feed_, {now, now + Duration{1}});
}

Result<service::ServiceOptions> SweepSession::ServiceOptions() {
  service::ServiceOptions service;
  service.store = paths_.store();
  service.jobs_directory = paths_.JobsDirectory();
  service.policy = request_.policy;
  const config::PriceConfig& prices = options_.scheduler.prices;
  EBB_ASSIGN_OR_RETURN(PolicyPrices priced, PricesFor(request_.policy, prices, clock_->Now()));
  service.policy_options = std::move(priced.options);
  prices_ = std::move(priced.source);
  if (prices_) service.price_file = platform::AbsolutePath(prices.path).string();
  service.price_weight = prices.weight;
  service.priced_from = clock_->Now();
  service.grid_start = options_.scheduler.clock.start;
  service.executor.cluster.sites = {{"here", feed_->identity().zone, options_.metering.pue}};
  EBB_RETURN_IF_ERROR(SetDevices({request_.slots, request_.gpus, ""}, sweep_.common.job.devices,
                                 options_, service));
  SetMetering(request_.flags, options_, service);
  service.machine_interval = options_.metering.interval;
  service.executor.tracking = AbsoluteTracking(options_.tracking);
  service.executor.tick = std::min(options_.metering.interval, kLongestTick);
  if (!request_.grace.empty()) {
    EBB_ASSIGN_OR_RETURN(service.executor.grace, DurationOf("--grace", request_.grace));
  }
  service.ended_in_view = sweep::kMostExperiments;
  service.keep.reset();
  service.until_idle = service.pause_at_stop = true;
  service.on_ended = [this](core::JobId job) { closer_->OnEnded(job); };
  return service;
}

std::vector<const service::JobCard*> SweepSession::Cards(const service::View& view) const {
  std::vector<const service::JobCard*> cards;
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    cards.push_back(&card);
    return true;
  });
  return cards;
}

// A new sweep fails if it has no devices, because a person is there to decide. A sweep that has
// begun waits for its devices.
Status SweepSession::CheckDevices() const {
  const auto view = service_->view();
  if (view->device_trouble.empty()) return {};
  return Fail({ExitCode::kUnavailable, view->device_trouble, "", "--slots N runs on the CPU"});
}

Status SweepSession::CheckDeadlines() const {
  const core::Cluster cluster = core::WithAway(service_->view()->cluster);
  std::vector<core::Job> jobs;
  const Time now = service_->GridNow();
  for (const sweep::Experiment& experiment : sweep_.experiments)
    jobs.push_back(JobOf(sweep_, experiment, now));
  return CheckFeasible(jobs, cluster, now);
}

Result<SweepSession::Answers> SweepSession::AskForAll() {
  SubmitOptions options;
  EBB_ASSIGN_OR_RETURN(const fs::path here, platform::WorkingDirectory());
  options.working_directory = here.string();
  options.key_prefix = kKey;
  options.tracking = AbsoluteTracking(options_.tracking);
  EBB_ASSIGN_OR_RETURN(auto experiments, web::SweepFromJson(SweepBody(sweep_, options), {}));
  return service_->AskAll(
      {std::make_move_iterator(experiments.begin()), std::make_move_iterator(experiments.end())});
}

namespace {

Result<store::SweepRecord> StoredSweep(store::Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto sweeps, store::ListSweeps(database, {}));
  if (!sweeps.empty()) return sweeps.front();
  return store::SweepRecord{};
}

bool SameLimits(const core::Budget& a, const core::Budget& b) {
  return a.energy == b.energy && a.emissions.has_value() == b.emissions.has_value() &&
         (!a.emissions || a.emissions->grams == b.emissions->grams);
}

}  // namespace

// A sweep that its budget stopped continues only with a larger budget.
Result<store::SweepRecord> SweepSession::CheckSweepBudget() const {
  EBB_ASSIGN_OR_RETURN(
      store::Database database,
      store::Database::Open(paths_.store(), store::Database::Mode::kReadUnchecked));
  EBB_ASSIGN_OR_RETURN(store::SweepRecord record, StoredSweep(database));
  EBB_ASSIGN_OR_RETURN(auto events, store::SweepBudgetEventsOf(database, record.id));
  const core::BudgetRecord before{sweep_.budget, std::move(events)};
  const core::BudgetEvent* stopped = core::StoppedBy(before, sweep_.budget);
  const auto view = service_->view();
  const auto cards = Cards(*view);
  const bool is_done = std::all_of(cards.begin(), cards.end(), [](const auto* card) {
    return engine::HasEnded(card->explanation.stage);
  });
  if (!stopped || is_done) return record;
  return Fail({ExitCode::kUsage,
               "the sweep was stopped by its budget of " + core::LimitText(*stopped),
               paths_.directory.string(),
               std::string("raise it to go on: --sweep-budget-") +
                   (stopped->measure == core::BudgetMeasure::kEnergy ? "kwh" : "g")});
}

// Changes the budgets of a sweep that is continued. Jobs held by a limit that is not raised stay on
// hold.
Status SweepSession::ChangeBudgets() {
  EBB_ASSIGN_OR_RETURN(const store::SweepRecord record, CheckSweepBudget());
  std::vector<service::Request> requests;
  if (record.id > 0 && !SameLimits(record.budget, sweep_.budget))
    requests.emplace_back(service::ChangeBudget{0, record.id, sweep_.budget});
  const auto view = service_->view();
  for (const service::JobCard* card : Cards(*view)) {
    const core::Submission& submission = *card->submission;
    const core::JobId job = submission.job.id;
    if (engine::HasEnded(card->explanation.stage) || submission.budget == sweep_.common.budget)
      continue;
    requests.emplace_back(service::ChangeBudget{job, 0, sweep_.common.budget});
    const auto events = local::ReadBudgetEvents(service_->DirectoryOf(job));
    if (HeldBy(events, submission.budget) && !HeldBy(events, sweep_.common.budget))
      requests.emplace_back(service::ControlJob{job, engine::JobControl::kNone});
  }
  service_->AskAll(std::move(requests));
  return {};
}

Result<int> SweepSession::RunService() {
  closer_ = std::make_unique<RunCloser>(
      paths_.store(), paths_.JobsDirectory(),
      [this](const std::string& text) { observer_->Say("note: " + text); }, RunCloser::Pauses());
  std::unique_ptr<LivePage> page;
  if (request_.page) {
    web::ApiOptions options;
    options.store = paths_.store();
    EBB_ASSIGN_OR_RETURN(options.access.token,
                         web::OpenToken(TokenFileOf(paths_.store().string())));
    page = std::make_unique<LivePage>(*service_, std::move(options));
    EBB_ASSIGN_OR_RETURN(const std::string url, page->Listen());
    observer_->Say("shown at " + url + " while it runs");
  }
  SweepRuns runs(paths_, prices_);
  EBB_ASSIGN_OR_RETURN(Answers answers, AskForAll());
  SweepWatcher watcher(*service_, *observer_, runs);
  EBB_ASSIGN_OR_RETURN(const int stop_signal, service_->Run());
  if (stop_signal != 0) observer_->Say("asked to stop: what ran was paused");
  watcher.Stop();
  closer_->WaitForEnd();
  int refused = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto answer = answers[i].get();
    if (answer) continue;
    observer_->Say(sweep_.experiments[i].name + " is refused: " + answer.error().Message());
    ++refused;
  }
  if (stop_signal != 0) return Stopped();
  return Finish(refused);
}

std::string SweepSession::SameCommand() const {
  return "ebb sweep run " + request_.file +
         (options_.run_dir.empty() ? "" : " --run-dir " + options_.run_dir);
}

int SweepSession::Stopped() const {
  observer_->Say("stopped. Continue with: " + SameCommand());
  return static_cast<int>(ExitCode::kTryLater);
}

int SweepSession::WantsMore(const std::string& why, const std::string& flag) const {
  observer_->Say(why + ". Continue with a larger one: " + SameCommand() + " " + flag +
                 "kwh KWH (or " + flag + "g GRAMS)");
  return static_cast<int>(ExitCode::kTryLater);
}

Result<int> SweepSession::Finish(int refused) {
  EBB_ASSIGN_OR_RETURN(const report::SweepReport report, ReadSweepReport(paths_.directory));
  observer_->ShowReport(report, paths_.directory.string());
  const auto view = service_->view();
  int held = 0, failed = 0;
  for (const service::JobCard* card : Cards(*view)) {
    held += engine::HasEnded(card->explanation.stage) ? 0 : 1;
    failed += card->explanation.stage == engine::Stage::kFailed ? 1 : 0;
  }
  if (held > 0 && !CheckSweepBudget())
    return WantsMore("stopped by the budget of the sweep", "--sweep-budget-");
  if (held > 0) return WantsMore("held by their budget: " + std::to_string(held), "--budget-");
  return failed > 0 || refused > 0 ? kSomeFailed : 0;
}

Result<int> SweepSession::Run(bool continued) {
  EBB_RETURN_IF_ERROR(OpenSignal());
  EBB_ASSIGN_OR_RETURN(auto service_options, ServiceOptions());
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(paths_.directory));
  EBB_ASSIGN_OR_RETURN(
      service_, service::Service::Open(std::move(service_options), *feed_, *clock_, signals_));
  if (!continued) {
    EBB_RETURN_IF_ERROR(CheckDevices());
    EBB_RETURN_IF_ERROR(CheckDeadlines());
    EBB_RETURN_IF_ERROR(StoreSweep(as_written_, request_, options_, paths_));
  }
  observer_->Say(sweep_.name + ": " + std::to_string(sweep_.experiments.size()) +
                 " experiments on " + Describe(service_->view()->cluster) + ", policy " +
                 request_.policy + ", " + signals::Describe(feed_->identity()));
  if (const config::PriceConfig& prices = options_.scheduler.prices; prices.weight > 0)
    observer_->Say("decided by carbon and price, the price with weight " +
                   FormatExact(prices.weight) + ": " + prices.path);
  if (continued) EBB_RETURN_IF_ERROR(ChangeBudgets());
  return RunService();
}

// Removes the directories that were created for the sweep.
void RemoveMade(const fs::path& directory, const fs::path& there_before) {
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  for (fs::path above = directory.parent_path(); !above.empty() && above != there_before;
       above = above.parent_path())
    if (!fs::remove(above, ignored)) return;
}

// The nearest existing directory above it; empty for the current one.
fs::path NearestAbove(fs::path directory) {
  std::error_code ignored;
  while (!directory.empty() && !fs::exists(directory, ignored)) directory = directory.parent_path();
  return directory;
}

// A sweep that could not begin leaves no files behind.
Result<int> BegunOrNothing(SweepSession& session, const SweepPaths& paths, bool continued) {
  std::error_code ignored;
  const fs::path before = NearestAbove(paths.directory);
  auto result = session.Run(continued);
  if (!result && before != paths.directory && !fs::exists(paths.sweep_file(), ignored)) {
    session.Close();
    RemoveMade(paths.directory, before);
  }
  return result;
}

}  // namespace

std::string SweepDirectory(const RunOptions& options, const std::string& name) {
  if (!options.run_dir.empty()) return options.run_dir;
  return (fs::path(options.output_dir) / ("sweep-" + name)).string();
}

Result<int> RunSweep(const SweepRunRequest& given, const MakeSweepObserver& make_observer) {
  EBB_ASSIGN_OR_RETURN(config::SweepConfig config, config::LoadSweepConfig(given.file));
  sweep::Sweep& sweep = config.sweep;
  RunOptions options;
  EBB_ASSIGN_OR_RETURN(const FlagValues flags, WithSettings(given.flags, SettingsFor::kQueue));
  EBB_RETURN_IF_ERROR(ApplyFlags(flags, options));
  const SweepPaths paths{SweepDirectory(options, sweep.name)};
  SweepRunRequest request = given;
  request.policy = plan::PolicyNameOf(given.policy);
  const bool continued = platform::Exists(paths.sweep_file());
  if (!continued) request.flags = flags;
  const std::string as_written = sweep::LocalJobs(sweep);
  if (continued) {
    EBB_RETURN_IF_ERROR(CheckHasStore(paths));
    EBB_RETURN_IF_ERROR(CheckSameSweep(paths, as_written));
    EBB_ASSIGN_OR_RETURN(request, WithStoredFlags(request, paths));
    options = {};
    EBB_RETURN_IF_ERROR(ApplyFlags(request.flags, options));
    options.run_dir = paths.directory.string();
  }
  if (request.policy.empty()) request.policy = "planner";
  EBB_RETURN_IF_ERROR(plan::MakePolicy(request.policy, {}));
  EBB_ASSIGN_OR_RETURN(sweep.common.budget, ExperimentBudget(sweep.common, request.budgets));
  EBB_ASSIGN_OR_RETURN(sweep.budget, WholeBudget(sweep, request.budgets));
  if (continued && !given.budgets.empty()) EBB_RETURN_IF_ERROR(StoreBudgets(request, paths));
  if (options.metering.scope == core::MeterScope::kMachine)
    return Fail({ExitCode::kUsage, "--scope machine would charge each run of a sweep the machine",
                 "", "leave it out: the report has what the machine used beside its runs"});
  SweepSession session(std::move(request), std::move(sweep), as_written, std::move(options), paths,
                       make_observer);
  return BegunOrNothing(session, paths, continued);
}

}  // namespace ebb::app
