// Work of a service besides its decisions: it shows new figures of jobs, settles ended jobs, and
// forgets old ones in memory. Each step is short, because requests wait meanwhile.

#include <algorithm>

#include "core/run/accounting.h"
#include "platform/system_clock.h"
#include "service/accounting/settlement.h"
#include "service/accounting/waited_job.h"
#include "service/planning/timed.h"
#include "service/service.h"
#include "store/ended_sums.h"

namespace ebb::service {
namespace {

// The names of a program's devices. A GPU may have another number in the next life.
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

// The engine forgets all but the newest ended jobs, so that memory and snapshots stay small.
void Service::ForgetEnded() {
  ForgetInView();
  const auto& ended = engine_->state().ended;
  if (ended.size() <= 2 * options_.ended_in_view) return;
  std::vector<Time> ends;
  for (const auto& [id, job] : ended) ends.push_back(job.ended);
  const auto newest = ends.end() - static_cast<std::ptrdiff_t>(options_.ended_in_view);
  std::nth_element(ends.begin(), newest, ends.end());
  if (*std::min_element(ends.begin(), newest) == *newest) return;  // all ended at one moment
  facts_.Push(engine::EndedForgotten{*newest});
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
    StoreFigures(store_, publisher_, job);
  }
  if (!first_come.empty()) ForgetInView();
  FollowToday();
}

void Service::TellFigures(core::JobId job) {
  if (const JobCard* card = publisher_.Find(job)) options_.on_figures(*card);
}

// The store has the rows of a day that the clock was set back to.
void Service::FollowToday() {
  if (!today_.Turn(executor_->Now())) CountToday();
  publisher_.SetToday(today_.figures());
}

void Service::OnSettled(core::JobId job, const std::vector<RanAt>& places) {
  if (today_.Holds(job)) {
    today_.Replace(job, AsSettled(places));
    publisher_.SetToday(today_.figures());
  }
  // Other executors measure on: a job's last rows may come after its end.
  if (!supervised_) accounting_.Forget(job);
  TellFigures(job);
}

// Figures of a cluster's agents are shown at once, and stored by the loop's next cycle, which
// nothing else may ask for within hours.
void Service::OnOutsideFigures() {
  TakeFigures();
  publisher_.Publish(executor_->Now());
  executor_->Wake();
}

}  // namespace ebb::service
