#pragma once
// The scheduler section: its keys and their combined meaning. NEO's keys and Ebb's own may stand
// side by side; if they disagree, the rules of docs/config.md decide and a note tells the reader.

#include <string>
#include <vector>

#include "config/key_reader.h"
#include "config/train_config.h"
#include "core/publication.h"

namespace ebb::config {

/// The keys as the file gives them.
struct SchedulerKeys {
  // NEO
  Given<bool> enabled;
  Given<double> carbon_threshold;
  Given<bool> wait_for_low_carbon;
  Given<Duration> max_wait_seconds;
  Given<Duration> check_interval;
  Given<bool> use_mock_data;
  Given<std::string> api_url;
  Given<std::string> api_endpoint;
  Given<std::string> location;
  Given<std::string> region;
  // Ebb: gate
  Given<std::string> policy;
  Given<Duration> start_by;
  Given<Duration> duration;
  Given<std::string> on_deadline;
  Given<std::string> on_outage;
  // Ebb: signal
  Given<std::string> signal;
  Given<std::string> zone;
  Given<std::string> trace;
  Given<std::string> forecast;
  Given<core::Publication> publication_lag;
  Given<std::string> weather;
  Given<std::string> weather_points;
  Given<std::string> weather_url;
  Given<std::string> operators;
  Given<std::string> operators_url;
  Given<std::string> forecast_prices;
  Given<std::string> forecast_prices_url;
  Given<std::string> signal_command;
  Given<double> constant;
  Given<std::string> kind;
  Given<std::string> boundary;
  Given<std::int64_t> profile_seed;
  Given<double> neo_utc_offset_hours;
  Given<std::string> neo_time_zone;
  Given<std::string> api_token_env;
  Given<std::string> api_token_header;
  Given<std::string> api_token_file;
  Given<std::string> json_value;
  Given<std::string> json_time;
  Given<std::string> json_list;
  Given<std::string> json_unit;
  Given<Duration> last_known_limit;
  Given<Duration> forecast_limit;
  Given<std::string> signal_cache;
  // Ebb: electricity prices
  Given<std::string> prices;
  Given<double> price_weight;
  Given<double> price_threshold;
  // Ebb: grid clock
  Given<Time> grid_start;
  Given<double> grid_speed;
  Given<bool> skip_waits;
};

/// The rules write into `keys`, which must outlive them.
std::vector<KeyRule> SchedulerRules(SchedulerKeys& keys);

/// The combined meaning of the keys. Contradictions go to `problems`, overruled keys to `notes`.
SchedulerConfig ResolveScheduler(const SchedulerKeys& keys, Problems& problems,
                                 std::vector<std::string>& notes);

}  // namespace ebb::config
