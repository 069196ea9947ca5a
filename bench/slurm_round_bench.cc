// A round of the Slurm executor with many pending jobs that are all Ebb's: the time that it takes,
// by the commands of the cluster that SLURM_CONF names. bench/slurm starts such a cluster.
//
//   slurm_round_bench ROUNDS

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "platform/system_clock.h"
#include "platform/temporary_directory.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/slurm_executor.h"

namespace {

using namespace ebb;
using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

int Measure(int rounds) {
  platform::ProcessSignals signals;
  platform::SystemClock wall(signals);
  const runtime::GridClock clock(wall, core::GridClockSettings{});
  auto directory = platform::TemporaryDirectory::Make("ebb-bench");
  if (!directory) return 1;
  slurm::SlurmOptions options;
  options.site = {"cluster", "DE", Pue{1}};
  options.poll_every = options.poll_soon = Duration{1};
  options.most_changes = 0;
  std::deque<core::Submission> wanted;
  slurm::SlurmQueue queue{[&](core::Submission submission) { wanted.push_back(submission); },
                          [](core::JobId) {}, [](core::JobId, const core::JobChange&) {},
                          [](core::JobId, engine::JobControl, const std::string&) {}};
  slurm::SlurmExecutor executor(slurm::MakeSlurmCommands(slurm::RunOnThisMachine()), options, queue,
                                clock, signals);
  if (const Status begun = executor.Begin({}); !begun) {
    std::fprintf(stderr, "%s\n", begun.error().Message().c_str());
    return 1;
  }
  std::ignore = executor.WaitForEvents(Time::min());
  core::JobId last = 0;
  for (core::Submission& submission : wanted) {
    submission.job.id = ++last;
    if (!executor.Add({std::make_shared<const core::Submission>(submission), directory->path()}))
      return 1;
  }
  std::vector<double> took;
  for (int round = 0; round < rounds; ++round) {
    // After an answer the executor rests for five times as long as it took.
    std::this_thread::sleep_for(std::chrono::seconds{6});
    const auto begin = Clock::now();
    std::ignore = executor.WaitForEvents(Time::min());
    took.push_back(MillisecondsSince(begin));
  }
  std::sort(took.begin(), took.end());
  std::printf("%lld jobs of Ebb; a round takes %.0f ms (median of %d; %.0f to %.0f)\n",
              static_cast<long long>(last), took[took.size() / 2], rounds, took.front(),
              took.back());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 5); }
