#pragma once
// The energy and emissions of all jobs since the last midnight by the local clock of the service.
// Energy belongs to the day on which it was used, by the grid clock, whenever its readings come: a
// row that crosses midnight is divided, and late readings of a day that is over change nothing.
// Pure.
//
// Thread contract: the loop's thread.

#include <map>
#include <span>
#include <vector>

#include "core/jobs/cron.h"
#include "core/jobs/job.h"
#include "core/ledger/ledger.h"
#include "service/views/figures.h"

namespace ebb::service {

class DayUse {
 public:
  using UtcOffset = core::CronSchedule::UtcOffset;
  explicit DayUse(UtcOffset offset) : offset_(std::move(offset)) {}

  /// Begins the day of `now`, if it is another one. False: it is an earlier day, because the clock
  /// was set back, so the rows of that day must be added again.
  bool Turn(Time now);
  /// The present day; empty before the first Turn.
  Interval day() const { return day_; }
  /// Adds rows that are new. A row that ends after the day begins the next one.
  void Add(core::JobId job, std::span<const core::LedgerRow> rows);
  /// True if the job has used energy on this day.
  bool Holds(core::JobId job) const { return jobs_.contains(job); }
  /// All rows of a job, on newer values of the signal. They replace the rows that were added.
  void Replace(core::JobId job, std::span<const core::LedgerRow> rows);
  DayFigures figures() const;

 private:
  struct Use {
    Energy energy, without_intensity;
    double grams = 0;
    void Add(const Use& other);
    void Remove(const Use& other);
  };
  Use UseOf(const core::LedgerRow& row) const;

  UtcOffset offset_;
  Interval day_{};
  std::map<core::JobId, Use> jobs_;
  Use total_;
};

}  // namespace ebb::service
