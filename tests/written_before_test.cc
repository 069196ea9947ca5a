// Files of earlier versions of Ebb (tests/golden/formats, made with their programs) are read and
// continued, with the same totals.
#include "platform/file.h"
#include "serve_fixture.h"

namespace ebb {
namespace {

const fs::path kFormats = fs::path(EBB_SOURCE_DIR) / "tests/golden/formats";

// Stores of each version of the schema.
class WrittenBefore : public ServeCommand, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    const fs::path store = kFormats / ("store-" + std::to_string(GetParam()));
    const auto database = platform::ReadFileMaybeGzip(store / "ebb.db.gz");
    ASSERT_TRUE(database) << database.error().Message();
    ASSERT_TRUE(platform::WriteFileAtomically(directory_ / "ebb.db", *database));
    fs::copy(store / "jobs", directory_ / "jobs", fs::copy_options::recursive);
    before_ = nlohmann::json::parse(Read(store / "queue.json")).at("jobs");
  }
  void Check() {
    const Outcome checked = Ebb({"store", "check", "--store", "ebb.db", "--format", "json"});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
    EXPECT_TRUE(nlohmann::json::parse(checked.out).at("ok")) << checked.out;
  }

  nlohmann::json before_;
};

TEST_P(WrittenBefore, StoresAreCheckedAndContinuedWithTheSameTotals) {
  Serve({"--slots", "1"},
        {"--trace", (kFormats / "grid.csv").string(), "--grid-start", "2023-05-01"});
  const auto now = Queue().at("jobs");
  ASSERT_EQ(now.size(), before_.size());
  const auto expect_same = [&](std::size_t job, const char* key) {
    EXPECT_EQ(now[job].value(key, nlohmann::json()), before_[job].value(key, nlohmann::json()))
        << key << " of job " << job + 1;
  };
  for (std::size_t job = 0; job < before_.size(); ++job)
    for (const char* key : {"id", "name", "submitted", "tier"}) expect_same(job, key);
  constexpr std::size_t kEnded = 3;
  for (std::size_t job = 0; job < kEnded; ++job)
    for (const char* key : {"stage", "started", "ended", "exit_code", "detail", "ran_ms",
                            "energy_kwh", "emissions_g", "emissions_first_come_g"})
      expect_same(job, key);
  EXPECT_EQ(Client({"logs", "1"}).out, "fin\n");
  // A job on hold goes on, and a new job gets an unused number.
  EXPECT_EQ(Client({"now", "5"}).code, 0);
  const Outcome submitted = Client({"submit", "--start-by", "10h"}, {"true"});
  EXPECT_EQ(submitted.out, "6\n") << submitted.err;
  WaitUntil([&] { return Ended() == 6; });
  EXPECT_EQ(Client({"logs", "5"}).out, "held\n");
  EXPECT_EQ(Read(directory_ / "jobs/last-number").substr(0, 1), "6");
  Stop(SIGTERM);
  Check();
}
INSTANTIATE_TEST_SUITE_P(Schemas, WrittenBefore, ::testing::Values(16, 17));

TEST_F(Cli, ARunDirectoryWrittenBeforeHasTheSameSummaryAndIsAudited) {
  fs::copy(kFormats / "run", directory_ / "run", fs::copy_options::recursive);
  const auto before = nlohmann::json::parse(Read(kFormats / "run/summary.json"));
  const Outcome summary = Ebb({"summary", "run", "--format", "json"});
  ASSERT_EQ(summary.code, 0) << summary.err;
  auto now = nlohmann::json::parse(summary.out);
  EXPECT_EQ(now["work"], nullptr) << "it was not a field then";
  now.erase("work");
  EXPECT_EQ(now, before);
  const Outcome audited = Ebb({"audit", "run"});
  EXPECT_EQ(audited.code, 0) << audited.out << audited.err;
}

}  // namespace
}  // namespace ebb
