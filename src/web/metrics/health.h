#pragma once
// How the service is, part by part: what /livez, /readyz and /metrics tell.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "service/views/view.h"

namespace ebb::web {

struct SignalHealth {
  std::string zone;
  /// How the value of this moment came about: "measured", "estimated", "forecast", "modelled";
  /// "missing": there is none.
  std::string state;
  std::optional<Intensity> value;
  /// Since the newest value that is neither forecast nor modelled ended; 0: it still holds. Nothing
  /// where there never was one.
  std::optional<Duration> value_age;
  std::optional<Duration> heard_age;  ///< since the source last answered
  std::string lost;                   ///< why it cannot be reached; empty: it can
};

struct Health {
  std::string store;    ///< why it cannot be written; empty: it can
  std::string devices;  ///< why no GPU can be given to a job; empty: some can
  std::string drain;    ///< somebody wants nothing to start, which is in order; empty: jobs start
  std::vector<SignalHealth> signals;
  std::size_t running = 0;                  ///< programs
  std::int64_t failed_starts_in_a_row = 0;  ///< attempts that could not be started at all
  std::chrono::nanoseconds last_look{};     ///< since the loop last looked at what runs
  std::chrono::nanoseconds busy{};          ///< since the loop last waited; zero while it waits
  bool hangs = false;                       ///< it has been busy for longer than can be in order
  std::string doing;                        ///< where it stands then; empty: it goes on

  bool SignalIsDegraded() const;
  bool ExecutorIsDegraded() const { return failed_starts_in_a_row > 0 || hangs; }
  /// Jobs can be taken, decided on, started and stored.
  bool Ready() const;
};

/// `now`: on the grid clock. `busy`, `doing`: BusyFor and Doing of service::Service.
Health HealthOf(const service::View& view, Time now, std::chrono::steady_clock::time_point steady,
                std::chrono::nanoseconds busy, const std::string& doing = "");

/// One JSON object.
std::string HealthToJson(const Health& health);

}  // namespace ebb::web
