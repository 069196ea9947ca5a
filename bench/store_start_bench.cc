// Makes a store of a given size, like one after months of jobs, for bench/store-start: sparse rows
// of the usual shape (three devices, a row each every 20 minutes).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "store/ended_sums.h"
#include "store/service_store.h"

namespace {

using namespace ebb;

constexpr int kRowsOfJob = 600;
constexpr int kJobsAtOnce = 100;
constexpr std::size_t kInView = 2000;
constexpr double kBytesOfRow = 126;  // approximate size in the file
constexpr std::chrono::minutes kSample{20};

void Check(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().Message().c_str());
  std::exit(1);
}
template <typename T>
T Check(Result<T> result) {
  if (!result) Check(Status(Fail(result.error())));
  return *std::move(result);
}

// Adds the rows of these jobs and their sums. The database makes them, because inserting row by row
// would take an hour.
void AddLedgers(store::Database& database, core::JobId first, core::JobId last) {
  Check(database.Run(
      "INSERT INTO ledger SELECT jobs.id, i + 1, 1,"
      " CASE i % 3 WHEN 0 THEN 'gpu:GPU-8f9f7b0e-5b4e-4c1c' WHEN 1 THEN 'cpu:package-0' ELSE 'ram' "
      "END,"
      " CASE i % 3 WHEN 0 THEN 'gpu' WHEN 1 THEN 'cpu' ELSE 'ram' END,"
      " CASE i % 3 WHEN 2 THEN 'model' ELSE 'counter' END,"
      " began + i / 3 * 1200000, began + (i / 3 + 1) * 1200000,"
      " began + i / 3 * 1200000, began + (i / 3 + 1) * 1200000,"
      " 1234500000 + i, 1.2, 180.25 + i % 100, 'measured', 'average', NULL, NULL, NULL, NULL"
      " FROM (SELECT id, submitted_ms + 10800000 AS began FROM jobs WHERE id BETWEEN ? AND ?)"
      " AS jobs, temp.numbers ORDER BY jobs.id, i",
      {first, last}));
  Check(
      database.Run("INSERT INTO ledger_devices SELECT job, 1, device, max(wall_end_ms) FROM ledger"
                   " WHERE job BETWEEN ? AND ? GROUP BY job, device",
                   {first, last}));
  Check(database.Run(
      "UPDATE jobs SET (energy_uj, emissions_g, gpu_energy_uj) = (SELECT sum(energy_uj),"
      " sum(energy_uj / 3.6e12 * pue * intensity_g_per_kwh), sum(energy_uj) FILTER (WHERE"
      " component = 'gpu') FROM ledger WHERE job = id) WHERE id BETWEEN ? AND ?",
      {first, last}));
}

void AddEndedJob(store::ServiceStore& store, Time begin, int number) {
  core::Submission submission;
  submission.job.name = "train-" + std::to_string(number % 40);
  submission.job.submitted = begin - std::chrono::hours{3};
  submission.job.duration = kSample * (kRowsOfJob / 3);
  submission.job.power = Power{250};
  submission.command = {"python3",           "train.py", "--config",
                        "configs/base.yaml", "--seed",   std::to_string(number)};
  submission.working_directory = "/home/somebody/projects/model";
  submission.environment = {{"OMP_NUM_THREADS", "8"}, {"DATASET", "/data/mnist"}};
  const core::JobId job = Check(store.AddJob(std::move(submission))).id;
  const Interval ran{begin, begin + kSample * (kRowsOfJob / 3)};
  store.AddFirstCome({job, ran, 0, 1, Emissions{200}, Emissions{210}});
}

void EndJobs(store::Database& database) {
  Check(database.RunScript(
      "INSERT INTO attempts(job, attempt, pool, decided_ms, began_ms, ended_ms, phase)"
      " SELECT id, 1, 0, submitted_ms + 10800000, submitted_ms + 10800000,"
      "  submitted_ms + 10800000 + 240000000, 'succeeded' FROM jobs;"
      "UPDATE jobs SET stage = 'succeeded', first_start_ms = submitted_ms + 10800000,"
      " ended_ms = submitted_ms + 10800000 + 240000000, exit_code = 0"));
}

}  // namespace

int main(int argc, char** argv) {
  const auto gigabytes = argc == 3 ? ParseNumber(argv[2]) : std::nullopt;
  if (!gigabytes) {
    std::fprintf(stderr, "usage: store_start_bench STORE GIGABYTES\n");
    return 2;
  }
  auto store = Check(store::ServiceStore::Open(argv[1]));
  Check(store.database().RunScript(
      "PRAGMA synchronous=OFF; CREATE TEMP TABLE numbers(i INTEGER PRIMARY KEY);"
      "INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
      " WHERE i + 1 < " +
      std::to_string(kRowsOfJob) + ") SELECT i FROM n"));
  const int jobs = static_cast<int>(*gigabytes * 1e9 / (kRowsOfJob * kBytesOfRow));
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const Duration spread = std::chrono::hours{300 * 24};
  for (int i = 0; i < jobs; ++i) {
    AddEndedJob(store, now - spread + spread / (jobs + 1) * i, i);
    if (i % kJobsAtOnce != kJobsAtOnce - 1 && i + 1 < jobs) continue;
    Check(store.Commit());
    const int first = i / kJobsAtOnce * kJobsAtOnce + 1;
    Check(store.database().Transaction([&]() -> Status {
      AddLedgers(store.database(), first, i + 1);
      return {};
    }));
    if ((i + 1) % 10'000 == 0) std::fprintf(stderr, "%d of %d jobs\n", i + 1, jobs);
  }
  EndJobs(store.database());
  Check(store::CountEnded(store, kInView));
  Check(store.Commit());
  Check(store.database().RunScript("PRAGMA wal_checkpoint(TRUNCATE)"));
  std::printf("%d jobs, %lld ledger rows, %.2f GB\n", jobs,
              static_cast<long long>(jobs) * kRowsOfJob,
              static_cast<double>(std::filesystem::file_size(argv[1])) / 1e9);
  return 0;
}
