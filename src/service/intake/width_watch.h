#pragma once
// Learns the speed-up of elastic jobs: at the end of each attempt its progress goes to the history
// of its program (width_history.h), and live jobs of the program get what follows from it.
//
// Thread contract: the loop's thread.

#include <filesystem>
#include <functional>
#include <vector>

#include "core/run/run.h"
#include "service/intake/fact_queue.h"
#include "service/intake/width_history.h"
#include "service/views/event_log.h"
#include "service/views/publisher.h"

namespace ebb::service {

class WidthWatch {
 public:
  struct Ports {
    WidthHistory& history;
    Publisher& publisher;
    EventLog& events;
    FactQueue& facts;
    std::function<std::filesystem::path(core::JobId)> directory_of;
    std::function<std::string(int pool)> model_of;
    std::function<std::vector<core::JobId>()> live_jobs;
    std::function<Time()> now;
  };
  explicit WidthWatch(Ports ports) : ports_(std::move(ports)) {}

  void OnAttemptEnded(core::JobId job, const core::Attempt& attempt);

 private:
  void Teach(core::JobId job);

  Ports ports_;
};

/// The reports of progress in this time, in the finest unit that the program reports: tokens,
/// samples, or else steps, which at another width may be of another size. `unit`: its name.
std::vector<core::ProgressPoint> ProgressWithin(const std::filesystem::path& progress_file,
                                                Interval wall, std::string& unit);

}  // namespace ebb::service
