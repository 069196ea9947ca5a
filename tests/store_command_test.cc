// ebb store as a user runs it, beside a service that writes.
#include "serve_fixture.h"
#include "store/service_store.h"

namespace ebb {
namespace {

class StoreCommand : public Cli {
 protected:
  store::ServiceStore AStore() {
    auto opened = *store::ServiceStore::Open(directory_ / "ebb.db");
    core::Submission submission;
    submission.job.name = "job";
    submission.command = {"true"};
    EXPECT_TRUE(opened.AddJob(submission));
    EXPECT_TRUE(opened.Commit());
    return opened;
  }
};

TEST_F(StoreCommand, BacksUpAndChecksBesideAWriter) {
  auto store = AStore();
  Outcome outcome = Ebb({"store", "backup", "copy.db", "--store", "ebb.db"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("a copy of ebb.db"), std::string::npos);
  ASSERT_TRUE(store.AddJob({}));
  ASSERT_TRUE(store.Commit());
  outcome = Ebb({"store", "check", "--store", "copy.db", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::parse(outcome.out).at("ok"));
  EXPECT_EQ(fs::status(directory_ / "copy.db").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(StoreCommand, APathThatIsNotUtf8IsPrintedAsJson) {
  AStore();
  const Outcome outcome =
      Ebb({"store", "backup", "a\xff.db", "--store", "ebb.db", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("file"), "a\xef\xbf\xbd.db");
}

TEST_F(StoreCommand, ADamagedStoreIsSaidToBe) {
  {
    auto store = AStore();
    ASSERT_TRUE(store.database().Run("UPDATE jobs SET energy_uj = 5"));
  }
  const Outcome outcome = Ebb({"store", "check", "--store", "ebb.db"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.out.find("BAD  ledger"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("restore a backup"), std::string::npos);
}

TEST_F(StoreCommand, WrongUseIsExplained) {
  EXPECT_EQ(Ebb({"store", "check", "--store", "none.db"}).code, 4);
  EXPECT_FALSE(fs::exists(directory_ / "none.db"));
  EXPECT_EQ(Ebb({"store", "backup"}).code, 2);
  const Outcome outcome = Ebb({"store", "bakcup", "x"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean \"backup\""), std::string::npos);
  std::ofstream(directory_ / "text.db") << std::string(3000, 'x');
  const Outcome text = Ebb({"store", "check", "--store", "text.db"});
  EXPECT_EQ(text.code, 3);
  EXPECT_EQ(text.err.find("ebb store check"), std::string::npos) << text.err;
  EXPECT_NE(Ebb({"store", "check", "--store", "."}).err.find("is a directory"), std::string::npos);
}

// Jobs that run while the store is restored.
class StoreRestore : public ServeCommand {
 protected:
  void SubmitAndWait(const std::string& script, std::size_t ended) {
    EXPECT_EQ(Client({"submit"}, {"sh", "-c", script}).code, 0);
    WaitUntil([&] { return Ended() == ended; });
  }
  nlohmann::json Job(int number) {
    const Outcome outcome = Client({"show", std::to_string(number), "--format", "json"});
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
  void ExpectBIsItself() {
    SubmitAndWait("echo this is B; exit 3", 2);
    EXPECT_EQ(Job(3).at("stage"), "failed");
    EXPECT_EQ(Job(3).at("exit_code"), 3);
    const Outcome log = Client({"logs", "3"});
    EXPECT_TRUE(Contains(log.out, "this is B")) << log.out << log.err;
    EXPECT_FALSE(Contains(log.out, "this is A"));
    EXPECT_EQ(Read(directory_ / "jobs/set-aside/2/attempt-1.log"), "this is A\n");
    EXPECT_EQ(Client({"show", "2"}).code, 2);
    Stop(SIGTERM);
    EXPECT_EQ(Client({"store", "check"}).code, 0);
  }
  // Submits job 1, makes a backup, and submits job 2.
  void RunAcrossABackup() {
    Serve();
    SubmitAndWait("true", 1);
    EXPECT_EQ(Client({"store", "backup", "copy.db"}).code, 0);
    SubmitAndWait("echo this is A", 2);
    Stop(SIGTERM);
  }
};

TEST_F(StoreRestore, AJobAfterwardsHasANumberAndAFolderOfItsOwn) {
  RunAcrossABackup();
  Outcome outcome = Client({"store", "restore", "copy.db", "--dry-run", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto planned = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(planned.at("lost").at(0).at("job"), 2);
  EXPECT_EQ(planned.at("set_aside"), nlohmann::json::array({2}));
  EXPECT_EQ(planned.at("next_job"), 3);
  EXPECT_TRUE(fs::exists(directory_ / "jobs/2"));
  outcome = Client({"store", "restore", "copy.db"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "not in the backup, 1 jobs: 2 sh (succeeded)")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "ebb.db.replaced-")) << outcome.out;
  Serve();
  ExpectBIsItself();
}

TEST_F(StoreRestore, ABackupCopiedByHandGivesNoNumberTwiceEither) {
  RunAcrossABackup();
  for (const char* ending : {"-wal", "-shm"})
    fs::remove(directory_ / ("ebb.db" + std::string(ending)));
  fs::copy_file(directory_ / "copy.db", directory_ / "ebb.db",
                fs::copy_options::overwrite_existing);
  Serve();
  ExpectBIsItself();
}

TEST_F(StoreRestore, AProgramOfAJobInTheBackupGoesOn) {
  Serve();
  EXPECT_EQ(
      Client({"submit"}, {"sh", "-c", "until [ -f go ]; do sleep 0.05; done; echo over"}).code, 0);
  EXPECT_EQ(Client({"store", "backup", "copy.db"}).code, 0);
  WaitFor(directory_ / "jobs/1/attempt-1.energy");
  EXPECT_NE(Client({"store", "restore", "copy.db"}).code, 0);  // the service runs
  Stop(SIGTERM);
  ASSERT_EQ(Client({"store", "restore", "copy.db"}).code, 0) << Read(directory_ / "err.txt");
  Serve();
  WaitUntil([&] { return Job(1).value("stage", "") == "running"; });
  Write("go", "");
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Job(1).at("stage"), "succeeded");
  EXPECT_FALSE(fs::exists(directory_ / "jobs/1/attempt-2.json"));
  EXPECT_EQ(Client({"logs", "1"}).out, "over\n");
}

TEST_F(StoreRestore, AProgramOfAJobThatTheBackupDoesNotKnowIsNotLeftAlone) {
  Serve();
  EXPECT_EQ(Client({"store", "backup", "copy.db"}).code, 0);
  EXPECT_EQ(Client({"submit"}, {"sleep", "600"}).code, 0);
  WaitFor(directory_ / "jobs/1/attempt-1.energy");
  Stop(SIGTERM);
  const Outcome refused = Client({"store", "restore", "copy.db"});
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(Contains(refused.err, "still run: 1 (process ")) << refused.err;
  const Outcome outcome = Client({"store", "restore", "copy.db", "--end-programs"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(directory_ / "jobs/set-aside/1/attempt-1.end"));
  Serve();
  SubmitAndWait("echo next", 1);
  EXPECT_EQ(Job(2).at("stage"), "succeeded");
}

// All times in a store are on one clock. A replay on the store of a live service would leave it
// jobs that were submitted after their latest start.
TEST_F(StoreRestore, AStoreIsRefusedToAnotherClock) {
  Serve();
  Stop(SIGTERM);
  const std::vector<std::string> serve{
      "serve",   "--store", "ebb.db",       "--constant", "200",          "--port", "0",
      "--slots", "1",       "--grid-start", "2023-05-01", "--grid-speed", "600"};
  const Outcome refused = Ebb(serve);
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(Contains(refused.err, "belongs to the clock of today")) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "--store")) << refused.err;
  Serve();
}

}  // namespace
}  // namespace ebb
