#pragma once
// The options that gate, measure and place a run, as plain values. run_option.h describes each of
// them.

#include <optional>
#include <string>

#include "config/run/train_config.h"
#include "core/devices/power_cap.h"
#include "core/jobs/tracking.h"
#include "core/run/csv_write.h"
#include "core/run/run.h"

namespace ebb::config {

struct RunOptions {
  SchedulerConfig scheduler;
  MeteringConfig metering;
  std::string name;   ///< empty for the name of the command or configuration
  std::string group;  ///< empty for the name of the run
  std::string output_dir = "runs";
  std::string run_dir;         ///< empty for output_dir/run_id
  std::string emissions_file;  ///< path of a shared emissions.csv; empty for only the one in the
                               ///< run directory
  core::CsvWrite csv_write = core::CsvWrite::kAppend;
  std::string prometheus_file;  ///< text exposition, rewritten during the run
  std::string prometheus_url;   ///< address of a Pushgateway
  core::Tracking tracking;
  core::Location location;
  std::optional<core::PowerCap> power_cap;  ///< of the run's GPUs; absent: left alone
  core::Slowdown slower_by;                 ///< for a limit that is found
  bool json = false;
  bool quiet = false;
};

}  // namespace ebb::config
