#pragma once
// The answers that people wait for. A request that needs the engine's consent is handed to it as an
// event with a ticket. The ticket comes back with what became of the event, so events may be taken
// and refused in any order. An answer is given when everything it speaks of is durable.
//
// Thread contract: the loop's thread.

#include <map>
#include <optional>
#include <vector>

#include "engine/decision.h"
#include "runtime/submissions.h"
#include "service/intake/inbox.h"

namespace ebb::service {

class PendingAnswers {
 public:
  /// The moment at which an answer is given: once the event is stored, or once a decision that
  /// knows of it is stored too.
  enum class Due { kStored, kDecided };

  /// Gives the event its ticket. `answer` is what `asker` hears if the engine takes the event;
  /// without an asker nobody waits for the answer.
  runtime::Submitted HandOut(engine::Event event, std::optional<Inbox::Promise> asker,
                             Answer answer, Due due = Due::kStored);
  /// The answer to a request that needs no event. It may rest on writes that are not durable yet.
  void AnswerOnceStored(std::optional<Inbox::Promise> asker, Result<Answer> answer);

  /// The engine has taken the event with this ticket.
  void Taken(runtime::Ticket ticket);
  /// The engine has refused the event with this ticket. False: nobody waits for the answer.
  bool Refused(runtime::Ticket ticket, const Error& error);

  /// Everything that was taken or refused so far is durable.
  void OnStored();
  /// A decision is durable.
  void OnDecided(const engine::Decision& decision);
  /// Nothing can be stored, or the service ends: whoever still expects a success gets this error.
  void FailAll(const Error& error);

 private:
  struct Pending {
    std::optional<Inbox::Promise> asker;
    Result<Answer> answer;
    Due due = Due::kStored;
  };
  static void Give(std::vector<Pending>& answers);

  runtime::Ticket last_ticket_ = 0;
  std::map<runtime::Ticket, Pending> handed_out_;  // the engine has not answered these
  std::vector<Pending> stored_next_, decided_next_;
};

}  // namespace ebb::service
