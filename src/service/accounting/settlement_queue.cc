#include "service/accounting/settlement_queue.h"

#include <algorithm>

#include "core/run/accounting.h"
#include "service/accounting/first_come_watch.h"
#include "service/accounting/settlement.h"
#include "service/accounting/waited_job.h"

namespace ebb::service {
namespace {

// Ledgers may be long, and requests wait meanwhile.
constexpr std::chrono::milliseconds kAtOnce{10};

}  // namespace

void SettlementQueue::AddSettled(core::JobId job, Time ended) {
  const Time final = ended + core::kRevisedFor, now = ports_.now();
  // The store does not tell whether all the hours of the job had been published.
  if (ports_.feed.Revises() && final > now)
    later_.emplace(std::min(final, now + kLookForPublished), job);
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

// For a job with an attempt at another site, home first; empty for others.
std::vector<RanAt> SettlementQueue::PlacesOf(core::JobId job, Time submitted,
                                             const std::vector<core::LedgerRow>& rows,
                                             const core::IntensitySeries& home) const {
  const auto attempts = ports_.store.jobs().AttemptsOf(job);
  if (!attempts) return {};
  std::map<int, runtime::SignalFeed*> feeds;  // by attempt
  for (const store::AttemptRecord& attempt : *attempts)
    if (runtime::SignalFeed* const feed = ports_.feed_at(attempt.pool))
      feeds[attempt.attempt] = feed;
  if (feeds.empty()) return {};
  std::map<runtime::SignalFeed*, std::vector<core::LedgerRow>> rows_of;
  std::vector<RanAt> places(1);
  for (const core::LedgerRow& row : rows) {
    const auto found = feeds.find(row.attempt);
    rows_of[found == feeds.end() ? nullptr : found->second].push_back(row);
  }
  places.front() = {std::move(rows_of[nullptr]), home};
  rows_of.erase(nullptr);
  for (auto& [feed, measured] : rows_of) {
    auto published = feed->Settled(SettledOver(submitted, measured));
    if (!published) return {};
    places.push_back({std::move(measured), *std::move(published)});
  }
  return places;
}

void SettlementQueue::Settle(core::JobId job) {
  const JobCard* card = ports_.publisher.Find(job);
  const auto rows = ports_.store.ledgers().RowsOf(job);
  if (!card || !rows || rows->empty()) return;
  const Time submitted = card->submission->job.submitted;
  const auto published = ports_.feed.Settled(SettledOver(submitted, *rows));
  if (!published) return;
  std::vector<RanAt> places = PlacesOf(job, submitted, *rows, *published);
  const bool elsewhere = !places.empty();
  const Settlement settlement =
      elsewhere ? SettlementOf(submitted, places, *published, ports_.pue, places.front().rows)
                : SettlementOf(submitted, *rows, *published);
  const Time now = ports_.now(), ended = rows->back().grid.end, final = ended + core::kRevisedFor;
  if (ports_.feed.Revises() && now < final)
    later_.emplace(settlement.is_published ? final : now + std::max(kLookForPublished, now - ended),
                   job);
  ports_.publisher.SetSettlement(job, settlement);
  card = ports_.publisher.Find(job);
  if (const core::SignalView* outlook = ports_.publisher.OnlySignal();
      outlook && !card->had_it_waited)
    if (const auto waited = HadItWaitedOf(*card, *rows, *published, *outlook))
      ports_.publisher.SetHadItWaited(job, *waited);
  // A check of the store repeats settlements on one signal only.
  if (!elsewhere) ports_.store.AddSettlement(job, ports_.now(), *published);
  StoreFigures(ports_.store, ports_.publisher, job);
  if (!elsewhere) places.push_back({*rows, *published});
  ports_.on_settled(job, places);
}

void StoreFigures(store::ServiceStore& store, const Publisher& publisher, core::JobId job) {
  const JobCard* card = publisher.Find(job);
  if (card && engine::HasEnded(card->explanation.stage))
    store.AddFirstCome(FirstComeRecordOf(*card));
}

}  // namespace ebb::service
