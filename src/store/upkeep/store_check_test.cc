#include "store/upkeep/store_check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/random_life_for_test.h"
#include "store/database/default_path.h"
#include "store/engine_setup.h"
#include "store/service_store.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

constexpr const char* kPolicy = "lowest-slots";

// A store of a service with a ledger that lived twice; a crash ended the second life.
platform::Path AStore(const std::string& name) {
  const auto path = ScratchDirectory(name) / "ebb.db";
  for (std::uint64_t life = 1; life <= 2; ++life) {
    StoreOptions options;
    options.snapshot_every = 25;
    auto store = *ServiceStore::Open(path, options);
    const auto engine = std::move(store.Recover(engine::MakeEngineForTest(kPolicy))->engine);
    engine::RandomLife random(*engine, life, [&](const engine::JournalRecord& record) {
      const auto* event = std::get_if<engine::Event>(&record);
      const auto* submitted = event ? std::get_if<engine::JobSubmitted>(&event->fact) : nullptr;
      if (submitted) {
        core::Submission submission;
        submission.job = submitted->job;
        EXPECT_EQ(store.AddJob(submission)->id, submitted->job.id);
        core::LedgerRow row;
        row.energy = Energy::Joules(123.456);
        row.intensity = Intensity{321.5};
        store.AddLedger({submitted->job.id, {row, row}});
      }
      EXPECT_TRUE(store.Append(record));
    });
    random.GoOnFromId(store.next_job_id());
    PutEngineSetup(store, {kPolicy, {}});
    for (int step = 0; step < 25; ++step) random.Step();
    if (life == 1) {
      EXPECT_TRUE(store.Snapshot());
    }
  }
  return path;
}

std::string Problems(const platform::Path& path) {
  auto database = *Database::Open(path, Database::Mode::kRead);
  const auto results = CheckStore(database, {[] { return engine::MakeEngineForTest(kPolicy); }});
  if (!results) return results.error().Message();
  std::string text;
  for (const CheckResult& result : *results)
    for (const std::string& problem : result.problems) text += result.what + ": " + problem + "\n";
  return text;
}

TEST(StoreCheckTest, ASoundStoreHasNoProblems) {
  const auto path = AStore("sound");
  EXPECT_EQ(Problems(path), "");
  auto database = *Database::Open(path, Database::Mode::kRead);
  EXPECT_EQ((**GetEngineSetup(database)).policy, kPolicy);
}

TEST(StoreCheckTest, EachKindOfDamageIsNamed) {
  const auto sound = AStore("damages");
  const std::pair<const char*, const char*> damages[] = {
      {"DELETE FROM journal WHERE seq = (SELECT max(seq) - 3 FROM journal)", "is missing"},
      {"UPDATE journal SET line = '{}' WHERE seq = (SELECT max(seq) FROM journal)", "journal"},
      {"UPDATE journal SET line = replace(line, '\"wake_at\":1', '\"wake_at\":2')"
       " WHERE seq = (SELECT max(seq) FROM journal WHERE kind = 'decision')",
       "is decided differently"},
      {"UPDATE jobs SET stage = 'pausing' WHERE id = (SELECT max(id) FROM jobs WHERE stage IN"
       " ('waiting', 'running', 'paused'))",
       "is pausing in its row"},
      {"DELETE FROM jobs WHERE id = (SELECT max(id) FROM jobs WHERE stage IN"
       " ('waiting', 'running', 'paused'))",
       "has no row"},
      {"UPDATE ledger SET energy_uj = energy_uj + 1 WHERE job = 3 AND number = 1", "job 3"},
      {"UPDATE jobs SET emissions_g = emissions_g * 1.001 WHERE id = 4", "job 4"},
      {"UPDATE snapshot_lines SET lines = substr(lines, 1, length(lines) / 2)", "snapshot"},
      {"PRAGMA foreign_keys=OFF; INSERT INTO attempts(job, attempt, pool, phase)"
       " VALUES(9999, 1, 0, 'running')",
       "refers to a missing jobs"},
  };
  int number = 0;
  for (const auto& [damage, expected] : damages) {
    const auto path = sound.parent_path() / (std::to_string(number++) + ".db");
    std::filesystem::copy_file(sound, path);
    ASSERT_TRUE(Database::Open(path, Database::Mode::kWrite)->RunScript(damage)) << damage;
    EXPECT_NE(Problems(path).find(expected), std::string::npos) << damage << "\n" << Problems(path);
  }
}

TEST(DefaultStorePath, FollowsTheEnvironment) {
  std::map<std::string, std::string> environment;
  const auto path = [&] {
    return DefaultStorePath([&](const char* name) {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_FALSE(path());
  environment["HOME"] = "/home/me";
  EXPECT_EQ(*path(), "/home/me/.local/state/ebb/ebb.db");
  EXPECT_EQ(OwnStorePaths(Variables([&](const char* name) -> const char* {
              const auto found = environment.find(name);
              return found == environment.end() ? nullptr : found->second.c_str();
            })),
            (std::vector<platform::Path>{"/home/me/.local/state/ebb/ebb.db",
                                         "/home/me/.config/ebb/ebb.db"}));
  environment["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(*path(), "/home/me/.local/state/ebb/ebb.db");
  environment["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(*path(), "/state/ebb/ebb.db");
  environment["STATE_DIRECTORY"] = "/var/lib/ebb:/var/lib/other";
  EXPECT_EQ(*path(), "/var/lib/ebb/ebb.db");
  environment["EBB_STORE"] = "here.db";
  EXPECT_EQ(*path(), "here.db");
}

// systemd before 254 (Debian 12) keeps the state of a user unit in ~/.config.
TEST(DefaultStorePath, IsTheStoreThatIsThereAndThatAServiceListensBeside) {
  const auto home = ScratchDirectory("home");
  const auto variable = [text = home.string()](const char* name) {
    return std::string(name) == "HOME" ? text.c_str() : nullptr;
  };
  const auto state = home / ".local/state/ebb", config = home / ".config/ebb";
  std::filesystem::create_directories(state);
  std::filesystem::create_directories(config);
  EXPECT_EQ(*DefaultStorePath(variable), state / "ebb.db") << "neither is there";
  std::ofstream(config / "ebb.db") << "";
  EXPECT_EQ(*DefaultStorePath(variable), config / "ebb.db");
  std::ofstream(state / "ebb.db") << "";
  EXPECT_EQ(*DefaultStorePath(variable), state / "ebb.db") << "both are there";
  std::ofstream(config / "ebb.db.sock") << "";
  EXPECT_EQ(*DefaultStorePath(variable), config / "ebb.db") << "where a service listens";
}

}  // namespace
}  // namespace ebb::store
