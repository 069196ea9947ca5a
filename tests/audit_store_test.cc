// ebb audit of the service's store: it agrees with stores as the service writes them, and finds any
// value of a ledger, of the journal or of a settlement that SQL has changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "audit/audit_store.h"
#include "audit_for_test.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/random_life_for_test.h"
#include "local/files/attempt_files.h"
#include "platform/file.h"
#include "random_sites.h"
#include "random_store.h"
#include "testing/scratch_directory.h"

namespace ebb {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

fs::path RandomStore(std::uint64_t seed) {
  const fs::path folder = ScratchDirectory("audit-store");
  const Status written = WriteRandomStore(folder / "ebb.db", seed);
  EXPECT_TRUE(written) << written.error().Message();
  return folder / "ebb.db";
}

audit::Audit Audited(const fs::path& path, std::optional<core::JobId> job = {}) {
  auto database = store::Database::Open(path, store::Database::Mode::kRead);
  const auto engine = [] { return engine::MakeEngineForTest(kRandomStorePolicy); };
  auto audit = audit::AuditStore(*database, {job, {engine}});
  EXPECT_TRUE(audit) << audit.error().Message();
  return *std::move(audit);
}

void Sql(const fs::path& path, const std::string& script) {
  auto database = store::Database::Open(path, store::Database::Mode::kWrite);
  ASSERT_TRUE(database->RunScript(script)) << script;
}

// Returns the audit's findings after the script has changed the store, and then restores the file.
std::vector<std::string> After(const fs::path& path, const std::string& script,
                               std::optional<core::JobId> job = {}) {
  const fs::path backup = path.string() + ".before";
  {
    auto database = store::Database::Open(path, store::Database::Mode::kRead);
    EXPECT_TRUE(database->BackupTo(backup));
  }
  Sql(path, script);
  const auto differences = Differences(Audited(path, job));
  for (const char* tail : {"", "-wal", "-shm"}) fs::remove(path.string() + tail);
  fs::rename(backup, path);
  return differences;
}

TEST(AuditStore, WhatTheServiceWritesAgrees) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const fs::path path = RandomStore(seed);
    const audit::Audit audit = Audited(path);
    EXPECT_TRUE(audit.agrees()) << Join(Differences(audit), "\n");
    EXPECT_THAT(audit.heads, ::testing::SizeIs(2));  // heads of the ledgers and of the journal
  }
}

core::JobId FirstJobOf(const fs::path& path) {
  core::JobId first = 0;
  auto database = store::Database::Open(path, store::Database::Mode::kRead);
  EXPECT_TRUE(database->Query("SELECT min(id) FROM jobs", {}, [&](const store::Row& row) -> Status {
    first = row.Integer(0);
    return {};
  }));
  return first;
}

// The folder of a job can also be written by the job's program.
TEST(AuditStore, ForgedReadingsOfAJobAreFound) {
  const fs::path path = RandomStore(1);
  const core::JobId job = FirstJobOf(path);
  const local::AttemptPaths paths{path.parent_path() / "jobs" / std::to_string(job), 1};
  fs::create_directories(paths.directory);
  local::AttemptPlan plan;
  plan.job = job;
  plan.command = {"true"};
  plan.store = path;
  ASSERT_TRUE(local::WritePlan(paths, plan));
  const Time begin = *ParseTime("2024-07-01");
  const auto reading = [&](std::int64_t from_s, std::int64_t joules) {
    const Time from = begin + Duration{1000 * from_s};
    return local::ToLine(core::EnergyReading{"cpu:package-0",
                                             core::Component::kCpu,
                                             core::EnergySource::kCounter,
                                             {from, from + Duration{1000}},
                                             Energy::Microjoules(1'000'000 * joules)}) +
           "\n";
  };
  const std::string sound =
      local::ToLine(local::EnergyHeader{1, "", begin}) + "\n" + reading(0, 90) + reading(1, 80);
  ASSERT_TRUE(platform::WriteFileAtomically(paths.energy(), sound));
  EXPECT_THAT(Differences(Audited(path)), IsEmpty());
  for (const std::string& forged : {reading(2, 3'600'000'000), reading(2, -9), reading(1, 80)}) {
    ASSERT_TRUE(platform::WriteFileAtomically(paths.energy(), sound + forged));
    EXPECT_THAT(Differences(Audited(path)), Contains(HasSubstr("1 lines are not believed")));
    EXPECT_THAT(Differences(Audited(path, job)), Contains(HasSubstr("1 lines are not believed")));
  }
  fs::remove(paths.energy());
  fs::create_symlink("/dev/zero", paths.energy());
  EXPECT_THAT(Differences(Audited(path)), Contains(HasSubstr("is not a regular file")));
}

TEST(AuditStore, EachKindOfChangeIsFound) {
  const fs::path path = RandomStore(1);
  const std::string one = " WHERE rowid = (SELECT min(rowid) + 7 FROM journal)";
  const std::pair<std::string, std::string> changes[]{
      {"UPDATE ledger SET energy_uj = energy_uj + 1 WHERE number = 3", "is not what was written"},
      {"UPDATE ledger SET device = 'cpu:package-1' WHERE number = 1", "is not what was written"},
      {"UPDATE ledger SET wall_end_ms = wall_end_ms + 1 WHERE number = 2", "is not what was"},
      {"DELETE FROM ledger WHERE number = (SELECT max(number) FROM ledger l WHERE l.job = "
       "ledger.job)",
       "is not what was written"},
      {"UPDATE jobs SET energy_uj = energy_uj + 1", "energy_uj is stored as"},
      {"UPDATE jobs SET emissions_g = emissions_g * 1.000001", "emissions_g is stored as"},
      {"UPDATE first_come SET settled_g = settled_g * 1.000001", "settled_g is stored as"},
      {"UPDATE first_come SET at_submission_g = at_submission_g + 1e-3",
       "at_submission_g is stored as"},
      {"UPDATE settlements SET asked_ms = asked_ms + 1", "settlement 1 is not what was written"},
      {"UPDATE journal SET at_ms = at_ms + 1" + one, "is not what was written"},
      {"UPDATE journal SET line = line || ' '" + one, "is not what was written"},
      {"DELETE FROM journal WHERE seq >= (SELECT max(seq) FROM journal WHERE kind = 'decision')",
       "the journal ends before"},
      {"UPDATE meta SET value = 'x' WHERE key = 'journal_link'", "the journal ends before"},
  };
  for (const auto& [change, found] : changes)
    EXPECT_THAT(After(path, change), Contains(HasSubstr(found))) << change;
  EXPECT_THAT(Differences(Audited(path)), IsEmpty());
}

TEST(AuditStore, OneJobAlone) {
  const fs::path path = RandomStore(2);
  const audit::Audit audit = Audited(path, 1);
  EXPECT_TRUE(audit.agrees());
  ASSERT_THAT(audit.heads, ::testing::SizeIs(1));
  EXPECT_EQ(audit.heads.front().of, "job 1");
  Sql(path, "UPDATE ledger SET pue = 1.3 WHERE job = 2 AND number = 1");
  EXPECT_TRUE(Audited(path, 1).agrees());
  EXPECT_FALSE(Audited(path, 2).agrees());
  auto database = store::Database::Open(path, store::Database::Mode::kRead);
  EXPECT_FALSE(audit::AuditStore(*database, {999'999, {}}));
}

constexpr core::JobId kJobsOfSites = 12;

fs::path StoreOfSites(std::uint64_t seed) {
  const fs::path folder = ScratchDirectory("audit-sites");
  const Status written = WriteStoreOfSites(folder / "ebb.db", seed, kJobsOfSites);
  EXPECT_TRUE(written) << written.error().Message();
  return folder / "ebb.db";
}

std::int64_t Count(const fs::path& path, const std::string& sql) {
  auto database = store::Database::Open(path, store::Database::Mode::kRead);
  return (*database->Integer("SELECT count(*) FROM " + sql)).value_or(0);
}

core::JobId TwiceSettledJobOf(const fs::path& path) {
  auto database = store::Database::Open(path, store::Database::Mode::kRead);
  return (*database->Integer("SELECT min(job) FROM settlements WHERE number = 2")).value_or(0);
}

// Each figure of jobs that moved between sites is computed again.
TEST(AuditStore, JobsOfSeveralSitesAgree) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const fs::path path = StoreOfSites(seed);
    for (core::JobId job = 1; job <= kJobsOfSites; ++job) {
      const audit::Audit audit = Audited(path, job);
      EXPECT_TRUE(audit.agrees()) << seed << "\n" << Join(Differences(audit), "\n");
      EXPECT_THAT(audit.notes, ::testing::Not(Contains(HasSubstr("other sites"))));
    }
    // The others have hours that nobody published.
    EXPECT_GT(Count(path,
                    "first_come WHERE settled_g IS NOT NULL AND at_submission_g IS NOT NULL"
                    " AND place_and_time LIKE '%best_g%'"),
              kJobsOfSites / 2)
        << seed;
    EXPECT_GT(Count(path, "settlements WHERE number = 2"), 0) << seed;
    EXPECT_GT(Count(path, "settlements WHERE sites LIKE '%\"moves\":[%'"), 3) << seed;
  }
}

// Replaces the byte at `at` of a text by another one.
std::string WithOtherByte(const std::string& column, std::int64_t at, char byte) {
  const std::string position = std::to_string(at);
  return column + " = substr(" + column + ", 1, " + position + ") || char(" +
         std::to_string(static_cast<int>(byte)) + ") || substr(" + column + ", " + position +
         " + 2)";
}

TEST(AuditStore, AnyAlteredByteOfAJobOfSeveralSitesIsFound) {
  const fs::path path = StoreOfSites(1);
  Random random(5);
  const auto text_of = [&](const std::string& sql) {
    std::string text;
    auto database = store::Database::Open(path, store::Database::Mode::kRead);
    EXPECT_TRUE(database->Query(sql, {}, [&](const store::Row& row) -> Status {
      text = row.Text(0);
      return {};
    }));
    return text;
  };
  const std::pair<std::string, std::string> columns[]{
      {"settlements", "sites"}, {"settlements", "signal"}, {"first_come", "place_and_time"}};
  for (int i = 0; i < 150; ++i) {
    const auto& [table, column] = columns[i % 3];
    const std::string number = table == "settlements" ? " AND number = 1" : "";
    const std::string job = std::to_string(1 + random.Below(kJobsOfSites));
    const std::string where = " WHERE job = " + job + number;
    const std::string text = text_of("SELECT " + column + " FROM " + table + where);
    ASSERT_FALSE(text.empty()) << column;
    const auto at = static_cast<std::int64_t>(random.Below(text.size()));
    const char byte = text[static_cast<std::size_t>(at)] == '7' ? '3' : '7';
    const std::string script =
        "UPDATE " + table + " SET " + WithOtherByte(column, at, byte) + where;
    EXPECT_FALSE(After(path, script, *ParseInteger(job)).empty()) << script;
  }
}

// The forger knows how chains are made: what remains are the figures.
TEST(AuditStore, FiguresThatDoNotFollowFromTheSignalsOfTheSitesAreFound) {
  const fs::path path = StoreOfSites(2);
  // A job that was settled twice, because some of its starts were not over at first.
  const core::JobId job = TwiceSettledJobOf(path);
  const std::pair<std::string, std::string> changes[]{
      {"UPDATE first_come SET settled_g = settled_g * 1.00001", "settled_g is stored as"},
      {"UPDATE first_come SET at_submission_g = at_submission_g * 1.00001", "at_submission_g is"},
      {"UPDATE first_come SET saving_half_width_g = saving_half_width_g + 0.1", "half_width_g is"},
      {"UPDATE first_come SET place_and_time = NULL", "are not those of its settlement"},
      {"UPDATE ledger SET energy_uj = energy_uj + 1 WHERE number = 2", "is not what was written"},
      {"UPDATE settlements SET sites = NULL", "is not what was written"},
      {"DELETE FROM settlements", "its settlement is missing"},
      {"DELETE FROM settlements WHERE number = 2", "are not those of its settlement"},
  };
  for (const auto& [change, found] : changes)
    EXPECT_THAT(After(path, change, job), Contains(HasSubstr(found))) << change;
  EXPECT_THAT(Differences(Audited(path, job)), IsEmpty());
}

TEST(AuditStore, JobsThatRanAtOtherSitesAreSaidToHaveFiguresThatAreNotComputed) {
  const fs::path path = RandomStore(2);
  core::JobId job = 0;
  {
    auto database = store::Database::Open(path, store::Database::Mode::kRead);
    ASSERT_TRUE(
        database->Query("SELECT min(settlements.job) FROM settlements JOIN first_come ON "
                        "first_come.job = settlements.job WHERE settled_g IS NOT NULL",
                        {}, [&](const store::Row& row) -> Status {
                          job = row.Integer(0);
                          return {};
                        }));
  }
  const std::string number = std::to_string(job);
  Sql(path, "DELETE FROM settlements WHERE job = " + number);
  EXPECT_THAT(Audited(path, job).notes, Contains(HasSubstr("settled before Ebb kept")));
  const local::AttemptPaths paths{path.parent_path() / "jobs" / number, 1};
  fs::create_directories(paths.directory);
  local::AttemptPlan plan;
  plan.job = job;
  plan.command = {"true"};
  plan.store = path;
  plan.place.emplace();
  plan.place->site = "norway";
  ASSERT_TRUE(local::WritePlan(paths, plan));
  const audit::Audit audit = Audited(path, job);
  EXPECT_TRUE(audit.agrees()) << Join(Differences(audit), "\n");
  EXPECT_THAT(audit.notes, Contains(HasSubstr("1 jobs ran at other sites too")));
}

TEST(AuditStore, RowsFromBeforeTheChainsAreSaidToBe) {
  const fs::path path = RandomStore(3);
  Sql(path,
      "UPDATE jobs SET ledger_link = NULL, ledger_linked_from = NULL;"
      "UPDATE journal SET link = NULL; DELETE FROM meta WHERE key LIKE 'journal_link%'");
  const audit::Audit audit = Audited(path);
  EXPECT_TRUE(audit.agrees()) << Join(Differences(audit), "\n");
  EXPECT_THAT(audit.notes, Contains(HasSubstr("rows were written before")));
  EXPECT_THAT(audit.notes, Contains(HasSubstr("records were written before")));
}

}  // namespace
}  // namespace ebb
