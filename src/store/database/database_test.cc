#include "store/database/database.h"

#include <gtest/gtest.h>

#include <fstream>

#include "store/database/schema.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using Mode = Database::Mode;

Result<Database> OpenPlain(const platform::Path& path) {
  return Database::Open(path, Mode::kWrite);
}

void Damage(const platform::Path& path, std::streamoff offset, std::size_t bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file << std::string(bytes, '\xee');
}

TEST(DatabaseTest, IsCreatedForItsOwnerAlone) {
  const auto path = ScratchDirectory("create") / "a" / "b" / "ebb.db";
  ASSERT_TRUE(OpenPlain(path));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(DatabaseTest, ASecondWriterIsRefusedAndToldWhoTheFirstIs) {
  const auto path = ScratchDirectory("lock") / "ebb.db";
  auto first = OpenPlain(path);
  ASSERT_TRUE(first);
  Failure why{};
  const auto second = Database::Open(path, Mode::kWrite, &why);
  ASSERT_FALSE(second);
  EXPECT_EQ(why, Failure::kLocked);
  EXPECT_EQ(second.error().code, ExitCode::kTryLater);
  EXPECT_NE(second.error().what.find("process " + std::to_string(::getpid())), std::string::npos);
  EXPECT_TRUE(Database::Open(path, Mode::kRead)) << "readers may";
  first = Fail({});
  EXPECT_TRUE(OpenPlain(path));
}

TEST(DatabaseTest, ReadersNeedAStoreAndCannotWrite) {
  const auto path = ScratchDirectory("reader") / "ebb.db";
  const auto none = Database::Open(path, Mode::kRead);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("no store"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path)) << "looking creates nothing";
  auto writer = OpenPlain(path);
  auto reader = Database::Open(path, Mode::kRead);
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->Run("INSERT INTO meta VALUES('a', 'b')"));
  EXPECT_EQ(reader->failure(), Failure::kReadOnly);
}

TEST(DatabaseTest, ANewerSchemaIsRefused) {
  const auto path = ScratchDirectory("newer") / "ebb.db";
  ASSERT_TRUE(OpenPlain(path)->RunScript("PRAGMA user_version=99"));
  for (const Mode mode : {Mode::kWrite, Mode::kRead}) {
    Failure why{};
    const auto opened = Database::Open(path, mode, &why);
    ASSERT_FALSE(opened);
    EXPECT_EQ(why, Failure::kTooNew);
    EXPECT_NE(opened.error().what.find("99"), std::string::npos);
  }
}

// A store as version 1 left it, made from that version's own text.
platform::Path StoreOfVersionOne() {
  const auto path = ScratchDirectory("upgrade") / "ebb.db";
  auto database = OpenPlain(path);
  EXPECT_TRUE(database->RunScript(
      "DROP TABLE first_come; DROP TABLE sweep_budget_events; DROP TABLE rung_losses; DROP TABLE "
      "ledger;"
      "DROP TABLE ledger_devices; DROP TABLE machine_energy;"
      "DROP TABLE settlements; DROP TABLE signal_history;"
      "DROP TABLE snapshot_lines; DROP TABLE snapshots; DROP TABLE journal; DROP TABLE attempts;"
      "DROP TABLE jobs; DROP TABLE sweeps; DROP TABLE meta;" +
      std::string(Migrations()[0]) +
      "INSERT INTO jobs(id, name, tier, recurring, stage, submitted_ms, submission)"
      " VALUES(5, 'old', '', '', 'waiting', 1000, '{}'); PRAGMA user_version=1"));
  return path;
}

TEST(DatabaseTest, VersionOneIsUpgradedAndKeepsItsRows) {
  const auto path = StoreOfVersionOne();
  const auto reader = Database::Open(path, Mode::kRead);
  ASSERT_FALSE(reader) << "a reader does not upgrade";
  EXPECT_EQ(reader.error().code, ExitCode::kTryLater);
  auto upgraded = OpenPlain(path);
  ASSERT_TRUE(upgraded) << upgraded.error().Message();
  EXPECT_EQ(**upgraded->Integer("PRAGMA user_version"), SchemaVersion());
  EXPECT_EQ(**upgraded->Integer("SELECT id FROM jobs WHERE name = 'old'"), 5);
  EXPECT_EQ(**upgraded->Integer("SELECT count(*) FROM ledger"), 0);
}

// Older versions kept the key of a refused submission, and that of its sweep.
TEST(DatabaseTest, KeysThatRefusedOnesTookAreFreeAgain) {
  auto database = OpenPlain(ScratchDirectory("burnt_keys") / "ebb.db");
  ASSERT_TRUE(database->RunScript(
      "INSERT INTO sweeps(id, name, key, submitted_ms) VALUES(1, 's', 'all', 0), (2, 's', 'some', "
      "0);"
      "INSERT INTO jobs(id, name, key, tier, recurring, sweep, stage, submitted_ms, submission)"
      " VALUES(1, 'refused', 'a', '', '', 1, 'failed', 0, '{}'),"
      " (2, 'ran', 'b', '', '', 2, 'failed', 0, '{}'), (3, 'refused', 'c', '', '', 2, 'failed', 0, "
      "'{}'),"
      " (4, 'waits', 'd', '', '', NULL, 'waiting', 0, '{}'),"
      " (5, 'given up', 'e', '', '', NULL, 'cancelled', 0, '{}');"
      "INSERT INTO attempts(job, attempt, pool, phase) VALUES(2, 1, 0, 'failed')"));
  for (const std::string_view migration : Migrations())
    if (migration.find("key = NULL") != std::string_view::npos) {
      ASSERT_TRUE(database->RunScript(std::string(migration)));
    }
  const auto keys = [&](const std::string& table) {
    return **database->Integer("SELECT group_concat(id, '') FROM " + table + " WHERE key NOT NULL");
  };
  EXPECT_EQ(keys("jobs"), 245);
  EXPECT_EQ(keys("sweeps"), 2);
}

TEST(DatabaseTest, AMigrationThatFailsLeavesTheOldVersion) {
  const auto path = StoreOfVersionOne();
  {
    auto connection = OpenPlain(path);
    ASSERT_TRUE(connection->RunScript("DROP TABLE ledger; PRAGMA user_version=1"));
  }
  // The table ledger_devices exists already, so the migration fails half way.
  EXPECT_FALSE(OpenPlain(path));
  EXPECT_FALSE(OpenPlain(path)) << "again, and for the same reason";
}

TEST(DatabaseTest, DamageIsFoundAndNamed) {
  const auto directory = ScratchDirectory("damage");
  std::ofstream(directory / "text.db") << "this is a text, and a rather long one, not a database\n"
                                       << std::string(5000, 'x');
  Failure why{};
  EXPECT_FALSE(Database::Open(directory / "text.db", Mode::kWrite, &why));
  EXPECT_EQ(why, Failure::kCorrupt);
  const auto path = directory / "ebb.db";
  {
    auto database = OpenPlain(path);
    ASSERT_TRUE(database->RunScript(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
        " INSERT INTO meta SELECT i, hex(zeroblob(50)) FROM n"));
  }
  Damage(path, 4096 * 60, 4096 * 4);
  const auto opened = Database::Open(path, Mode::kWrite, &why);
  ASSERT_FALSE(opened);
  EXPECT_EQ(why, Failure::kCorrupt);
  EXPECT_NE(opened.error().next.find("ebb store check"), std::string::npos);
}

TEST(DatabaseTest, AFullDiskUndoesTheTransactionAndNothingElse) {
  auto database = *OpenPlain(ScratchDirectory("full") / "ebb.db");
  ASSERT_TRUE(database.Run("INSERT INTO meta VALUES('before', '1')"));
  const auto pages = **database.Integer("PRAGMA page_count");
  ASSERT_TRUE(database.RunScript("PRAGMA max_page_count=" + std::to_string(pages + 2)));
  const auto fill = [&]() -> Status {
    for (int i = 0; i < 100; ++i)
      EBB_RETURN_IF_ERROR(database.Run("INSERT INTO meta VALUES(?, ?)",
                                       {std::to_string(i), std::string(2000, 'v')}));
    return {};
  };
  const auto full = database.Transaction(fill);
  ASSERT_FALSE(full);
  EXPECT_EQ(database.failure(), Failure::kFull);
  EXPECT_NE(full.error().next.find("free some disk space"), std::string::npos);
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM meta"), 1);
  ASSERT_TRUE(database.RunScript("PRAGMA max_page_count=100000"));
  EXPECT_TRUE(database.Transaction(fill));
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM meta"), 101);
}

TEST(DatabaseTest, ValuesAreExact) {
  auto database = *OpenPlain(ScratchDirectory("values") / "ebb.db");
  const std::string text("a\0\xff'\"", 5);
  const Values values{INT64_MIN, INT64_MAX, 1.0 / 3.0, 5e-324, text, {}};
  ASSERT_TRUE(database.Query("SELECT ?, ?, ?, ?, ?, ?", values, [&](const Row& row) -> Status {
    EXPECT_EQ(row.Integer(0), INT64_MIN);
    EXPECT_EQ(row.Integer(1), INT64_MAX);
    EXPECT_EQ(row.Number(2), 1.0 / 3.0);
    EXPECT_EQ(row.Number(3), 5e-324);
    EXPECT_EQ(row.Text(4), text);
    EXPECT_TRUE(row.IsNull(5));
    return {};
  }));
}

TEST(DatabaseTest, ABackupIsWholeOrNotThere) {
  const auto directory = ScratchDirectory("backup");
  auto database = *OpenPlain(directory / "ebb.db");
  ASSERT_TRUE(database.Run("INSERT INTO meta VALUES('a', '1')"));
  auto reader = *Database::Open(directory / "ebb.db", Mode::kRead);
  ASSERT_TRUE(reader.BackupTo(directory / "copy.db"));
  ASSERT_TRUE(database.Run("INSERT INTO meta VALUES('b', '2')"));
  std::ofstream(directory / "copy.db-wal")
      << "the log of a service that was killed on the old copy";
  ASSERT_TRUE(reader.BackupTo(directory / "copy.db")) << "an old copy is replaced";
  EXPECT_FALSE(std::filesystem::exists(directory / "copy.db-wal")) << "and its log is";
  EXPECT_EQ(**OpenPlain(directory / "copy.db")->Integer("SELECT count(*) FROM meta"), 2);
  EXPECT_FALSE(reader.BackupTo("/proc/no/such/copy.db"));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename());
  EXPECT_TRUE(std::none_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find(".tmp") != std::string::npos;
  }));
}

}  // namespace
}  // namespace ebb::store
