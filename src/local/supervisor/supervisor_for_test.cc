// Runs a supervisor as the service starts it, with the processor model as its only meter.

#include <cstdlib>

#include "local/supervisor/supervisor.h"
#include "meter/meters.h"
#include "testing/fake_feed.h"

int main(int, char** argv) {
  const std::string secret = ebb::local::TakeEndSecret();
  const std::filesystem::path file = argv[1];
  const auto plan = ebb::local::ReadPlan(file);
  if (!plan) return EXIT_FAILURE;
  const auto lock = ebb::platform::FileLock::Inherited(3);
  ebb::local::SupervisorOptions options;
  options.end_secret = secret;
  options.sampler.interval = ebb::Duration{10};
  // With this root it cannot make a control group or see its program's use.
  if (plan->metering.contains("no-control-group")) options.sampler.proc_root = "/no-proc";
  ebb::meter::MeterOptions meters;
  meters.cpu_tdp_w = 100;
  meters.use_rapl = meters.use_gpu = false;
  options.meters = ebb::meter::MakeMeters(meters).meters;
  ebb::testing::FakeFeed feed(plan->since, {360, 100});
  options.feed = &feed;
  return ebb::local::Supervise({file.parent_path(), plan->attempt}, *plan, std::move(options), lock)
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}
