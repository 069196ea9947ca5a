#pragma once
// Shows a person how a sweep runs: on a terminal a table that is rewritten in place, in a pipe one
// line for each change. Everything goes to stderr.
//
// Thread contract: any thread.

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "app/sweep/sweep_run.h"
#include "cli/display.h"
#include "service/views/view.h"

namespace ebb::cli {

class SweepDisplay final : public app::SweepObserver {
 public:
  /// `directory_of` gives the directory of a job's progress file.
  SweepDisplay(std::string name, const app::RunOptions& options, app::DirectoryOf directory_of)
      : name_(std::move(name)),
        directory_of_(std::move(directory_of)),
        mode_(ModeFor(options.quiet)),
        json_(options.json) {}
  ~SweepDisplay() override { Finish(); }

  void Say(const std::string& line) override;
  void Show(const service::View& view, Time now) override;
  /// Leaves the last table standing.
  void Finish() override;
  /// With --format json, the report goes to stdout.
  void ShowReport(const report::SweepReport& report, const std::string& directory) override;

 private:
  using Outlook = std::pair<engine::Stage, core::GateRule>;
  void Tell(const service::View& view);
  void TellOutlooks(const service::View& view);
  void Draw(const service::View& view, Time now);
  std::vector<std::string> Lines(const service::View& view, Time now) const;
  std::string Row(const service::JobCard& card, const service::View& view) const;
  std::string ProgressOf(const service::JobCard& card) const;
  void Print(const std::string& line);
  void Clear();

  const std::string name_;
  const app::DirectoryOf directory_of_;
  const DisplayMode mode_;
  const bool json_;
  std::mutex mutex_;
  std::size_t drawn_lines_ = 0;
  std::map<core::JobId, Outlook> outlooks_;
  std::string device_trouble_;
  std::uint64_t told_ = 0;  // number of the last event that was reported
};

}  // namespace ebb::cli
