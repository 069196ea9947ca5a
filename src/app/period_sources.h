#pragma once
// Finds the runs for the report of a period: run directories (also all those below a folder) and
// the stores of services. Reads them and changes nothing.
//
// A run that is found several times (copies, exported jobs) counts once. Runs that may have read
// the same device at the same time are read together, and all others one after the other, so that a
// store of many jobs needs no more memory than its largest job.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/period/period.h"

namespace ebb::app {

class PeriodSources {
 public:
  /// Finds the runs without reading their ledgers.
  static Result<PeriodSources> Open(const std::vector<std::filesystem::path>& paths,
                                    Interval period);
  PeriodSources(PeriodSources&&) noexcept;
  PeriodSources& operator=(PeriodSources&&) noexcept;
  ~PeriodSources();

  /// The number of runs by the boundary of the average intensity on which they are accounted.
  std::map<core::Boundary, std::int64_t> Boundaries() const;
  /// The time from the first start of a run to the last end; a run that still runs ends at `now`.
  /// Nothing if no run has started. Leaves out stores on a replayed grid clock, whose jobs have no
  /// real times without their ledgers.
  std::optional<Interval> Span(Time now) const;
  /// The number of runs that were found more than once.
  std::int64_t copies() const;

  /// Called before each run with its number and the number of all runs.
  using Progress = std::function<void(std::size_t number, std::size_t of)>;
  Status ReadInto(report::PeriodAccount& account, Time now, const Progress& progress,
                  std::vector<std::string>& notices);

 private:
  struct State;
  explicit PeriodSources(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::app
