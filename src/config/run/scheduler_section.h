#pragma once
// The scheduler section: its keys and their combined meaning. NEO's keys and Ebb's own may stand
// side by side; if they disagree, the rules of docs/config.md decide and a note tells the reader.

#include <string>
#include <vector>

#include "config/options/run_option_keys.h"
#include "config/run/train_config.h"
#include "config/yaml/key_reader.h"

namespace ebb::config {

/// The keys as the file gives them. NEO's carbon_threshold, check_interval and api_url are options.
struct SchedulerKeys {
  // NEO
  Given<bool> enabled;
  Given<bool> wait_for_low_carbon;
  Given<Duration> max_wait_seconds;
  Given<bool> use_mock_data;
  Given<std::string> api_endpoint;
  Given<std::string> location;
  Given<std::string> region;
  Given<double> neo_utc_offset_hours;
  // Ebb
  RunOptionKeys options{kSchedulerSection};
};

/// The rules write into `keys`, which must outlive them.
std::vector<KeyRule> SchedulerRules(SchedulerKeys& keys);

/// The combined meaning of the keys. Contradictions go to `problems`, overruled keys to `notes`.
SchedulerConfig ResolveScheduler(const SchedulerKeys& keys, Problems& problems,
                                 std::vector<std::string>& notes);

}  // namespace ebb::config
