#include "engine/due_jobs.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace ebb::engine {
namespace {

Time At(std::int64_t second) { return Time{} + std::chrono::seconds{second}; }

// The same queue in the simplest way: each question looks at all jobs.
struct Naive {
  std::map<core::JobId, Time> due;
  Time Next() const {
    Time next = Time::max();
    for (const auto& [job, at] : due) next = std::min(next, at);
    return next;
  }
  DueJobs::Ids TakeDue(Time now) {
    DueJobs::Ids jobs;
    for (auto& [job, at] : due)
      if (at <= now) {
        jobs.push_back(job);
        at = Time::max();
      }
    return jobs;
  }
};

TEST(DueJobs, KnowsWhatASearchOfAllWouldFind) {
  Random random(5);
  DueJobs jobs;
  DueJobs::Ids ids;
  Naive naive;
  core::JobId next_id = 1;
  for (std::int64_t now = 0; now < 20'000; ++now) {
    const std::size_t place = ids.empty() ? 0 : random.Below(ids.size());
    const Time at = random.Below(10) == 0 ? Time::max()
                                          : At(now + static_cast<std::int64_t>(random.Below(300)));
    switch (random.Below(ids.size() < 50 ? 4 : 6)) {
      case 0:
        ids.push_back(next_id);
        jobs.Insert(ids.size() - 1);
        naive.due[next_id++] = Time::max();
        break;
      case 5:
        naive.due.erase(ids[place]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place));
        jobs.Erase(place);
        break;
      default:
        if (ids.empty()) break;
        jobs.Set(ids, place, at);
        naive.due[ids[place]] = at;
    }
    if (random.Below(100) == 0)
      jobs.SetAll(ids, [&](std::size_t i) { return naive.due.at(ids[i]); });
    ASSERT_EQ(jobs.Next(ids), naive.Next());
    std::vector<std::size_t> places;
    if (random.Below(8) == 0) {
      jobs.TakeDue(ids, At(now), places);
      std::sort(places.begin(), places.end());
      DueJobs::Ids taken;
      for (const std::size_t due : places) taken.push_back(ids[due]);
      ASSERT_EQ(taken, naive.TakeDue(At(now)));
    }
  }
}

}  // namespace
}  // namespace ebb::engine
