#include "service/intake/pending_answers.h"

#include <utility>

namespace ebb::service {

runtime::Submitted PendingAnswers::HandOut(engine::Event event, std::optional<Inbox::Promise> asker,
                                           Answer answer, Due due) {
  handed_out_.emplace(++last_ticket_, Pending{std::move(asker), std::move(answer), due});
  return {std::move(event), last_ticket_};
}

void PendingAnswers::AnswerOnceStored(std::optional<Inbox::Promise> asker, Result<Answer> answer) {
  if (asker) stored_next_.push_back({std::move(asker), std::move(answer), Due::kStored});
}

void PendingAnswers::Taken(runtime::Ticket ticket) {
  auto found = handed_out_.extract(ticket);
  if (found.empty()) return;
  const bool waits = found.mapped().due == Due::kDecided;
  (waits ? decided_next_ : stored_next_).push_back(std::move(found.mapped()));
}

bool PendingAnswers::Refused(runtime::Ticket ticket, const Error& error) {
  auto found = handed_out_.extract(ticket);
  if (found.empty() || !found.mapped().asker) return false;
  found.mapped().answer = Fail(error);
  stored_next_.push_back(std::move(found.mapped()));
  return true;
}

void PendingAnswers::Give(std::vector<Pending>& answers) {
  for (Pending& pending : std::exchange(answers, {}))
    if (pending.asker) pending.asker->set_value(std::move(pending.answer));
}

void PendingAnswers::OnStored() { Give(stored_next_); }

// A decision that is followed by another at once does not yet say why all jobs wait.
void PendingAnswers::OnDecided(const engine::Decision& decision) {
  if (decision.wake_at > decision.at) Give(decided_next_);
}

// The requests may succeed all the same: the store keeps what it could not write, and tries again.
void PendingAnswers::FailAll(const Error& error) {
  for (auto& [ticket, pending] : std::exchange(handed_out_, {}))
    stored_next_.push_back(std::move(pending));
  for (Pending& pending : std::exchange(decided_next_, {}))
    stored_next_.push_back(std::move(pending));
  for (Pending& pending : stored_next_)
    if (pending.answer) pending.answer = Fail(error);
  OnStored();
}

}  // namespace ebb::service
