#pragma once
// What a person sees while a sweep runs: on a terminal a table that is rewritten in place, in a
// pipe one line for whatever changed. Everything goes to stderr.
//
// Thread contract: any thread.

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cli/display.h"
#include "service/view.h"

namespace ebb::cli {

class SweepDisplay {
 public:
  /// `directory_of`: where a job's progress file lies.
  SweepDisplay(std::string name, std::function<std::filesystem::path(core::JobId)> directory_of,
               DisplayMode mode)
      : name_(std::move(name)), directory_of_(std::move(directory_of)), mode_(mode) {}
  ~SweepDisplay() { Finish(); }

  /// A line that stays.
  void Say(const std::string& line);
  /// What has changed since the last view. `now`: on the grid clock.
  void Show(const service::View& view, Time now);
  /// Leaves the last table standing.
  void Finish();

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
  const std::function<std::filesystem::path(core::JobId)> directory_of_;
  const DisplayMode mode_;
  std::mutex mutex_;
  std::size_t drawn_lines_ = 0;
  std::map<core::JobId, Outlook> outlooks_;
  std::string device_trouble_;
  std::uint64_t told_ = 0;  // of what happened, the last number
};

}  // namespace ebb::cli
