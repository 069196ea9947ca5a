#include "service/accounting/settlement_queue.h"

#include <algorithm>

#include "core/run/accounting.h"
#include "service/accounting/first_come_watch.h"
#include "service/accounting/place_and_time.h"
#include "service/accounting/settlement.h"
#include "service/accounting/waited_job.h"

namespace ebb::service {
namespace {

// Ledgers may be long, and requests wait meanwhile.
constexpr std::chrono::milliseconds kAtOnce{10};

}  // namespace

// The rows of a job by site, with the newest values of each zone; without sites if there is one.
struct SettlementQueue::AtSites {
  std::optional<store::SettledSites> sites;
  std::vector<RanAt> places;  // by number of the site; of one site all rows
  Time known_after{};         // the best starts are not known before
};

bool SettlementQueue::Revises() const {
  const auto feeds = ports_.feeds();
  return std::any_of(feeds.begin(), feeds.end(),
                     [](const runtime::SignalFeed* feed) { return feed && feed->Revises(); });
}

void SettlementQueue::AddSettled(core::JobId job, Time ended, bool is_open) {
  const Time final = ended + core::kRevisedFor, now = ports_.now();
  const bool is_final = !Revises() || final <= now;
  // The store does not tell whether all the hours of the job had been published.
  if (is_open || !is_final)
    later_.emplace(is_final ? now + kLookForPublished : std::min(final, now + kLookForPublished),
                   job);
}

bool SettlementQueue::SettleSome() {
  const auto begin = std::chrono::steady_clock::now();
  while (!later_.empty() && later_.begin()->first <= ports_.now()) {
    next_.push_back(later_.begin()->second);
    later_.erase(later_.begin());
  }
  while (!next_.empty() && std::chrono::steady_clock::now() - begin < kAtOnce) {
    Settle(next_.front());
    next_.pop_front();
  }
  return !next_.empty();
}

// An Error: a source cannot be asked now.
Result<SettlementQueue::AtSites> SettlementQueue::Ask(
    const JobCard& card, const std::vector<core::LedgerRow>& rows) const {
  core::Job job = card.submission->job;
  const std::vector<runtime::SignalFeed*> feeds = ports_.feeds();
  const core::Cluster cluster = ports_.cluster();
  Interval over = SettledOver(job.submitted, rows);
  AtSites at;
  if (feeds.size() < 2 || feeds.size() != cluster.sites.size()) {
    EBB_ASSIGN_OR_RETURN(auto published, ports_.feed.Settled(over));
    at.places.push_back({rows, std::move(published)});
    return at;
  }
  EBB_ASSIGN_OR_RETURN(const auto attempts, ports_.store.jobs().AttemptsOf(job.id));
  if (!job.start_by && !job.finish_by) job.start_by = job.submitted + ports_.longest_delay;
  at.sites = SitesOf({job, attempts, rows, cluster, ports_.checkpoint_bytes(job.id)});
  at.known_after = EndOfStarts(*at.sites, rows);
  for (const store::SettledMove& move : at.sites->moves)
    over.begin = std::min(over.begin, move.begin);
  over.end = std::max(over.end, std::min(at.known_after, ports_.now()));
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    store::SettledSite& site = at.sites->sites[i];
    RanAt& place = at.places.emplace_back();
    for (const core::LedgerRow& row : rows)
      if (std::ranges::find(site.attempts, row.attempt) != site.attempts.end())
        place.rows.push_back(row);
    // The rows of a site that is not used any more keep their values.
    site.allowed = site.allowed && feeds[i];
    if (!feeds[i] || (i > 0 && !site.allowed && place.rows.empty())) continue;
    EBB_ASSIGN_OR_RETURN(place.published, feeds[i]->Settled(over));
    if (i > 0) site.signal = store::SettlementText(place.published);
  }
  return at;
}

Settlement SettlementQueue::SettlementAt(Time submitted, const std::vector<core::LedgerRow>& rows,
                                         const AtSites& at) const {
  const RanAt& home = at.places.front();
  const bool is_at_home = home.rows.size() == rows.size();
  Settlement settlement = is_at_home ? SettlementOf(submitted, rows, home.published)
                                     : SettlementOf(submitted, at.places, home.published,
                                                    at.sites->sites.front().pue, home.rows);
  if (!at.sites) return settlement;
  std::vector<core::IntensitySeries> signals;
  for (const RanAt& place : at.places)
    signals.push_back(core::AccountingSignal(place.published, place.rows));
  const Time now = ports_.now();
  settlement.place_and_time =
      PlaceAndTimeOf(settlement, submitted, StartAtOnce(submitted, rows), rows, *at.sites, signals,
                     {now, Revises() && now < at.known_after + core::kRevisedFor});
  return settlement;
}

// Time::max(): nothing of the job's figures will change any more.
Time SettlementQueue::NextLook(const Settlement& settlement, const AtSites& at, Time ended) const {
  const Time now = ports_.now(), final = ended + core::kRevisedFor;
  const auto again = [&](Time since) { return now + std::max(kLookForPublished, now - since); };
  Time next = Time::max();
  if (Revises() && now < final) next = settlement.is_published ? final : again(ended);
  const bool is_open = settlement.place_and_time && !settlement.place_and_time->best;
  if (is_open) next = std::min(next, now < at.known_after ? at.known_after : again(at.known_after));
  return next;
}

void SettlementQueue::Settle(core::JobId job) {
  const JobCard* card = ports_.publisher.Find(job);
  const auto rows = ports_.store.ledgers().RowsOf(job);
  if (!card || !rows || rows->empty()) return;
  const Time submitted = card->submission->job.submitted, ended = rows->back().grid.end;
  Result<AtSites> at = Ask(*card, *rows);
  if (!at) {
    later_.emplace(ports_.now() + kLookForPublished, job);
    return;
  }
  const Settlement settlement = SettlementAt(submitted, *rows, *at);
  if (const Time next = NextLook(settlement, *at, ended); next != Time::max())
    later_.emplace(next, job);
  // A source whose answers no longer reach back to the job changes nothing.
  if (card->emissions_at_submission && !settlement.at_submission) return;
  ports_.publisher.SetSettlement(job, settlement);
  card = ports_.publisher.Find(job);
  const core::IntensitySeries& home = at->places.front().published;
  if (const core::SignalView* outlook = ports_.publisher.OnlySignal();
      outlook && !card->had_it_waited)
    if (const auto waited = HadItWaitedOf(*card, *rows, home, *outlook))
      ports_.publisher.SetHadItWaited(job, *waited);
  if (settlement.place_and_time) at->sites->figures = PlaceAndTimeText(*settlement.place_and_time);
  ports_.store.AddSettlement(job, ports_.now(), home, at->sites ? &*at->sites : nullptr);
  StoreFigures(ports_.store, ports_.publisher, job);
  ports_.on_settled(job, at->places);
}

void StoreFigures(store::ServiceStore& store, const Publisher& publisher, core::JobId job) {
  const JobCard* card = publisher.Find(job);
  if (card && engine::HasEnded(card->explanation.stage))
    store.AddFirstCome(FirstComeRecordOf(*card));
}

}  // namespace ebb::service
