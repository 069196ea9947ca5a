// ebb store as a person uses it, beside a service that writes.
#include "cli_fixture.h"
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

}  // namespace
}  // namespace ebb
