#include "service/intake/recurring_intake.h"

#include "base/text.h"
#include "service/intake/refusal.h"

namespace ebb::service {
namespace {

constexpr const char* kStoredAs = "recurring jobs";

}  // namespace

Status RecurringIntake::Load() {
  EBB_ASSIGN_OR_RETURN(const auto text, ports_.store.Meta(kStoredAs));
  if (text && !text->empty()) EBB_RETURN_IF_ERROR(ports_.recurring.Load(*text));
  ports_.publisher.SetRecurring(ports_.recurring.View());
  return {};
}

void RecurringIntake::Keep() {
  if (!ports_.recurring.TakeChanged()) return;
  ports_.store.SetMeta(kStoredAs, ports_.recurring.Text());
  ports_.publisher.SetRecurring(ports_.recurring.View());
}

void RecurringIntake::Take(Submit submit, Inbox::Promise asker, Time now) {
  ports_.answers.AnswerOnceStored(std::move(asker), Put(std::move(submit), now));
}

// Refuses the recurring job for what would refuse each of its instances, while somebody listens.
Result<Answer> RecurringIntake::Put(Submit submit, Time now) {
  if (submit.cannot_start) return Fail(*submit.cannot_start);
  const core::Job& job = submit.submission.job;
  if (const Status runs = ports_.checks.CheckDevices(job); !runs)
    return Fail(WithoutNumber(runs.error(), job));
  Answer answer;
  EBB_ASSIGN_OR_RETURN(
      answer.next, ports_.recurring.Put({*submit.recurrence, std::move(submit.submission), now}));
  Keep();
  return answer;
}

void RecurringIntake::Take(const ChangeRecurring& change, Inbox::Promise asker, Time now) {
  using To = ChangeRecurring::To;
  const bool found = change.to == To::kRemoved
                         ? ports_.recurring.Remove(change.name)
                         : ports_.recurring.SetPaused(change.name, change.to == To::kPaused, now);
  Keep();
  ports_.answers.AnswerOnceStored(std::move(asker),
                                  found ? Result<Answer>(Answer{}) : Fail(NotFound(change.name)));
}

Error RecurringIntake::NotFound(const std::string& name) const {
  std::vector<std::string> names;
  for (const RecurringView& job : ports_.recurring.View()) names.push_back(job.name);
  return {ExitCode::kUsage,
          "there is no recurring job \"" + name + "\"" + SuggestionText(name, names), "",
          "ebb recurring lists them"};
}

}  // namespace ebb::service
