// Fuzz target: any bytes as a sweep file are either refused with an Error that names the file, or
// give a sweep whose experiments have names and commands, and whose written-out form reads back as
// the same sweep. Run: build/fuzz/bin/sweep_config_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "config/sweep/sweep_config.h"
#include "sweep/local_jobs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = ebb::config::ParseSweepConfig(text, "fuzz.yaml");
  if (!config) {
    EBB_CHECK(!config.error().what.empty() &&
              config.error().where.find("fuzz.yaml") != std::string::npos);
    return 0;
  }
  const ebb::sweep::Sweep& sweep = config->sweep;
  EBB_CHECK(!sweep.experiments.empty() && !sweep.tiers.empty());
  for (const ebb::sweep::Experiment& experiment : sweep.experiments)
    EBB_CHECK(!experiment.name.empty() && !experiment.command.empty());
  // A few characters can expand to more jobs than the reader's limit on large files allows.
  if (sweep.experiments.size() > 100) return 0;
  const std::string jobs = ebb::sweep::LocalJobs(sweep);
  const auto again = ebb::config::ParseSweepConfig(jobs, "fuzz.yaml");
  EBB_CHECK(again && ebb::sweep::LocalJobs(again->sweep) == jobs);
  return 0;
}
