#pragma once
// The port through which the requests of people reach the loop: jobs submitted and jobs cancelled.
// Users: SubmissionList (a list with times: simulation, sweeps) and live sources.

#include <cstdint>
#include <vector>

#include "engine/event.h"

namespace ebb::runtime {

/// The number of an event that was handed out, so that its source knows which event was taken or
/// refused. 0: the event has no ticket, and its answer is not needed.
using Ticket = std::uint64_t;

struct Submitted : engine::Event {
  Ticket ticket = 0;
};
/// Events whose answers are not needed.
std::vector<Submitted> WithoutTickets(std::vector<engine::Event> events);

class Submissions {
 public:
  virtual ~Submissions() = default;
  /// The time at which the next event is due; Time::max() if none is known.
  virtual Time NextAt() const = 0;
  /// Events due at or before `now`, oldest first, each handed out once. Called again after these
  /// events are taken or refused, until it returns none, because the answers may decide about the
  /// next events.
  virtual std::vector<Submitted> Take(Time now) = 0;
  /// The engine has taken the event that was handed out with this ticket.
  virtual void OnTaken(Ticket, const engine::Event&) {}
  /// The engine has refused the event that was handed out with this ticket.
  virtual void OnRefused(Ticket, const engine::Event&, const Error&) {}
  /// The time, by the executor's clock, that the decision about events may wait once they are
  /// stored, so that one decision covers many submissions in a row. Zero: no wait.
  virtual Duration Patience() const { return Duration::zero(); }
  /// True if no event will ever come again: the loop may stop when it is idle.
  virtual bool closed() const = 0;
};

/// Events that are known from the beginning, in any order. Events of equal times keep their order.
class SubmissionList final : public Submissions {
 public:
  explicit SubmissionList(std::vector<engine::Event> events);
  /// Submits each job at its Job::submitted.
  static SubmissionList OfJobs(std::vector<core::Job> jobs);

  Time NextAt() const override;
  std::vector<Submitted> Take(Time now) override;
  bool closed() const override { return next_ == events_.size(); }

 private:
  std::vector<engine::Event> events_;
  std::size_t next_ = 0;
};

}  // namespace ebb::runtime
