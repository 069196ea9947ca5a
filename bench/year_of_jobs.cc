// A year of 100,000 jobs through the production engine and loop on the simulated executor, in one
// thread: how long it takes, and totals that are the same in every build. The trace is that of
// GAIA (umassos/GAIA); the forecast is the truth, the devices are as many as ever needed.
//
// Usage: year_of_jobs JOBS.csv.gz CARBON.csv.gz [POLICY...]

#include <chrono>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "runtime/run_loop.h"
#include "sim/simulated_executor.h"
#include "testing/fake_feed.h"

namespace {

using namespace ebb;

const Time kBegin = *ParseTime("2022-01-01");

std::vector<std::string_view> Lines(std::string_view text) {
  auto lines = Split(text, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// arrival_time,length,cpus with times in hours
std::vector<core::Job> ReadJobs(std::string_view text) {
  std::vector<core::Job> jobs;
  const auto lines = Lines(text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto fields = Split(lines[i], ',');
    core::Job job;
    job.id = static_cast<core::JobId>(i);
    job.submitted = kBegin + DurationFromSeconds(*ParseNumber(fields[0]) * 3600);
    job.run_time = DurationFromSeconds(*ParseNumber(fields[1]) * 3600);
    job.devices = static_cast<int>(*ParseInteger(fields[2]));
    job.power = {10};
    job.start_by = job.submitted + std::chrono::hours{24};
    jobs.push_back(std::move(job));
  }
  return jobs;
}

// The last column of the first year, and the beginning of it again for jobs that run into the next.
std::vector<double> ReadCarbon(std::string_view text) {
  std::vector<double> values;
  for (const std::string_view line : Lines(text)) {
    const auto fields = Split(line, ',');
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (const auto value = ParseNumber(fields[i])) {
        values.push_back(*value);
        break;
      }
    }
  }
  values.resize(8760, 0);
  values.insert(values.end(), values.begin(), values.begin() + 720);
  return values;
}

struct Totals {
  double kwh = 0, grams = 0, wait_hours = 0;
};

Totals Account(const sim::SimulatedExecutor& executor, testing::FakeFeed& feed) {
  const core::IntensitySeries truth = *feed.Settled({kBegin, kBegin + std::chrono::hours{9480}});
  Totals totals;
  for (const auto& [id, run] : executor.runs()) {
    for (const sim::SegmentRun& segment : run.segments) {
      const Energy energy =
          core::EnergyOn(run.job, executor.cluster().pools[0], segment.time.length());
      const auto mean = truth.Slice(segment.time).Mean(segment.time);
      totals.kwh += energy.kwh();
      if (mean) totals.grams += energy.kwh() * mean->intensity.g_per_kwh;
    }
    totals.wait_hours += Hours(run.segments.front().time.begin - run.job.submitted);
  }
  return totals;
}

int RunOne(const std::string& policy, const std::vector<core::Job>& jobs,
           const std::vector<double>& carbon) {
  const auto begin = std::chrono::steady_clock::now();
  auto made = plan::MakePolicy(policy, {});
  if (!made) return std::fprintf(stderr, "%s\n", made.error().Message().c_str()), 2;
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  engine::Engine engine(options, *std::move(made));
  sim::SimulatedExecutor executor({{{"site", "Z", {}}}, {{"cpu", 0, 1'000'000, 1, 1, {}}}}, kBegin,
                                  {});
  for (const core::Job& job : jobs) executor.AddJob(job);
  testing::FakeFeed feed(kBegin, carbon);
  feed.KeepHistory(std::chrono::hours{24 * 7});
  auto submissions = runtime::SubmissionList::OfJobs(jobs);
  const auto result = runtime::Run(engine, {executor, {&feed}, submissions}, {});
  if (!result) return std::fprintf(stderr, "%s\n", result.error().Message().c_str()), 4;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Totals totals = Account(executor, feed);
  std::printf("%-14s %6.2f s  %8lld cycles  %8lld events  %.6f kWh  %.6f g  mean wait %.4f h\n",
              policy.c_str(), seconds, static_cast<long long>(result->cycles),
              static_cast<long long>(result->events), totals.kwh, totals.grams,
              totals.wait_hours / static_cast<double>(jobs.size()));
  return executor.violations().empty() ? 0 : 70;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: year_of_jobs JOBS CARBON [POLICY...]\n"), 2;
  const auto jobs_text = platform::ReadFileMaybeGzip(argv[1]);
  const auto carbon_text = platform::ReadFileMaybeGzip(argv[2]);
  if (!jobs_text || !carbon_text) return std::fprintf(stderr, "cannot read the traces\n"), 4;
  const auto jobs = ReadJobs(*jobs_text);
  const auto carbon = ReadCarbon(*carbon_text);
  std::vector<std::string> policies(argv + 3, argv + argc);
  if (policies.empty()) policies = {"run-now", "lowest-window", "carbon-time"};
  int worst = 0;
  for (const std::string& policy : policies) worst = std::max(worst, RunOne(policy, jobs, carbon));
  return worst;
}
