#pragma once
// The port for displays of a running sweep: cli/sweep_display.h for people.
//
// Thread contract: any thread.

#include <string>

#include "report/sweep/sweep_report.h"
#include "service/views/view.h"

namespace ebb::app {

class SweepObserver {
 public:
  virtual ~SweepObserver() = default;

  /// Prints a line that stays.
  virtual void Say(const std::string& line) = 0;
  /// Shows the changes since the last view. `now`: on the grid clock.
  virtual void Show(const service::View& view, Time now) = 0;
  /// No view follows; the next text begins a line of its own.
  virtual void Finish() = 0;
  /// Shows the result of the sweep, which is stored in `directory`.
  virtual void ShowReport(const report::SweepReport& report, const std::string& directory) = 0;
};

}  // namespace ebb::app
