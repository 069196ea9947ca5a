#pragma once
// The port of whoever looks at a sweep while it runs: cli/sweep_display.h for people.
//
// Thread contract: any thread.

#include <string>

#include "report/sweep/sweep_report.h"
#include "service/views/view.h"

namespace ebb::app {

class SweepObserver {
 public:
  virtual ~SweepObserver() = default;

  /// A line that stays.
  virtual void Say(const std::string& line) = 0;
  /// What has changed since the last view. `now`: on the grid clock.
  virtual void Show(const service::View& view, Time now) = 0;
  /// No view follows: what is said next begins a line of its own.
  virtual void Finish() = 0;
  /// What came of it, kept in `directory`.
  virtual void ShowReport(const report::SweepReport& report, const std::string& directory) = 0;
};

}  // namespace ebb::app
