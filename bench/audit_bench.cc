// Measures the time of audits and the alterations that they find. It audits N random run
// directories, then changes one byte of a random file of a random run, or one value of a store by
// SQL, many times. Run by bench/audit.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "audit/audit_run.h"
#include "audit/audit_store.h"
#include "base/random.h"
#include "engine/random_life_for_test.h"
#include "platform/file.h"
#include "random_run.h"
#include "random_store.h"

namespace {

using namespace ebb;
namespace fs = std::filesystem;

template <typename T>
T Check(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().Message().c_str());
    std::exit(1);
  }
  return *std::move(result);
}
void Check(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().Message().c_str());
  std::exit(1);
}

// Runs the work on all processors; returns seconds.
double ForEach(std::size_t count, const std::function<void(std::size_t)>& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back(loop);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

fs::path RunPath(const fs::path& runs, std::size_t i) {
  return runs / ("run-" + std::to_string(i));
}

bool Agrees(const fs::path& run) { return Check(audit::AuditRun(run)).agrees(); }

// Making a run takes longer than auditing it, so runs beyond this number are copies.
constexpr std::size_t kDistinct = 250;

void TimeAudits(const fs::path& runs, std::size_t count) {
  const std::size_t distinct = std::min(count, kDistinct);
  const double making = ForEach(distinct, [&](std::size_t i) {
    Random random(SeedFor(1, i));
    Check(WriteRandomRun(RunPath(runs, i), random));
  });
  for (std::size_t i = distinct; i < count; ++i)
    fs::copy(RunPath(runs, i % distinct), RunPath(runs, i), fs::copy_options::recursive);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(runs))
    if (entry.is_regular_file()) bytes += entry.file_size();
  std::printf("%zu run directories, %.0f MB; %zu of them distinct, made in %.0f s\n", count,
              static_cast<double>(bytes) / 1e6, distinct, making);
  std::atomic<std::size_t> agree{0};
  const double audits = ForEach(count, [&](std::size_t i) { agree += Agrees(RunPath(runs, i)); });
  std::printf("audited in %.1f s on %u processors: %zu agree\n", audits,
              std::thread::hardware_concurrency(), agree.load());
}

// Changes one byte of one file, audits the run, and restores the byte. True if the audit finds the
// change.
bool AlteredByteIsFound(const fs::path& run, Random& random) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(run))
    if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const fs::path file = files[random.Below(files.size())];
  const std::string before = Check(platform::ReadFile(file));
  std::string text = before;
  const std::size_t at = random.Below(text.size());
  text[at] = static_cast<char>(text[at] ^ static_cast<char>(1 + random.Below(255)));
  std::ofstream(file, std::ios::binary) << text;
  const bool found = !Agrees(run);
  std::ofstream(file, std::ios::binary) << before;
  if (!found) std::printf("NOT FOUND: %s, byte %zu\n", file.c_str(), at);
  return found;
}

audit::Audit AuditOf(const fs::path& path) {
  auto database = Check(store::Database::Open(path, store::Database::Mode::kRead));
  return Check(audit::AuditStore(
      database, {{}, {[] { return engine::MakeEngineForTest(kRandomStorePolicy); }}}));
}

// An SQL statement that changes one value of one row, with random column and row.
std::string RandomUpdate(store::Database& database, Random& random) {
  struct Target {
    const char *table, *column, *change;
  };
  constexpr std::array<Target, 16> kTargets{{{"ledger", "energy_uj", "energy_uj + 1"},
                                             {"ledger", "attempt", "attempt + 1"},
                                             {"ledger", "device", "device || 'x'"},
                                             {"ledger", "component", "'ram'"},
                                             {"ledger", "source", "'model'"},
                                             {"ledger", "wall_begin_ms", "wall_begin_ms - 1"},
                                             {"ledger", "wall_end_ms", "wall_end_ms + 1"},
                                             {"ledger", "grid_begin_ms", "grid_begin_ms + 1"},
                                             {"ledger", "pue", "pue + 1e-15"},
                                             {"ledger", "intensity_status", "'modelled'"},
                                             {"ledger", "signal_kind", "'marginal'"},
                                             {"ledger", "intensity_source", "'x'"},
                                             {"journal", "line",
                                              "substr(line, 1, 9) || ' ' ||"
                                              " substr(line, 10)"},
                                             {"journal", "at_ms", "at_ms + 1"},
                                             {"settlements", "signal", "signal || '0'"},
                                             {"settlements", "asked_ms", "asked_ms - 1"}}};
  const Target& target = kTargets[random.Below(kTargets.size())];
  const std::string table = target.table;
  const auto rows = *Check(database.Integer("SELECT count(*) FROM " + table));
  const std::string row = std::to_string(random.Below(static_cast<std::uint64_t>(rows)));
  const std::string key = table == "journal" ? "seq" : "(job, number)";
  const std::string keys = table == "journal" ? "seq" : "job, number";
  return "UPDATE " + table + " SET " + target.column + " = " + target.change + " WHERE " + key +
         " = (SELECT " + keys + " FROM " + table + " ORDER BY " + keys + " LIMIT 1 OFFSET " + row +
         ")";
}

bool AlteredValueIsFound(const fs::path& store, const fs::path& scratch, Random& random) {
  const fs::path copy = scratch / "altered.db";
  for (const char* tail : {"", "-wal", "-shm", ".lock"}) fs::remove(copy.string() + tail);
  Check(Check(store::Database::Open(store, store::Database::Mode::kRead)).BackupTo(copy));
  std::string update;
  {
    auto database = Check(store::Database::Open(copy, store::Database::Mode::kWrite));
    update = RandomUpdate(database, random);
    Check(database.RunScript(update));
  }
  const bool found = !AuditOf(copy).agrees();
  if (!found) std::printf("NOT FOUND: %s\n", update.c_str());
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: audit_bench DIRECTORY RUNS ALTERATIONS\n");
    return 2;
  }
  const fs::path directory = argv[1];
  const auto runs = static_cast<std::size_t>(std::atoll(argv[2]));
  const int alterations = std::atoi(argv[3]);
  TimeAudits(directory / "runs", runs);
  Random random(2);
  const fs::path store = directory / "ebb.db";
  Check(WriteRandomStore(store, 1));
  if (!AuditOf(store).agrees()) std::printf("THE STORE DIFFERS before it was altered\n");
  int found_bytes = 0, found_values = 0;
  const int bytes = alterations * 4 / 5;
  for (int i = 0; i < bytes; ++i)
    found_bytes += AlteredByteIsFound(RunPath(directory / "runs", random.Below(runs)), random);
  for (int i = bytes; i < alterations; ++i)
    found_values += AlteredValueIsFound(store, directory, random);
  std::printf("one byte of a run directory altered: %d of %d found\n", found_bytes, bytes);
  std::printf("one value of a store altered: %d of %d found\n", found_values, alterations - bytes);
  return found_bytes == bytes && found_values == alterations - bytes ? 0 : 1;
}
