// What a service does beside its decisions: figures of jobs go into their cards, those of ended
// ones are settled as more of the signal is published, and what is old is forgotten. Nobody waits
// for it for long.

#include <algorithm>

#include "core/accounting.h"
#include "platform/system_clock.h"
#include "service/accounting/settlement.h"
#include "service/accounting/waited_job.h"
#include "service/planning/timed.h"
#include "service/service.h"
#include "store/ended_sums.h"

namespace ebb::service {
namespace {

using namespace std::chrono_literals;

// Of work that can wait, between two looks at who asks for something.
constexpr auto kAtOnce = 10ms;
constexpr std::chrono::hours kBelieveClockAfter{24};

// Devices are remembered by name: a GPU may have another number in the next life.
std::vector<std::string> NamesOfDevices(const local::SupervisedFigures& program) {
  if (!program.gpus.empty()) return program.gpus;
  std::vector<std::string> names;
  for (const int slot : program.slots) names.push_back(std::to_string(slot));
  return names;
}

}  // namespace

void Service::ForgetInView() {
  publisher_.ForgetEnded(options_.ended_in_view, [this](const JobCard& card) {
    store_.AddFirstCome(FirstComeRecordOf(card));
    store::PutCounted(store_, card.submission->job.id, publisher_.forgotten());
  });
}

// The newest are kept, so that memory and snapshots stay small however many jobs there were.
void Service::ForgetEnded() {
  ForgetInView();
  const auto& ended = engine_->state().ended;
  if (ended.size() <= 2 * options_.ended_in_view) return;
  std::vector<Time> ends;
  for (const auto& [id, job] : ended) ends.push_back(job.ended);
  const auto newest = ends.end() - static_cast<std::ptrdiff_t>(options_.ended_in_view);
  std::nth_element(ends.begin(), newest, ends.end());
  if (*std::min_element(ends.begin(), newest) == *newest) return;  // all at one moment
  intake_.Tell(engine::EndedForgotten{*newest});
}

void Service::TakeFigures() {
  const auto changed = accounting_.TakeChanged();
  publisher_.FollowFigures(changed);
  for (const auto& [job, figures] : changed) TellFigures(job);
  for (const local::SupervisedFigures& program : publisher_.SetRunning(executor_->Running()))
    store_.SetDevices(program.job, program.attempt, NamesOfDevices(program));
  const auto first_come = first_come_.TakeChanged();
  for (const auto& [job, figures] : first_come) {
    const JobCard* card = publisher_.Find(job);
    if (!card || figures == FirstComeFigures{card->first_come_start, card->emissions_first_come,
                                             card->first_come_half_width_g})
      continue;
    publisher_.SetFirstCome(job, figures);
    KeepFigures(job);
  }
  if (!first_come.empty()) ForgetInView();
}

void Service::TellFigures(core::JobId job) {
  if (const JobCard* card = publisher_.Find(job)) options_.on_figures(*card);
}

// What the next life finds out later of jobs is in no account of this one.
void Service::FollowMachine(Duration settled_after) {
  if (!machine_watch_) return;
  const Time upto = platform::WallNow() - settled_after;
  // Nothing else may be stored for hours.
  if (accounting_.FollowMachine(machine_watch_->Take(), upto)) executor_->Wake();
  follow_machine_at_ = std::chrono::steady_clock::now() + options_.machine_settles_after;
}

// So that the next life need not read its ledger, which may be pruned by then.
void Service::KeepFigures(core::JobId job) {
  const JobCard* card = publisher_.Find(job);
  if (card && engine::HasEnded(card->explanation.stage))
    store_.AddFirstCome(FirstComeRecordOf(*card));
}

// What jobs that have ended emitted, and would have when they were submitted, on one signal: again
// when more of it has been published. Ledgers may be long: what is left over comes next time.
void Service::SettleEnded() {
  const auto begin = std::chrono::steady_clock::now();
  while (!settle_later_.empty() && settle_later_.begin()->first <= executor_->Now()) {
    unsettled_.push_back(settle_later_.begin()->second);
    settle_later_.erase(settle_later_.begin());
  }
  while (!unsettled_.empty() && std::chrono::steady_clock::now() - begin < kAtOnce) {
    Settle(unsettled_.front());
    unsettled_.pop_front();
  }
  if (!unsettled_.empty()) executor_->Wake();
}

void Service::Settle(core::JobId job) {
  const JobCard* card = publisher_.Find(job);
  const auto rows = store::LedgerOf(store_.database(), job);
  if (!card || !rows || rows->empty()) return;
  const Time submitted = card->submission->job.submitted;
  const auto published = feed_.Settled(SettledOver(submitted, *rows));
  if (!published) return;
  const Settlement settlement = SettlementOf(submitted, *rows, *published);
  const Time now = executor_->Now(), final = rows->back().grid.end + core::kRevisedFor;
  if (feed_.Revises() && now < final)
    settle_later_.emplace(settlement.is_published
                              ? final
                              : now + std::max(kLookForPublished, now - rows->back().grid.end),
                          job);
  publisher_.SetSettlement(job, settlement);
  if (const core::SignalView* outlook = publisher_.OnlySignal(); outlook && !card->had_it_waited)
    if (const auto waited = HadItWaitedOf(*card, *rows, *published, *outlook))
      publisher_.SetHadItWaited(job, *waited);
  store_.AddSettlement(job, executor_->Now(), *published);
  KeepFigures(job);
  if (!supervised_) accounting_.Forget(job);  // its last rows may have come after its end
  TellFigures(job);
}

// What is removed stays so: a clock that has leapt ahead is believed after a day.
void Service::DistrustClockForPruning() {
  prune_at_ = std::chrono::steady_clock::now() + kBelieveClockAfter;
}

// In steps, so that nobody waits for long; where nothing is old enough, it is looked again later.
void Service::PruneSome() {
  const auto begin = std::chrono::steady_clock::now();
  if (!options_.keep || begin < prune_at_) return;
  const Time before = executor_->Now() - *options_.keep;
  const auto remove_folder = [this](core::JobId job) {
    std::error_code code;
    std::filesystem::remove_all(DirectoryOf(job), code);
    if (code)
      publisher_.Say(executor_->Now(), job, "its folder cannot be removed: " + code.message());
  };
  while (std::chrono::steady_clock::now() - begin < kAtOnce) {
    const auto step = store_.Prune(before, remove_folder);
    if (!step || step->job == 0) {
      prune_at_ = begin + options_.prune_every;
      return;
    }
  }
  executor_->Wake();
}

}  // namespace ebb::service
