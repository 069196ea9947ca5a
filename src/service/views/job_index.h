#pragma once
// The queue as readers see it: one immutable card for each job, in a table whose copies share what
// did not change. The loop writes and publishes; any number of threads read what was published, at
// no cost to the loop. Publishing costs a pointer for every 256 jobs.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/submission.h"
#include "engine/decision.h"
#include "report/run/had_it_waited.h"
#include "store/ended_sums.h"

namespace ebb::service {

/// One for all who need it: the executor, and any number of copies of a card.
using SharedSubmission = std::shared_ptr<const core::Submission>;

/// What is shown of a job.
struct JobCard {
  SharedSubmission submission;
  engine::Explanation explanation;  ///< stage and reason
  int attempt = 0;
  int pauses = 0;
  std::optional<Time> first_start;
  std::optional<Time> ended;
  std::optional<int> exit_code;
  std::string detail;  ///< why it failed, was cancelled or is held; what a started one waits for
  std::vector<Interval> stretches;  ///< of running; the last one may go on (Time::max())
  /// Of each stretch, as far as it is known: which devices of the pool, from 0 on.
  std::vector<std::vector<int>> slots;
  std::vector<Interval> planned;       ///< stretches to come, as of the last plan for it
  std::vector<core::JobId> waits_for;  ///< jobs that have to succeed first
  // Of what is stored in the ledger.
  Energy energy;
  std::optional<Emissions> emissions;  ///< as its rows were closed
  /// Of the same rows on the settled signal, once it has ended: its baselines are on that, too.
  std::optional<Emissions> emissions_settled;
  /// Of what it saved against its submission: half of the 95 % interval.
  std::optional<double> saving_half_width_g;
  std::optional<Emissions> emitted() const {
    return emissions_settled ? emissions_settled : emissions;
  }
  /// Part of `energy`; nothing: no GPU was measured, or it ended in another life of the service.
  std::optional<Energy> gpu_energy;
  /// Of the same energy, had it run when it was submitted; once it has ended.
  std::optional<Emissions> emissions_at_submission;
  /// As first_come.h has it, once it has ended.
  std::optional<Time> first_come_start;
  std::optional<Emissions> emissions_first_come;
  /// Of what it saved against that: half of the 95 % interval.
  std::optional<double> first_come_half_width_g;

  /// Of one that began at once, as of its end.
  std::optional<report::HadItWaited> had_it_waited;

  store::Baseline at_submission() const { return {emissions_at_submission, saving_half_width_g}; }
  store::Baseline first_come() const { return {emissions_first_come, first_come_half_width_g}; }
};

/// Sums over jobs.
struct JobTotals {
  static constexpr auto kStages = static_cast<std::size_t>(engine::Stage::kCancelled) + 1;
  std::array<std::int64_t, kStages> stages{};  ///< how many, by engine::Stage
  Energy energy;                               ///< of all of them
  Emissions emissions;                         ///< of all of them, as far as they are known
  bool any_emissions = false;                  ///< they are known of one at least
  store::EndedSums ended;                      ///< of those that have ended

  void Add(const JobCard& card);
  JobTotals& operator+=(const JobTotals& other);
};

class JobIndex {
 public:
  /// nullptr when there is no such job.
  const JobCard* Find(core::JobId id) const;
  /// By id, from `first` on, as long as `take` returns true.
  void ForEach(core::JobId first, const std::function<bool(const JobCard&)>& take) const;
  /// What differs from `before`, by id: a card that is new or another one, nullptr for one that is
  /// gone. Costs a pointer for every 256 jobs, and what changed.
  void ForEachChange(const JobIndex& before,
                     const std::function<void(core::JobId, const JobCard*)>& take) const;
  /// Of all jobs. Looks only at the chunks that nobody has asked about since they changed.
  JobTotals Totals() const;
  std::size_t size() const { return size_; }

  /// Of 256 jobs each, as far as they hold any.
  std::size_t chunks() const;

  void Put(JobCard card);
  void Erase(core::JobId id);

 private:
  static constexpr std::size_t kChunk = 256;
  struct Chunk {
    std::array<std::shared_ptr<const JobCard>, kChunk> cards;
    // Made by the first reader who asks; a chunk that is written has none.
    mutable std::mutex mutex;
    mutable std::optional<JobTotals> totals;

    Chunk() = default;
    Chunk(const Chunk& other) : cards(other.cards) {}
  };
  std::shared_ptr<const JobCard>& Cell(core::JobId id);

  std::vector<std::shared_ptr<const Chunk>> chunks_;  // nullptr: empty
  std::size_t size_ = 0;
};

}  // namespace ebb::service
