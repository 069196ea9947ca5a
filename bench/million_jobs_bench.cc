// Measures the resident memory of the queue service over a million jobs, in batches. In each batch
// one job in ten is refused, one in fifty runs and ends, and all others are cancelled while they
// wait. The exit code is 1 if memory grows with the number of jobs. Run by bench/million-jobs.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "platform/file.h"
#include "service/world_for_test.h"

namespace ebb::service {
namespace {

constexpr int kBatch = 2000;
constexpr int kBatchesPerLine = 50;
// Growth counts after the first line of output, because the store's caches and the newest jobs have
// their memory by then.
constexpr double kMostGrowthMib = 16;

double ResidentMib() {
  const std::string statm = *platform::ReadFile("/proc/self/statm");
  const auto pages = ParseInteger(Split(statm, ' ')[1]).value_or(0);
  return static_cast<double>(pages * ::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// A supervisor whose program has succeeded before the service looks.
Result<pid_t> EndAtOnce(const platform::DetachedOptions& options) {
  const std::filesystem::path plan = options.argv.back();
  const auto read = local::ReadPlan(plan);
  if (!read) return Fail(read.error());
  local::AttemptEnd end;
  end.attempt.number = read->attempt;
  end.attempt.wall = {read->since_wall, read->since_wall};
  EBB_RETURN_IF_ERROR(local::WriteEnd({plan.parent_path(), read->attempt}, end, options.input));
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return pid;
}

struct Counts {
  std::int64_t refused = 0, ended = 0, cancelled = 0;
};

class MillionJobs {
 public:
  MillionJobs() {
    world_.adjust = [](ServiceOptions& options) {
      options.policy = "threshold";
      options.executor.cluster.pools[0].count = 64;
      options.executor.start = EndAtOnce;
    };
    world_.Start();
  }

  void Batch() {
    std::vector<Request> jobs;
    for (int i = 0; i < kBatch; ++i) jobs.emplace_back(Job(i));
    std::vector<Request> cancels;
    core::JobId last_to_end = 0;
    auto answers = world_.service().AskAll(std::move(jobs));
    for (int i = 0; i < kBatch; ++i) {
      const auto answer = answers[static_cast<std::size_t>(i)].get();
      if (!answer) {
        ++counts_.refused;
      } else if (Ends(i)) {
        last_to_end = answer->job;
        ++counts_.ended;
      } else {
        cancels.emplace_back(Cancel{answer->job});
        ++counts_.cancelled;
      }
    }
    // The newest jobs go first: an engine that forgets its oldest jobs one by one moves all others
    // each time.
    std::reverse(cancels.begin(), cancels.end());
    for (auto& answer : world_.service().AskAll(std::move(cancels))) std::ignore = answer.get();
    world_.WaitForStage(last_to_end, engine::Stage::kSucceeded);
  }
  const Counts& counts() const { return counts_; }
  double StoreMib() const {
    return static_cast<double>(std::filesystem::file_size(world_.store())) / (1 << 20);
  }

 private:
  static bool Ends(int i) { return i % 50 == 7; }
  core::Submission Job(int i) {
    core::Submission job = world_.Shell("true");
    job.job.name = "job-" + std::to_string(i);
    job.environment = {{"NUMBER", std::to_string(i)}};
    job.job.threshold = Intensity{Ends(i) ? 1000.0 : 1.0};
    if (i % 10 == 3) job.job.devices = 1000;
    return job;
  }

  World world_{"million_jobs"};
  Counts counts_;
};

int Run(std::int64_t jobs) {
  MillionJobs service;
  std::printf("      jobs   refused     ended  cancelled   resident MiB   store MiB   seconds\n");
  const auto begin = std::chrono::steady_clock::now();
  double first = 0, last = 0;
  for (std::int64_t batch = 1; batch * kBatch <= jobs; ++batch) {
    service.Batch();
    if (batch % kBatchesPerLine != 0) continue;
    last = ResidentMib();
    if (first == 0) first = last;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const Counts& counts = service.counts();
    std::printf("%10lld %9lld %9lld %10lld %14.1f %11.1f %9.1f\n",
                static_cast<long long>(batch * kBatch), static_cast<long long>(counts.refused),
                static_cast<long long>(counts.ended), static_cast<long long>(counts.cancelled),
                last, service.StoreMib(), took.count());
    std::fflush(stdout);
  }
  const bool flat = last - first <= kMostGrowthMib;
  std::printf("%s: %+.1f MiB after the first %d jobs\n", flat ? "flat" : "GROWS", last - first,
              kBatch * kBatchesPerLine);
  return flat ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace ebb::service

int main(int count, char** words) {
  return ebb::service::Run(count > 1 ? std::atoll(words[1]) : 1'000'000);
}
