#pragma once
// The jobs as readers see them: one immutable card for each job, in an index by number. Copies of
// the index share all that did not change, so publishing one costs a pointer for every 256 jobs.
//
// Thread contract: one thread writes. Any number of threads read copies, at no cost to the writer.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/submission.h"
#include "core/ledger/work.h"
#include "engine/state.h"
#include "report/run/had_it_waited.h"
#include "service/views/figures.h"
#include "store/ended_sums.h"

namespace ebb::service {

/// The executor and all copies of a card share one submission.
using SharedSubmission = std::shared_ptr<const core::Submission>;

/// A job as readers see it. Its sums are those of its ledger; `emissions` are by the intensity
/// known when each row was closed.
struct JobCard : JobFigures {
  SharedSubmission submission;
  engine::Explanation explanation;  ///< stage and reason
  int attempt = 0;
  int pauses = 0;
  std::optional<Time> first_start;
  std::optional<Time> ended;
  std::optional<int> exit_code;
  std::string detail;  ///< why it failed, was cancelled or is held, or what its start waits for
  std::string remark;  ///< what its executor cannot do for it; empty: nothing
  std::vector<Interval> stretches;  ///< when it ran; a stretch that goes on ends at Time::max()
  /// For each stretch the devices of the pool that it had, from 0 on; shorter where unknown.
  std::vector<std::vector<int>> slots;
  /// For each stretch how many devices it had, of an elastic job; 0: unknown. Empty for other jobs.
  std::vector<int> widths;
  /// The site where it runs, ran last or is to run; empty: unknown, or the service has one site.
  std::string site;
  std::vector<Interval> planned;    ///< when it is to run, by the last plan
  std::vector<int> planned_widths;  ///< of each: on how many devices, of an elastic job
  /// Sites of the same stretches, if the job is to go from one to another. Empty: it stays at one.
  std::vector<std::string> planned_sites;
  /// The job as the engine has it (site_choices.h); nullptr: it has ended, or the service has one
  /// site.
  std::shared_ptr<const engine::LiveJob> live;
  std::vector<core::JobId> waits_for;  ///< predecessors that have not succeeded yet

  void SetFigures(const JobFigures& figures) { JobFigures::operator=(figures); }
  /// The emissions of the same rows by the settled values of the signal, once the job has ended.
  /// The baselines below use these values too.
  std::optional<Emissions> emissions_settled;
  /// Half of the 95 % interval of what the job saved against running at its submission.
  std::optional<double> saving_half_width_g;
  std::optional<Emissions> emitted() const {
    return emissions_settled ? emissions_settled : emissions;
  }
  /// Half of the 95 % interval of the energy, and of the emissions, as a share of them, once the
  /// job has ended.
  std::optional<double> energy_half_width, emissions_half_width;
  std::vector<core::UnitUse> per_unit() const;
  /// The emissions of the same energy from the submission on, once the job has ended.
  std::optional<Emissions> emissions_at_submission;
  /// The job's start and emissions by first come, first served (first_come.h), once it has ended.
  std::optional<Time> first_come_start;
  std::optional<Emissions> emissions_first_come;
  /// Half of the 95 % interval of what the job saved against first come, first served.
  std::optional<double> first_come_half_width_g;

  /// Saving that waiting would have brought a job that began at once, as estimated at its end.
  std::optional<report::HadItWaited> had_it_waited;

  /// The emissions at other places and times, once it has ended, if there are several sites.
  std::optional<PlaceAndTime> place_and_time;

  store::Baseline at_submission() const { return {emissions_at_submission, saving_half_width_g}; }
  store::Baseline first_come() const { return {emissions_first_come, first_come_half_width_g}; }
};

/// Sums over a set of jobs.
struct JobTotals {
  static constexpr auto kStages = static_cast<std::size_t>(engine::Stage::kCancelled) + 1;
  std::array<std::int64_t, kStages> stages{};  ///< number of jobs, by engine::Stage
  Energy energy;
  Emissions emissions;         ///< of the jobs whose emissions are known
  bool any_emissions = false;  ///< the emissions of at least one are known
  store::EndedSums ended;      ///< of the jobs that have ended

  void Add(const JobCard& card);
  JobTotals& operator+=(const JobTotals& other);
};

class JobIndex {
 public:
  /// The card of a job; nullptr: there is no such job.
  const JobCard* Find(core::JobId id) const;
  /// Visits the cards in the order of their ids, from `first` on, while `take` returns true.
  void ForEach(core::JobId first, const std::function<bool(const JobCard&)>& take) const;
  /// Visits what differs from `before`, in the order of ids: the card of a job that is new or has
  /// changed, nullptr for one that is gone. Costs a pointer for every 256 jobs, and the changes.
  void ForEachChange(const JobIndex& before,
                     const std::function<void(core::JobId, const JobCard*)>& take) const;
  /// Sums over all jobs. Each chunk of 256 jobs is summed up once after a change.
  JobTotals Totals() const;
  std::size_t size() const { return size_; }

  /// The number of chunks that hold a job.
  std::size_t chunks() const;

  void Put(JobCard card);
  void Erase(core::JobId id);

 private:
  static constexpr std::size_t kChunk = 256;
  struct Chunk {
    std::array<std::shared_ptr<const JobCard>, kChunk> cards;
    // The first reader who asks fills these in. A write starts from a copy without them.
    mutable std::mutex mutex;
    mutable std::optional<JobTotals> totals;

    Chunk() = default;
    Chunk(const Chunk& other) : cards(other.cards) {}
  };
  std::shared_ptr<const JobCard>& Cell(core::JobId id);

  std::vector<std::shared_ptr<const Chunk>> chunks_;  // nullptr: a chunk without jobs
  std::size_t size_ = 0;
};

}  // namespace ebb::service
