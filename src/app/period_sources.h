#pragma once
// Where the report of a period has its runs from: run directories (also all those below a folder)
// and the stores of services. Reads them; they stay as they are.
//
// A run that is there several times (copies, exported jobs) is taken once. Runs that may have read
// one device at one time are read together, all others one after the other, so that a store of many
// jobs needs no more memory than its largest one.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/period/period.h"

namespace ebb::app {

class PeriodSources {
 public:
  /// Looks at what is there, without reading ledgers.
  static Result<PeriodSources> Open(const std::vector<std::filesystem::path>& paths,
                                    Interval period);
  PeriodSources(PeriodSources&&) noexcept;
  PeriodSources& operator=(PeriodSources&&) noexcept;
  ~PeriodSources();

  /// Runs by the boundary of the average intensity on which they are accounted.
  std::map<core::Boundary, std::int64_t> Boundaries() const;
  /// Runs that are there more than once.
  std::int64_t copies() const;

  /// Called before each run with its number and how many there are.
  using Progress = std::function<void(std::size_t number, std::size_t of)>;
  Status ReadInto(report::PeriodAccount& account, Time now, const Progress& progress,
                  std::vector<std::string>& notices);

 private:
  struct State;
  explicit PeriodSources(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ebb::app
