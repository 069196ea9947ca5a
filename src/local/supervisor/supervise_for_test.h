#pragma once
// Runs a supervisor as the service starts it, with the processor model as its only meter.

#include <cstdlib>

#include "local/supervisor/supervisor.h"
#include "meter/meters.h"
#include "testing/fake_feed.h"

namespace ebb::local {

inline int SuperviseForTest(const std::filesystem::path& file) {
  const std::string secret = TakeEndSecret();
  const auto plan = ReadPlan(file);
  if (!plan) return EXIT_FAILURE;
  const auto lock = platform::FileLock::Inherited(3);
  SupervisorOptions options;
  options.end_secret = secret;
  options.sampler.interval = Duration{10};
  // With this root it cannot make a control group or see its program's use.
  if (plan->metering.contains("no-control-group")) options.sampler.proc_root = "/no-proc";
  meter::MeterOptions meters;
  meters.cpu_tdp_w = 100;
  meters.use_rapl = meters.use_gpu = false;
  options.meters = meter::MakeMeters(meters).meters;
  testing::FakeFeed feed(plan->since, {360, 100});
  options.feed = &feed;
  return Supervise({file.parent_path(), plan->attempt}, *plan, std::move(options), lock)
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}

}  // namespace ebb::local
