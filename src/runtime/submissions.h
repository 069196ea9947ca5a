#pragma once
// The port through which people's requests reach the loop: jobs submitted and jobs cancelled.
// Users: SubmissionList (a list with times: simulation, sweeps) and live sources.

#include <vector>

#include "engine/event.h"

namespace ebb::runtime {

class Submissions {
 public:
  virtual ~Submissions() = default;
  /// When the next event is due; Time::max() when none is known of.
  virtual Time NextAt() const = 0;
  /// Events due at or before `now`, oldest first, each handed out once. Asked again when these are
  /// taken or refused, until there are none: what became of them may decide about the next.
  virtual std::vector<engine::Event> Take(Time now) = 0;
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
  std::vector<engine::Event> Take(Time now) override;
  bool closed() const override { return next_ == events_.size(); }

 private:
  std::vector<engine::Event> events_;
  std::size_t next_ = 0;
};

}  // namespace ebb::runtime
