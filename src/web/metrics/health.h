#pragma once
// The health of the service, part by part, for /livez, /readyz and /metrics.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "service/views/view.h"

namespace ebb::web {

struct SignalHealth {
  std::string zone;
  /// The status of the present value: "measured", "estimated", "forecast" or "modelled"; "missing"
  /// if there is no value.
  std::string state;
  std::optional<Intensity> value;
  /// The time since the end of the newest value that is neither forecast nor modelled; 0 if it is
  /// still valid. Nullopt if there never was one.
  std::optional<Duration> value_age;
  std::optional<Duration> heard_age;  ///< time since the source last answered
  std::string lost;                   ///< reason why the source cannot be reached; empty if it can
};

struct Health {
  std::string store;    ///< reason why the store cannot be written; empty if it can
  std::string devices;  ///< reason why no job can get a GPU; empty if some can
  std::string drain;    ///< set during a drain, when nothing is started on purpose; empty if jobs
                        ///< start
  std::vector<SignalHealth> signals;
  std::size_t running = 0;                  ///< running programs
  std::int64_t failed_starts_in_a_row = 0;  ///< attempts that could not be started at all
  std::chrono::nanoseconds last_look{};     ///< time since the loop last looked at the running
                                            ///< programs
  std::chrono::nanoseconds busy{};          ///< time since the loop last waited; zero while it
                                            ///< waits
  bool hangs = false;                       ///< the loop has been busy for too long
  std::string doing;                        ///< step at which the loop hangs; empty if it does not

  bool SignalIsDegraded() const;
  bool ExecutorIsDegraded() const { return failed_starts_in_a_row > 0 || hangs; }
  /// True if jobs can be accepted, decided on, started and stored.
  bool Ready() const;
};

/// `now`: on the grid clock. `busy`, `doing`: BusyFor and Doing of service::Service.
Health HealthOf(const service::View& view, Time now, std::chrono::steady_clock::time_point steady,
                std::chrono::nanoseconds busy, const std::string& doing = "");

/// The health as one JSON object.
std::string HealthToJson(const Health& health);

}  // namespace ebb::web
