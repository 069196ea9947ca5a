#include "store/service_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>

#include "engine/journal_json.h"
#include "engine/random_life_for_test.h"
#include "engine/state_json.h"
#include "store/upkeep/snapshots.h"
#include "testing/no_room.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using engine::Stage;
using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2023-05-01");

core::Submission SubmissionOf(const core::Job& job) {
  core::Submission submission;
  submission.job = job;
  submission.command = {"true"};
  return submission;
}

// A service without executor that lives at random and stores everything.
class Service {
 public:
  Service(const platform::Path& path, std::uint64_t seed, StoreOptions options = {})
      : store_(*ServiceStore::Open(path, options)),
        engine_(std::move(store_.Recover(engine::MakeEngineForTest("lowest-slots"))->engine)),
        life_(*engine_, seed, [this](const auto& record) { Take(record); }) {
    life_.GoOnFromId(store_.next_job_id());
  }
  void Step() { life_.Step(); }
  ServiceStore& store() { return store_; }
  engine::Engine& engine() { return *engine_; }

 private:
  void Take(const engine::JournalRecord& record) {
    if (const auto* event = std::get_if<engine::Event>(&record))
      if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event->fact))
        AddAs(submitted->job);
    const auto appended = store_.Append(record);
    EXPECT_TRUE(appended) << appended.error().Message();
  }
  void AddAs(const core::Job& job) {
    const auto added = store_.AddJob(SubmissionOf(job));
    ASSERT_TRUE(added);
    EXPECT_EQ(added->id, job.id);
  }

  ServiceStore store_;
  std::unique_ptr<engine::Engine> engine_;
  engine::RandomLife life_;
};

TEST(ServiceStoreTest, EveryLifeGoesOnWhereTheLastOneStopped) {
  const auto path = ScratchDirectory("lives") / "ebb.db";
  std::string state;
  for (std::uint64_t life = 1; life <= 6; ++life) {
    StoreOptions options;
    options.snapshot_every = 40;
    Service service(path, life, options);
    EXPECT_EQ(engine::JobsText(service.engine().state()), state) << "life " << life;
    for (int step = 0; step < 15; ++step) service.Step();
    // Events after the last decision are durable too.
    ASSERT_TRUE(life % 2 ? service.store().Snapshot() : service.store().Commit());
    state = engine::JobsText(service.engine().state());
    ASSERT_FALSE(state.empty());
  }
  auto database = *Database::Open(path, Database::Mode::kRead);
  EXPECT_EQ(ListSnapshots(database)->size(), 2u);
}

std::string TextOf(const engine::Engine& engine) {
  std::string text;
  engine::WriteSnapshot(engine, [&](std::string_view line) { (text += line) += '\n'; });
  return text;
}

TEST(ServiceStoreTest, ASnapshotWrittenBesideTheEngineIsOfTheMomentItWasBegun) {
  const auto path = ScratchDirectory("beside") / "ebb.db";
  Service service(path, 11);
  for (int round = 0; round < 5; ++round) {
    for (int step = 0; step < 12; ++step) service.Step();
    const std::string then = TextOf(service.engine());
    std::atomic<int> told = 0;
    ASSERT_TRUE(service.store().BeginSnapshot([&told] {
      ++told;
      told.notify_one();
    }));
    EXPECT_FALSE(service.store().SnapshotIsDue());
    const auto latest = [&] { return ListSnapshots(service.store().database())->back(); };
    for (const auto before = latest().id; latest().id == before;) {
      told.wait(0);
      told = 0;
      service.Step();
      ASSERT_TRUE(service.store().ContinueSnapshot());
    }
    const auto engine = engine::MakeEngineForTest("lowest-slots");
    engine->Restore(*ReadSnapshot(service.store().database(), latest()));
    EXPECT_EQ(TextOf(*engine), then) << "round " << round;
    EXPECT_EQ(ListSnapshots(service.store().database())->size(), 2u);
  }
}

TEST(ServiceStoreTest, ASnapshotThatWasCutOffIsAsIfItHadNotBeenBegun) {
  const auto path = ScratchDirectory("cut_off") / "ebb.db";
  std::string state;
  for (std::uint64_t life = 1; life <= 4; ++life) {
    Service service(path, life);
    EXPECT_EQ(engine::JobsText(service.engine().state()), state) << "life " << life;
    for (int step = 0; step < 10; ++step) service.Step();
    ASSERT_TRUE(service.store().BeginSnapshot([] {}));
    service.Step();
    ASSERT_TRUE(service.store().Commit());
    state = engine::JobsText(service.engine().state());
  }
  auto store = *ServiceStore::Open(path);
  const auto recovered = store.Recover(engine::MakeEngineForTest("lowest-slots"));
  ASSERT_TRUE(recovered);
  EXPECT_EQ(engine::JobsText(recovered->engine->state()), state);
  EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM snapshots WHERE complete = 0"), 0);
}

TEST(ServiceStoreTest, RowsOfJobsSayWhatTheEngineKnows) {
  const auto path = ScratchDirectory("rows") / "ebb.db";
  Service service(path, 7);
  // Ended jobs are forgotten sometimes: go on to a moment at which there are some.
  for (int step = 0; step < 60 || (service.engine().state().ended.size() < 9 && step < 600); ++step)
    service.Step();
  Database& database = service.store().database();
  const engine::State& state = service.engine().state();
  ASSERT_GT(state.ended.size(), 5u);
  for (const auto& live : state.live) {
    const JobRecord row = **FindJob(database, live->job.id);
    // Facts after the last decision are part of the next one.
    EXPECT_EQ(row.stage, live->explanation.stage);
    EXPECT_FALSE(row.ended);
  }
  int finished = 0;
  for (const auto& [id, ended] : state.ended) {
    const JobRecord row = **FindJob(database, id);
    if (!row.ended) continue;  // ended after the last decision
    ++finished;
    EXPECT_EQ(row.stage, ended.stage);
    EXPECT_EQ(row.ended, ended.ended);
    EXPECT_EQ(row.first_start, ended.first_start);
    EXPECT_EQ(row.exit_code, ended.exit_code);
    EXPECT_EQ(row.detail, ended.detail);
    const auto attempts = *AttemptsOf(database, id);
    EXPECT_EQ(static_cast<int>(attempts.size()), ended.attempt);
  }
  EXPECT_GT(finished, 5);
}

TEST(ServiceStoreTest, AcknowledgedButNeverGivenToTheEngineIsFoundAgain) {
  const auto path = ScratchDirectory("unknown") / "ebb.db";
  {
    Service service(path, 3);
    for (int step = 0; step < 5; ++step) service.Step();
    core::Job job = testing::AJob(0).Submitted(kNow);
    job.name = "lost?";
    ASSERT_TRUE(service.store().AddJob(SubmissionOf(job)));
    ASSERT_TRUE(service.store().Commit());
  }
  Service service(path, 4);
  const auto unknown = *service.store().UnknownSubmissions();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].job.name, "lost?");
  EXPECT_EQ(unknown[0].job.id, service.store().next_job_id() - 1);
}

TEST(ServiceStoreTest, AFullDiskKeepsTheGroupAndGoesOnWhenThereIsSpace) {
  const auto path = ScratchDirectory("full") / "ebb.db";
  std::string state;
  {
    Service service(path, 5);
    for (int step = 0; step < 5; ++step) service.Step();
    ServiceStore& store = service.store();
    const auto records = **store.database().Integer("SELECT count(*) FROM journal");
    const auto pages = **store.database().Integer("PRAGMA page_count");
    ASSERT_TRUE(store.database().RunScript("PRAGMA max_page_count=" + std::to_string(pages)));
    engine::Engine& engine = service.engine();
    const Time now = engine.state().now + minutes{1};
    const core::JobId id = store.next_job_id();
    core::Job job = testing::AJob(id).Submitted(now);
    job.name = std::string(20000, 'n');
    ASSERT_TRUE(store.AddJob(SubmissionOf(job)));
    ASSERT_TRUE(engine.Apply({now, engine::JobSubmitted{job}}));
    ASSERT_TRUE(store.Append(engine::Event{now, engine::JobSubmitted{job}}));
    const auto stored = store.Append(engine.Decide(now));
    ASSERT_FALSE(stored) << "the decision may not be carried out";
    EXPECT_EQ(store.health().failure, Failure::kFull);
    EXPECT_GT(store.health().waiting, 2u);
    EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM journal"), records);
    EXPECT_FALSE(*FindJob(store.database(), id));
    EXPECT_FALSE(store.Commit()) << "still full";
    // Running jobs go on, and their reports wait with the rest.
    ASSERT_TRUE(store.Append(engine::Event{now, engine::Tick{}}));
    ASSERT_TRUE(store.database().RunScript("PRAGMA max_page_count=100000"));
    ASSERT_TRUE(store.Commit());
    EXPECT_TRUE(store.health().ok());
    EXPECT_EQ(store.health().waiting, 0u);
    EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM journal"), records + 3);
    EXPECT_TRUE(*FindJob(store.database(), id));
    state = engine::JobsText(engine.state());
  }
  Service again(path, 6);
  EXPECT_EQ(engine::JobsText(again.engine().state()), state);
}

// Real writes fail half way, as on a full disk.
TEST(ServiceStoreTest, AFileThatMayNotGrowLosesNothing) {
  const auto path = ScratchDirectory("limit") / "ebb.db";
  auto store = *ServiceStore::Open(path);
  core::Submission submission = SubmissionOf(testing::AJob(0).Submitted(kNow));
  ASSERT_TRUE(store.AddJob(submission));
  ASSERT_TRUE(store.Commit());
  auto no_room = std::make_optional<testing::NoRoomForFiles>(
      std::filesystem::file_size(path.string() + "-wal") + 10'000);
  submission.command = {std::string(100'000, 'x')};
  ASSERT_TRUE(store.AddJob(submission));
  const auto stored = store.Commit();
  const auto again = store.Commit();
  no_room.reset();
  EXPECT_FALSE(stored);
  EXPECT_FALSE(again);
  EXPECT_EQ(store.health().failure, Failure::kInputOutput);
  auto reader = *Database::Open(path, Database::Mode::kRead);
  EXPECT_FALSE(*FindJob(reader, 2));
  EXPECT_EQ(store.health().waiting, 1u);
  ASSERT_TRUE(store.Commit());
  EXPECT_TRUE(*FindJob(reader, 2));
  EXPECT_EQ(**reader.Integer("SELECT count(*) FROM jobs"), 2);
}

TEST(ServiceStoreTest, ADamagedRecordIsNamed) {
  const auto path = ScratchDirectory("damaged") / "ebb.db";
  {
    Service service(path, 5);
    for (int step = 0; step < 5; ++step) service.Step();
    ASSERT_TRUE(service.store().database().Run("UPDATE journal SET line = 'x' WHERE seq = 4"));
  }
  auto store = *ServiceStore::Open(path);
  const auto recovered = store.Recover(engine::MakeEngineForTest("lowest-slots"));
  ASSERT_FALSE(recovered);
  EXPECT_NE(recovered.error().what.find("journal record 4"), std::string::npos);
  EXPECT_NE(recovered.error().next.find("ebb store check"), std::string::npos);
}

TEST(ServiceStoreTest, OldRecordsGoAndThoseThatAreNeededStay) {
  const auto path = ScratchDirectory("old") / "ebb.db";
  StoreOptions options;
  options.keep_journal = hours{5};
  options.snapshot_every = 30;
  {
    Service service(path, 8, options);
    for (int step = 0; step < 90; ++step) {
      service.Step();
      if (service.store().SnapshotIsDue()) {
        ASSERT_TRUE(service.store().Snapshot());
      }
    }
    Database& database = service.store().database();
    const auto first = **database.Integer("SELECT min(seq) FROM journal");
    EXPECT_GT(first, 1);
    EXPECT_LE(first, **database.Integer("SELECT min(seq) FROM snapshots") + 1);
    const auto oldest = **database.Integer("SELECT min(at_ms) FROM journal");
    EXPECT_LE(oldest, (service.engine().state().now - hours{4}).time_since_epoch().count());
  }
  Service(path, 9, options).Step();
}

// The child acknowledges durable submissions only: all that it acknowledged before it was killed
// exist.
[[noreturn]] void SubmitUntilKilled(const platform::Path& path, std::uint64_t seed, int to_parent) {
  auto store = ServiceStore::Open(path);
  if (!store) ::_exit(3);
  auto recovered = store->Recover(engine::MakeEngineForTest("run-now"));
  if (!recovered) ::_exit(4);
  engine::Engine& engine = *recovered->engine;
  Random random(seed);
  Time now = std::max(engine.state().now, kNow);
  const auto give = [&](engine::Fact fact) {
    const engine::Event event{now, std::move(fact)};
    if (engine.Apply(event)) std::ignore = store->Append(event);
  };
  give(engine::ClusterChanged{testing::ClusterOf(3)});
  for (;;) {
    now += minutes{1};
    std::vector<std::int64_t> acknowledged;
    for (std::uint64_t count = 1 + random.Below(20); count > 0; --count) {
      core::Job job = testing::AJob(0).Submitted(now);
      job.id = store->AddJob(SubmissionOf(job))->id;
      give(engine::JobSubmitted{job});
      acknowledged.push_back(job.id);
    }
    const engine::Decision decision = engine.Decide(now);
    if (!store->Append(decision)) ::_exit(5);
    const std::size_t bytes = acknowledged.size() * sizeof(std::int64_t);
    if (::write(to_parent, acknowledged.data(), bytes) < 0) ::_exit(6);
    for (const engine::Command& command : decision.commands)
      if (const auto* start = std::get_if<engine::StartJob>(&command))
        give(engine::JobReport{start->job, start->attempt, engine::JobPhase::kSucceeded, 0, now, 0,
                               ""});
  }
}

TEST(ServiceStoreTest, WhatWasAcknowledgedSurvivesKill9) {
  const auto path = ScratchDirectory("kill") / "ebb.db";
  Random random(42);
  std::vector<std::int64_t> acknowledged;
  for (std::uint64_t round = 0; round < 25; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) SubmitUntilKilled(path, round, pipe[1]);
    ::close(pipe[1]);
    // The kill comes at a random time in the life of the child, possibly before its first word.
    std::int64_t id = 0;
    for (std::uint64_t wait = random.Below(60); wait > 0; --wait)
      if (::read(pipe[0], &id, sizeof id) == sizeof id) acknowledged.push_back(id);
    ::usleep(static_cast<useconds_t>(random.Below(8000)));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
    while (::read(pipe[0], &id, sizeof id) == sizeof id) acknowledged.push_back(id);
    ::close(pipe[0]);
  }
  ASSERT_GT(acknowledged.size(), 100u);
  auto store = *ServiceStore::Open(path);
  const auto recovered = store.Recover(engine::MakeEngineForTest("run-now"));
  ASSERT_TRUE(recovered) << recovered.error().Message();
  for (const std::int64_t id : acknowledged) {
    ASSERT_TRUE(*FindJob(store.database(), id)) << id;
    ASSERT_TRUE(recovered->engine->Explain(id)) << id;
  }
}

}  // namespace
}  // namespace ebb::store
