#include "service/intake/request_intake.h"

#include <algorithm>
#include <iterator>

namespace ebb::service {
namespace {

// Many requests share one flush of the disk, but nobody waits for long.
constexpr std::size_t kMostAtOnce = 1000;

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

template <class T>
T PopFront(std::deque<T>& queue) {
  T front = std::move(queue.front());
  queue.pop_front();
  return front;
}

template <class T>
std::deque<T> ToDeque(std::vector<T> items) {
  return {std::make_move_iterator(items.begin()), std::make_move_iterator(items.end())};
}

core::JobId JobOf(const engine::Fact& fact) {
  if (const auto* controlled = std::get_if<engine::JobControlled>(&fact)) return controlled->job;
  const auto* cancelled = std::get_if<engine::JobCancelled>(&fact);
  return cancelled ? cancelled->job : 0;
}

}  // namespace

bool RequestIntake::HasComeIn() const {
  return !resubmitted_.empty() || !ports_.facts.empty() || !ports_.inbox.empty();
}

Time RequestIntake::NextAt() const {
  if (HasComeIn()) return Time::min();
  return std::min(ports_.recurring.NextAt(), ports_.own_due());
}

Duration RequestIntake::Patience() const { return urgent_ ? Duration::zero() : ports_.patience(); }

bool RequestIntake::closed() const { return ports_.is_last && !round_ && NextAt() == Time::max(); }

void RequestIntake::Resubmit(std::vector<core::Submission> submissions) {
  resubmitted_ = ToDeque(std::move(submissions));
}

// One thing at a time, because a refusal may decide about the requests after it: they may depend on
// the refused job, or have its key.
std::vector<runtime::Submitted> RequestIntake::Take(Time now) {
  Events events;
  while (events.empty() && TakeNext(now, events)) {
  }
  return events;
}

// False: nothing more has come in.
bool RequestIntake::TakeNext(Time now, Events& events) {
  if (!resubmitted_.empty()) {
    ports_.submissions.Take(PopFront(resubmitted_), std::nullopt, now, events);
    return true;
  }
  if (!ports_.facts.empty()) {
    TakeFacts(now, events);
    return true;
  }
  if (!round_) {
    BeginRound(now);
    return true;
  }
  if (!round_->asked.empty()) {
    TakeRequest(PopFront(round_->asked), now, events);
    return true;
  }
  if (!round_->due.empty()) {
    ports_.submissions.TakeInstance(PopFront(round_->due), now, events);
    return true;
  }
  round_.reset();
  ports_.recurring.Keep();
  return false;
}

void RequestIntake::TakeFacts(Time now, Events& events) {
  for (engine::Fact& fact : ports_.facts.TakeAll())
    events.push_back(ports_.answers.HandOut({now, std::move(fact)}, std::nullopt, Answer{}));
  urgent_ = true;
}

void RequestIntake::BeginRound(Time now) {
  round_ = Round{ToDeque(ports_.inbox.Take(kMostAtOnce)), ToDeque(ports_.recurring.TakeDue(now))};
}

void RequestIntake::TakeRequest(Inbox::Asked asked, Time now, Events& events) {
  urgent_ = urgent_ || !std::holds_alternative<Submit>(asked.request);
  Inbox::Promise asker = std::move(asked.promise);
  std::visit(
      Overloaded{
          [&](Submit& submit) {
            if (submit.recurrence)
              ports_.recurring.Take(std::move(submit), std::move(asker), now);
            else
              ports_.submissions.Take(std::move(submit), std::move(asker), now, events);
          },
          [&](const ChangeRecurring& change) {
            ports_.recurring.Take(change, std::move(asker), now);
          },
          [&](const ChangeBudget& change) { ports_.changes.Take(change, std::move(asker)); },
          [&](const ChangeDevice& change) {
            ports_.answers.AnswerOnceStored(std::move(asker), ChangedDevice(change));
          },
          [&](const ChangeDrain& change) { TakeDrain(change, std::move(asker), now, events); },
          [&](const auto& change) { ports_.changes.Take(change, std::move(asker), now, events); },
      },
      asked.request);
}

// A new drain replaces the one that is in force. Its answer waits for the decision, which tells
// what the drain means for each job.
void RequestIntake::TakeDrain(const ChangeDrain& change, Inbox::Promise asker, Time now,
                              Events& events) {
  std::optional<engine::Drain> drain;
  if (!change.end) {
    const auto& before = ports_.publisher.drain();
    drain = {before ? before->since : now, change.until, change.why};
    if (change.within) drain->until = now + *change.within;
  }
  events.push_back(ports_.answers.HandOut({now, engine::DrainSet{std::move(drain)}},
                                          std::move(asker), Answer{},
                                          PendingAnswers::Due::kDecided));
}

Result<Answer> RequestIntake::ChangedDevice(const ChangeDevice& change) {
  Answer answer;
  EBB_ASSIGN_OR_RETURN(answer.device, ports_.change_device(change));
  return answer;
}

void RequestIntake::OnTaken(runtime::Ticket ticket, const engine::Event& event) {
  ports_.submissions.OnTaken(ticket, event);
  if (const auto* changed = std::get_if<engine::JobChanged>(&event.fact))
    ports_.changes.OnTaken(*changed);
  if (const auto* learned = std::get_if<engine::SpeedupLearned>(&event.fact))
    ports_.changes.OnTaken(*learned);
  ports_.answers.Taken(ticket);
}

// A fact of the service's own may come too late, for a job that has ended. That is not news.
void RequestIntake::OnRefused(runtime::Ticket ticket, const engine::Event& event,
                              const Error& error) {
  if (ports_.submissions.OnRefused(ticket, event, error)) return;
  if (ports_.answers.Refused(ticket, error)) return;
  const JobCard* card = ports_.publisher.Find(JobOf(event.fact));
  if (card && !engine::HasEnded(card->explanation.stage))
    ports_.publisher.Say(event.at, card->submission->job.id, error.Message());
}

void RequestIntake::OnDecided(const engine::Decision& decision) {
  urgent_ = false;
  ports_.answers.OnDecided(decision);
}

void RequestIntake::OnTrouble(const Error& error) {
  ports_.submissions.AbandonAll();
  ports_.answers.FailAll(error);
}

}  // namespace ebb::service
