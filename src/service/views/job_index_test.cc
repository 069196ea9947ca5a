#include "service/views/job_index.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace ebb::service {
namespace {

JobCard CardOf(core::JobId id, const std::string& detail = "") {
  core::Submission submission;
  submission.job.id = id;
  JobCard card;
  card.submission = std::make_shared<const core::Submission>(std::move(submission));
  card.detail = detail;
  return card;
}

std::vector<core::JobId> IdsFrom(const JobIndex& index, core::JobId first) {
  std::vector<core::JobId> ids;
  index.ForEach(first, [&](const JobCard& card) {
    ids.push_back(card.submission->job.id);
    return true;
  });
  return ids;
}

TEST(JobIndex, WhatWasPublishedNeverChanges) {
  JobIndex index;
  for (core::JobId id = 1; id <= 600; ++id) index.Put(CardOf(id, "old"));
  const JobIndex published = index;
  index.Put(CardOf(300, "new"));
  index.Erase(10);
  index.Put(CardOf(601));
  EXPECT_EQ(published.Find(300)->detail, "old");
  EXPECT_NE(published.Find(10), nullptr);
  EXPECT_EQ(published.Find(601), nullptr);
  EXPECT_EQ(published.size(), 600u);
  EXPECT_EQ(index.Find(300)->detail, "new");
  EXPECT_EQ(index.Find(10), nullptr);
  EXPECT_EQ(index.size(), 600u);
}

TEST(JobIndex, WhatIsErasedTakesNoRoom) {
  JobIndex index;
  for (core::JobId id = 1; id <= 600; ++id) index.Put(CardOf(id));
  const JobIndex published = index;
  for (core::JobId id = 1; id <= 599; ++id) index.Erase(id);
  EXPECT_EQ(IdsFrom(index, 0), std::vector<core::JobId>{600});
  EXPECT_EQ(index.chunks(), 1u);
  EXPECT_EQ(published.size(), 600u);
  int changes = 0;
  index.ForEachChange(published,
                      [&](core::JobId, const JobCard* card) { changes += card == nullptr; });
  EXPECT_EQ(changes, 599);
  index.Put(CardOf(3));
  EXPECT_EQ(IdsFrom(index, 0), (std::vector<core::JobId>{3, 600}));
}

TEST(JobIndex, CopiesShareWhatDidNotChange) {
  JobIndex index;
  for (core::JobId id = 1; id <= 600; ++id) index.Put(CardOf(id));
  JobIndex copy = index;
  copy.Put(CardOf(300, "new"));
  for (const core::JobId id : {1, 255, 256, 299, 301, 600})
    EXPECT_EQ(index.Find(id), copy.Find(id)) << id;
  EXPECT_NE(index.Find(300), copy.Find(300));
}

// Whatever is written, erased and asked for in between, the totals are those of all cards.
TEST(JobIndex, TotalsFollowWhatIsWritten) {
  std::mt19937 random(1);
  JobIndex index, published;
  for (int step = 0; step < 3000; ++step) {
    const core::JobId id = 1 + static_cast<core::JobId>(random() % 700);
    JobCard card = CardOf(id);
    card.explanation.stage = static_cast<engine::Stage>(random() % JobTotals::kStages);
    card.energy = Energy::Microjoules(static_cast<std::int64_t>(random() % 1000));
    if (random() % 3 > 0) card.emissions = Emissions{static_cast<double>(random() % 64)};
    if (random() % 2 > 0) card.emissions_at_submission = Emissions{8};
    random() % 4 > 0 ? index.Put(std::move(card)) : index.Erase(id);
    if (random() % 5 == 0) published = index;
    if (random() % 3 > 0) continue;
    for (const JobIndex& asked : {std::cref(index), std::cref(published)}) {
      JobTotals counted;
      asked.ForEach(0, [&](const JobCard& one) { return counted.Add(one), true; });
      const JobTotals totals = asked.Totals();
      EXPECT_EQ(totals.stages, counted.stages);
      EXPECT_EQ(totals.energy, counted.energy);
      EXPECT_EQ(totals.emissions.grams, counted.emissions.grams);
      EXPECT_EQ(totals.ended.energy, counted.ended.energy);
      EXPECT_EQ(totals.ended.on_submission.jobs, counted.ended.on_submission.jobs);
      EXPECT_EQ(totals.ended.on_submission.emitted.grams,
                counted.ended.on_submission.emitted.grams);
      EXPECT_EQ(totals.ended.on_first_come.not_compared, counted.ended.on_first_come.not_compared);
    }
  }
}

TEST(JobIndex, TellsWhatChanged) {
  JobIndex index;
  for (core::JobId id = 1; id <= 600; ++id) index.Put(CardOf(id));
  const JobIndex before = index;
  index.Put(CardOf(2000));
  index.Put(CardOf(300, "new"));
  index.Erase(10);
  const auto changes = [](const JobIndex& from, const JobIndex& to) {
    std::vector<std::pair<core::JobId, bool>> found;
    to.ForEachChange(from, [&](core::JobId id, const JobCard* card) {
      EXPECT_EQ(card, to.Find(id));
      found.emplace_back(id, card != nullptr);
    });
    return found;
  };
  using Found = std::vector<std::pair<core::JobId, bool>>;
  EXPECT_EQ(changes(before, index), (Found{{10, false}, {300, true}, {2000, true}}));
  EXPECT_EQ(changes(index, before), (Found{{10, true}, {300, true}, {2000, false}}));
  EXPECT_TRUE(changes(index, index).empty());
  EXPECT_EQ(changes({}, before).size(), 600u);
  EXPECT_EQ(changes(before, {}).size(), 600u);
}

TEST(JobIndex, ListsByIdFromAnywhere) {
  JobIndex index;
  for (const core::JobId id : {700, 3, 255, 256, 257}) index.Put(CardOf(id));
  EXPECT_EQ(IdsFrom(index, 0), (std::vector<core::JobId>{3, 255, 256, 257, 700}));
  EXPECT_EQ(IdsFrom(index, 256), (std::vector<core::JobId>{256, 257, 700}));
  EXPECT_EQ(IdsFrom(index, -5).size(), 5u);
  EXPECT_TRUE(IdsFrom(index, 701).empty());
  int seen = 0;
  index.ForEach(0, [&](const JobCard&) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

TEST(JobIndex, IdsThatAreNotThere) {
  JobIndex index;
  for (const core::JobId id : {core::JobId{0}, core::JobId{-1}, core::JobId{1} << 60})
    EXPECT_EQ(index.Find(id), nullptr);
  index.Put(CardOf(1));
  index.Put(CardOf(1));
  EXPECT_EQ(index.size(), 1u);
  index.Erase(2);
  index.Erase(1);
  index.Erase(1);
  EXPECT_EQ(index.size(), 0u);
}

}  // namespace
}  // namespace ebb::service
