#include "store/jobs/job_notes.h"

#include <gtest/gtest.h>

#include "store/database/schema.h"
#include "store/service_store.h"
#include "store/upkeep/store_check.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

core::JobId AJob(ServiceStore& store) {
  core::Submission submission;
  submission.job.name = "job";
  const core::JobId job = store.AddJob(submission)->id;
  EXPECT_TRUE(store.Commit());
  return job;
}

TEST(JobNotes, ReadBackUntilTheyAreTakenBack) {
  auto store = *ServiceStore::Open(ScratchDirectory("job-notes") / "ebb.db");
  const core::JobId job = AJob(store), other = AJob(store);
  store.SetHold(job, PersonHold::kHeldAndWaits);
  store.SetWhyHeld(job, "its sweep has used up its budget");
  store.SetBudgetHeard(job, 3);
  ASSERT_TRUE(store.Commit());
  const JobNotes notes = *NotesOf(store.database(), job);
  EXPECT_EQ(notes.hold, PersonHold::kHeldAndWaits);
  EXPECT_EQ(notes.why_held, "its sweep has used up its budget");
  EXPECT_EQ(notes.budget_heard, 3u);
  store.SetHold(job, PersonHold::kNone);
  store.SetWhyHeld(job, "");
  ASSERT_TRUE(store.Commit());
  for (const core::JobId none : {job, other, other + 1}) {
    EXPECT_EQ(NotesOf(store.database(), none)->hold, PersonHold::kNone);
    EXPECT_EQ(NotesOf(store.database(), none)->why_held, "");
  }
}

TEST(JobNotes, AnUnknownHoldIsAnErrorAndFoundByTheCheck) {
  auto store = *ServiceStore::Open(ScratchDirectory("job-notes-bad") / "ebb.db");
  const core::JobId job = AJob(store);
  ASSERT_TRUE(store.database().Run("UPDATE jobs SET held = 'twice', budget_heard = -1"));
  EXPECT_FALSE(NotesOf(store.database(), job));
  std::string problems;
  const auto results = CheckStore(store.database(), {});
  for (const CheckResult& result : *results)
    for (const std::string& problem : result.problems) problems += problem + "; ";
  EXPECT_EQ(problems,
            "job 1 is held in an unknown way: twice; "
            "job 1 has heard less than nothing of its budget; ");
}

// Until version 16 of the schema the notes were in the table of settings.
TEST(JobNotes, ThoseOfOlderStoresAreTakenOverAndNoLongerSettings) {
  auto database =
      *Database::Open(ScratchDirectory("job-notes-old") / "ebb.db", Database::Mode::kWrite);
  ASSERT_TRUE(database.RunScript(
      "ALTER TABLE jobs DROP COLUMN held; ALTER TABLE jobs DROP COLUMN why_held;"
      "ALTER TABLE jobs DROP COLUMN budget_heard;"
      "INSERT INTO jobs(id, name, tier, recurring, stage, submitted_ms, submission)"
      " VALUES(7, 'a', '', '', 'waiting', 0, '{}'), (12, 'b', '', '', 'paused', 0, '{}'),"
      " (120, 'c', '', '', 'waiting', 0, '{}');"
      "INSERT INTO meta VALUES('hold of job 7', 'held and waits'), ('hold of job 12', ''),"
      " ('why job 12 is held', 'its budget'), ('budget events of job 12', '2'),"
      " ('why job 999 is held', 'gone'), ('grid clock', 'stays')"));
  ASSERT_TRUE(database.RunScript(std::string(Migrations()[16])));
  const JobNotes first = *NotesOf(database, 7), second = *NotesOf(database, 12);
  EXPECT_EQ(first.hold, PersonHold::kHeldAndWaits);
  EXPECT_EQ(first.why_held, "");
  EXPECT_EQ(first.budget_heard, 0u);
  EXPECT_EQ(second.hold, PersonHold::kNone);
  EXPECT_EQ(second.why_held, "its budget");
  EXPECT_EQ(second.budget_heard, 2u);
  EXPECT_EQ(NotesOf(database, 120)->why_held, "");
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM meta WHERE key LIKE '%job%'"), 0);
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM meta WHERE key = 'grid clock'"), 1);
}

}  // namespace
}  // namespace ebb::store
