// Simulates a day of the service, or the given number of hours, with faults, and prints the
// outcome. The exit code is 1 if a job was lost, ran twice, or has a report that differs from its
// measurement. Run by bench/soak.
#include <cstdio>
#include <cstdlib>

#include "service/soak_for_test.h"

int main(int count, char** words) {
  using namespace ebb;
  service::SoakOptions options;
  options.wall = std::chrono::seconds{count > 1 ? std::atoi(words[1]) : 180};
  options.jobs = count > 2 ? std::atoi(words[2]) : 400;
  options.seed = count > 3 ? std::strtoull(words[3], nullptr, 10) : 1;
  const service::SoakResult result = service::Soak("soak_bench", options);
  std::printf(
      "24 h in %lld s: %d jobs succeeded, %d failed as they had to, %d cancelled; %d pauses, %d "
      "job controls by people\n",
      static_cast<long long>(options.wall / std::chrono::seconds{1}), result.succeeded,
      result.failed, result.cancelled, result.pauses, result.controls);
  std::printf(
      "  %d starts failed, %d requests were refused until later, %d for want of their program; "
      "%.1f J in the ledger\n",
      result.starts_that_failed, result.refused_for_now, result.refused_without_program,
      result.energy.joules());
  for (const std::string& problem : result.problems)
    std::printf("  PROBLEM: %s\n", problem.c_str());
  if (result.problems.empty())
    std::printf("  every job ended exactly once; reported, stored and measured energy are equal\n");
  return result.problems.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}
