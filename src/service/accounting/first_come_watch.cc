#include "service/accounting/first_come_watch.h"

#include <algorithm>
#include <set>

#include "engine/state.h"
#include "service/accounting/place_and_time.h"
#include "service/accounting/waited_job.h"
#include "store/accounts/ledger_records.h"
#include "store/accounts/settlement_records.h"
#include "store/accounts/signal_records.h"
#include "store/jobs/job_records.h"

namespace ebb::service {
namespace {

// Only the newest jobs are compared, because the time that it takes grows with their square.
constexpr std::size_t kMostJobs = 10'000;

bool HasEnded(const JobCard& card) { return engine::HasEnded(card.explanation.stage); }

Duration RanFor(const JobCard& card, Time now) {
  Duration ran{0};
  for (const Interval& stretch : card.stretches)
    ran += std::max(Interval{stretch.begin, std::min(stretch.end, now)}.length(), Duration::zero());
  return ran;
}

ComingJob ComingJobOf(const JobCard& card, Time now) {
  const core::Job& job = card.submission->job;
  ComingJob coming{job.id,      job.submitted,     std::max(card.explanation.pool, 0),
                   job.devices, RanFor(card, now), card.submission->after};
  if (!HasEnded(card)) coming.length = std::max(coming.length, job.duration);
  return coming;
}

// The jobs that ran or will run, up to the last one that has ended: later jobs delay no earlier
// one.
std::vector<ComingJob> JobsOf(const View& view) {
  std::vector<ComingJob> jobs;
  std::size_t up_to_last_end = 0;
  view.jobs.ForEach(0, [&](const JobCard& card) {
    if (HasEnded(card) && card.stretches.empty()) return true;
    jobs.push_back(ComingJobOf(card, view.now));
    if (HasEnded(card)) up_to_last_end = jobs.size();
    return jobs.size() < kMostJobs;
  });
  jobs.resize(up_to_last_end);
  return jobs;
}

// The places of jobs that the view no longer has.
Result<std::vector<TakenPlace>> PlacesOfForgotten(store::Database& database, const View& view,
                                                  Time since) {
  EBB_ASSIGN_OR_RETURN(const auto records, store::FirstComeAfter(database, since));
  std::vector<TakenPlace> taken;
  for (const store::FirstComeRecord& record : records)
    if (record.place && !view.jobs.Find(record.job))
      taken.push_back({record.job, record.pool, record.devices, *record.place});
  return taken;
}

// The values of the job's settlement, and the history for hours that it lacks.
core::IntensitySeries OverHistory(const core::IntensitySeries& settled,
                                  const core::IntensitySeries& history) {
  auto series = core::IntensitySeries::Create(history.identity(),
                                              core::Filled(settled.samples(), history.samples()));
  return series ? *std::move(series) : history;
}

}  // namespace

store::FirstComeRecord FirstComeRecordOf(const JobCard& card) {
  const core::Job& job = card.submission->job;
  store::FirstComeRecord record;
  record.job = job.id;
  record.pool = std::max(card.explanation.pool, 0);
  record.devices = job.devices;
  record.emissions = card.emissions_first_come;
  record.at_submission = card.emissions_at_submission;
  record.settled = card.emissions_settled;
  record.saving_half_width_g = card.saving_half_width_g;
  record.first_come_half_width_g = card.first_come_half_width_g;
  record.energy_half_width = card.energy_half_width;
  record.emissions_half_width = card.emissions_half_width;
  if (card.place_and_time) record.place_and_time = PlaceAndTimeText(*card.place_and_time);
  if (card.had_it_waited) record.had_it_waited = WaitedText(*card.had_it_waited);
  if (card.first_come_start)
    record.place = {*card.first_come_start,
                    *card.first_come_start + RanFor(card, card.ended.value_or(job.submitted))};
  return record;
}

FirstComeWatch::FirstComeWatch(std::filesystem::path store, std::function<void()> on_change,
                               bool by_site)
    : path_(std::move(store)),
      on_change_(std::move(on_change)),
      by_site_(by_site),
      thread_([this] { Work(); }) {}

FirstComeWatch::~FirstComeWatch() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void FirstComeWatch::Ask(std::shared_ptr<const View> view) {
  {
    const std::lock_guard guard(mutex_);
    next_ = std::move(view);
  }
  asked_.notify_one();
}

std::map<core::JobId, FirstComeFigures> FirstComeWatch::TakeChanged() {
  const std::lock_guard guard(mutex_);
  return std::exchange(changed_, {});
}

void FirstComeWatch::Work() {
  for (;;) {
    std::shared_ptr<const View> view;
    {
      std::unique_lock guard(mutex_);
      asked_.wait(guard, [this] { return stopping_ || next_; });
      if (stopping_) return;
      view = std::exchange(next_, nullptr);
    }
    Look(*view);
  }
}

// nullptr: the job's ledger cannot be read, or is empty. `pue`: that of the site of the job's pool,
// where first come, first served runs it whole.
const FirstComeWatch::Profile* FirstComeWatch::ProfileOf(core::JobId job, const View& view,
                                                         std::optional<Pue> pue) {
  const auto found = profiles_.find(job);
  if (found != profiles_.end()) return &found->second;
  auto rows = store::LedgerOf(*database_, job);
  if (!rows || rows->empty()) return nullptr;
  std::set<int> sites;
  if (const auto attempts = store::AttemptsOf(*database_, job); attempts && pue)
    for (const store::AttemptRecord& attempt : *attempts)
      if (attempt.began && attempt.pool >= 0 && attempt.pool < std::ssize(view.cluster.pools))
        sites.insert(view.cluster.pools[static_cast<std::size_t>(attempt.pool)].site);
  if (pue)
    for (core::LedgerRow& row : *rows) row.pue = *pue;
  return &profiles_.emplace(job, Profile{EnergyProfile(*rows), sites.size() > 1}).first->second;
}

FirstComeFigures FirstComeWatch::FiguresOf(const JobCard& card, std::optional<Time> start,
                                           const View& view, const SiteHistory& at) {
  const core::JobId job = card.submission->job.id;
  FirstComeFigures figures{start, {}, {}};
  if (!start) return figures;
  // An earlier life found the same start, so the figures hold and the ledger need not be read.
  const bool stands =
      !profiles_.contains(job) && card.emissions_first_come && card.first_come_start == start;
  const Profile* profile = stands ? nullptr : ProfileOf(job, view, at.pue);
  if (!profile) {  // a job whose ledger was pruned keeps its figures
    figures.emissions = card.emissions_first_come;
    figures.half_width_g = card.first_come_half_width_g;
    return figures;
  }
  if (profile->energy.has_unknown()) return figures;
  const auto settled = store::FindSettlement(*database_, job, at.history.identity(), at.name);
  if (!settled) return figures;
  const core::IntensitySeries signal = *settled ? OverHistory(**settled, at.history) : at.history;
  figures.emissions = profile->energy.At(*start, signal);
  if (!figures.emissions) return figures;
  // The job's stretches do not tell which of them was in which zone.
  if (profile->has_moved) return figures;
  const auto reported = reported_.find(job);
  const bool as_reported = reported != reported_.end() && reported->second.start == start &&
                           reported->second.emissions == figures.emissions;
  figures.half_width_g = as_reported
                             ? reported->second.half_width_g
                             : profile->energy.HalfWidthOfSaving(card.stretches, *start, signal);
  return figures;
}

// nullptr: nothing is known of the signal there.
Result<const FirstComeWatch::SiteHistory*> FirstComeWatch::HistoryAt(
    int pool, const View& view, Interval window, std::map<int, SiteHistory>& known) {
  const core::Cluster& cluster = view.cluster;
  const bool is_known = pool >= 0 && pool < std::ssize(cluster.pools);
  const bool has_sites = by_site_ && view.signals.size() == cluster.sites.size();
  const int number = has_sites && is_known ? cluster.pools[static_cast<std::size_t>(pool)].site : 0;
  const auto found = known.find(number);
  if (found != known.end()) return &found->second;
  const auto site = static_cast<std::size_t>(number);
  if (!view.signals[site].view) return nullptr;
  SiteHistory added;
  if (number > 0) added.name = cluster.sites[site].name;
  if (has_sites) added.pue = cluster.sites[site].pue;
  EBB_ASSIGN_OR_RETURN(
      added.history,
      store::SignalHistory(*database_, view.signals[site].view->known.identity(), window));
  return &known.emplace(number, std::move(added)).first->second;
}

void FirstComeWatch::Look(const View& view) {
  if (view.signals.empty() || !view.signals.front().view) return;
  if (!database_) {
    auto opened = store::Database::Open(path_, store::Database::Mode::kRead);
    if (!opened) return;  // the next view tries again
    database_ = std::make_unique<store::Database>(*std::move(opened));
  }
  const std::vector<ComingJob> jobs = JobsOf(view);
  if (jobs.empty()) return;
  const Interval window{jobs.front().submitted, view.now + std::chrono::hours{1}};
  std::map<int, SiteHistory> histories;
  const auto taken = PlacesOfForgotten(*database_, view, jobs.front().submitted);
  if (!taken) return;
  const auto starts = FirstComeStarts(jobs, core::WithAway(view.cluster), *taken);
  std::map<core::JobId, FirstComeFigures> figures;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobCard* card = view.jobs.Find(jobs[i].id);
    if (!card || !HasEnded(*card)) continue;
    const auto at = HistoryAt(jobs[i].pool, view, window, histories);
    if (!at) return;
    figures[jobs[i].id] =
        *at ? FiguresOf(*card, starts[i], view, **at) : FirstComeFigures{starts[i], {}, {}};
  }
  std::erase_if(profiles_, [&](const auto& entry) { return !figures.contains(entry.first); });
  Report(std::move(figures));
}

void FirstComeWatch::Report(std::map<core::JobId, FirstComeFigures> figures) {
  bool any = false;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [job, of_job] : figures) {
      const auto reported = reported_.find(job);
      if (reported != reported_.end() && reported->second == of_job) continue;
      changed_[job] = of_job;
      any = true;
    }
  }
  reported_ = std::move(figures);
  if (any) on_change_();
}

}  // namespace ebb::service
