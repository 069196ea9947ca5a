#pragma once
// Runs a supervisor as the service starts it, with the processor model as its only meter.

#include <cstdlib>
#include <functional>
#include <memory>

#include "local/supervisor/supervisor.h"
#include "meter/meters.h"
#include "testing/fake_feed.h"

namespace ebb::local {

inline std::unique_ptr<runtime::SignalFeed> TwoHours(const AttemptPlan& plan) {
  return std::make_unique<testing::FakeFeed>(plan.since, std::vector<double>{360, 100});
}

inline int SuperviseForTest(
    const std::filesystem::path& file,
    const std::function<std::unique_ptr<runtime::SignalFeed>(const AttemptPlan&)>& feed_for =
        TwoHours) {
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
  const auto feed = feed_for(*plan);
  options.feed = feed.get();
  return Supervise({file.parent_path(), plan->attempt}, *plan, std::move(options), lock)
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}

}  // namespace ebb::local
