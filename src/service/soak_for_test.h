#pragma once
// A day in the life of the service, many times as fast as it passes: jobs of every kind come in,
// people pause, resume and cancel them, and everything goes wrong: the source of the signal is
// away, the clock jumps, the disk is full, supervisors cannot be started, programs do not hear that
// they are to end, the service is stopped and started. Checked in the end: every job has ended,
// once, and what is reported is what was measured.

#include <string>
#include <vector>

#include "service/world_for_test.h"

namespace ebb::service {

struct SoakOptions {
  Duration simulated{std::chrono::hours{24}};
  Duration wall{std::chrono::seconds{10}};  ///< the least wall time that the test takes
  int jobs = 60;
  std::uint64_t seed = 1;
};

struct SoakResult {
  int succeeded = 0, failed = 0, cancelled = 0;
  int pauses = 0;
  int controls = 0;  ///< requests of people to hold or release a job that were taken
  int starts_that_failed = 0;
  int refused_for_now = 0;  ///< requests while the disk was full or the service was away
  int refused_without_program = 0;
  Energy energy;
  std::vector<std::string> problems;  ///< empty: all is well
};

SoakResult Soak(const std::string& name, const SoakOptions& options);

}  // namespace ebb::service
