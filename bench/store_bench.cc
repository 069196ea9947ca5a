// Measures the costs of the service's store: durable submissions per second by size of group, and
// for a long queue the size of the file and the time of a snapshot, of a list and of a restart. Run
// by bench/store.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "plan/make_policy.h"
#include "store/service_store.h"

namespace {

using namespace ebb;
using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void Check(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().Message().c_str());
  std::exit(1);
}

template <typename T>
T Check(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().Message().c_str());
    std::exit(1);
  }
  return *std::move(result);
}

core::Submission Training(int number) {
  core::Submission submission;
  submission.job.name = "sweep-" + std::to_string(number);
  submission.job.submitted = Time{std::chrono::hours{467'500}};
  submission.job.duration = std::chrono::hours{1 + number % 5};
  submission.job.power = {200};
  submission.job.checkpointable = true;
  submission.command = {"python3",         "train.py",
                        "--config",        "configs/optimized.yaml",
                        "--seed",          std::to_string(number),
                        "--learning-rate", "0.0003"};
  submission.working_directory = "/home/somebody/projects/model";
  submission.environment = {{"OMP_NUM_THREADS", "8"}, {"DATASET", "/data/mnist"}};
  submission.key = "sweep/" + std::to_string(number);
  return submission;
}

std::unique_ptr<engine::Engine> MakeEngine() {
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  options.default_max_delay = std::chrono::hours{24 * 365};
  return std::make_unique<engine::Engine>(options, Check(plan::MakePolicy("run-now", {})));
}

std::filesystem::path Fresh(const std::filesystem::path& directory, const char* name) {
  const auto path = directory / name;
  for (const char* tail : {"", "-wal", "-shm", ".lock"})
    std::filesystem::remove(path.string() + tail);
  return path;
}

// Writes all records of a submission: the row of the job and the record of the journal.
void Submit(store::ServiceStore& store, engine::Engine* engine, int number) {
  core::Submission submission = Training(number);
  core::Job job = submission.job;
  job.id = Check(store.AddJob(std::move(submission))).id;
  const engine::Event event{job.submitted, engine::JobSubmitted{job}};
  if (engine) Check(engine->Apply(event));
  Check(store.Append(event));
}

void Submissions(const std::filesystem::path& directory, int group) {
  auto store = Check(store::ServiceStore::Open(Fresh(directory, "submissions.db")));
  std::vector<double> latency_s;
  const auto begin = Clock::now();
  int count = 0;
  while (Since(begin) < 3) {
    const auto group_begin = Clock::now();
    for (int i = 0; i < group; ++i) Submit(store, nullptr, count++);
    Check(store.Commit());
    latency_s.push_back(Since(group_begin));
  }
  const double rate = count / Since(begin);
  std::sort(latency_s.begin(), latency_s.end());
  std::printf(
      "groups of %4d: %8.0f submissions/s, durable after %6.2f ms (median), %6.2f ms (p99)\n",
      group, rate, 1e3 * latency_s[latency_s.size() / 2],
      1e3 * latency_s[latency_s.size() * 99 / 100]);
}

template <typename Body>
void Timed(const char* what, Body body) {
  const auto begin = Clock::now();
  body();
  std::printf("%-46s %8.3f s\n", what, Since(begin));
}

void LongQueue(const std::filesystem::path& directory, int jobs) {
  const auto path = Fresh(directory, "queue.db");
  {
    auto store = Check(store::ServiceStore::Open(path));
    auto engine = std::move(Check(store.Recover(MakeEngine())).engine);
    const Time now = Training(0).job.submitted;
    const engine::Event cluster{
        now, engine::ClusterChanged{{{{"here", "DE", {1.2}}}, {{"gpu", 0, 8, 1, 1, {}}}}}};
    Check(engine->Apply(cluster));
    Check(store.Append(cluster));
    Timed("submitting them in groups of 100", [&] {
      for (int i = 0; i < jobs; ++i) {
        Submit(store, engine.get(), i);
        if (i % 100 == 99) Check(store.Commit());
      }
    });
    Timed("one decision, stored", [&] { Check(store.Append(engine->Decide(now))); });
    Timed("a snapshot", [&] { Check(store.Snapshot()); });
    Timed("the latest 100 waiting jobs", [&] {
      store::JobFilter filter;
      filter.stages = {engine::Stage::kWaiting};
      Check(ListJobs(store.database(), filter));
    });
    Timed("all of them", [&] {
      store::JobFilter filter;
      filter.limit = jobs;
      Check(ListJobs(store.database(), filter));
    });
  }
  std::printf("%-46s %8.1f MB (a snapshot and the whole journal in it)\n", "file",
              static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  std::optional<store::ServiceStore> store;
  Timed("opening and checking it", [&] { store.emplace(Check(store::ServiceStore::Open(path))); });
  Timed("recovering from the snapshot", [&] { Check(store->Recover(MakeEngine())); });
  Check(store->database().RunScript("DELETE FROM snapshots"));
  Timed("recovering from the journal alone", [&] { Check(store->Recover(MakeEngine())); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: store_bench DIRECTORY JOBS\n");
    return 2;
  }
  for (const int group : {1, 8, 32, 128}) Submissions(argv[1], group);
  std::printf("a queue of %s jobs:\n", argv[2]);
  LongQueue(argv[1], std::atoi(argv[2]));
}
