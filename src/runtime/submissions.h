#pragma once
// The port through which people's requests reach the loop: jobs submitted and jobs cancelled.
// Users: SubmissionList (a list with times: simulation, sweeps) and live sources.

#include <cstdint>
#include <vector>

#include "engine/event.h"

namespace ebb::runtime {

/// Names an event that was handed out, so that whoever handed it out knows which one was taken or
/// refused. 0: the event has no ticket, and nobody waits for its answer.
using Ticket = std::uint64_t;

struct Submitted : engine::Event {
  Ticket ticket = 0;
};
/// Events whose answers nobody waits for.
std::vector<Submitted> WithoutTickets(std::vector<engine::Event> events);

class Submissions {
 public:
  virtual ~Submissions() = default;
  /// When the next event is due; Time::max() when none is known of.
  virtual Time NextAt() const = 0;
  /// Events due at or before `now`, oldest first, each handed out once. Asked again when these are
  /// taken or refused, until there are none: what became of them may decide about the next.
  virtual std::vector<Submitted> Take(Time now) = 0;
  /// The engine has taken the event that was handed out with this ticket.
  virtual void OnTaken(Ticket, const engine::Event&) {}
  /// The engine has refused the event that was handed out with this ticket.
  virtual void OnRefused(Ticket, const engine::Event&, const Error&) {}
  /// How long, by the executor's clock, the decision about what Take handed out may wait once it is
  /// stored: many that come one after the other are decided upon together. Zero: not at all.
  virtual Duration Patience() const { return Duration::zero(); }
  /// Nothing will ever come again: the loop may stop when it is idle.
  virtual bool closed() const = 0;
};

/// Known from the beginning, in any order; equal times keep theirs.
class SubmissionList final : public Submissions {
 public:
  explicit SubmissionList(std::vector<engine::Event> events);
  /// Every job at its Job::submitted.
  static SubmissionList OfJobs(std::vector<core::Job> jobs);

  Time NextAt() const override;
  std::vector<Submitted> Take(Time now) override;
  bool closed() const override { return next_ == events_.size(); }

 private:
  std::vector<engine::Event> events_;
  std::size_t next_ = 0;
};

}  // namespace ebb::runtime
