#include "random_sites.h"

#include "base/random.h"
#include "core/ledger/ledger.h"
#include "service/accounting/settlement_queue.h"

namespace ebb {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kBegin = *ParseTime("2024-07-01");
constexpr int kHours = 60;

core::IntensitySeries RandomSeries(Random& random, const std::string& zone) {
  std::vector<core::Sample> samples;
  for (Time at = kBegin; at < kBegin + hours{kHours};) {
    const Time end = at + minutes{random.Below(3) > 0 ? 60 : 15};
    const auto status =
        random.Below(4) > 0 ? core::SampleStatus::kMeasured : core::SampleStatus::kEstimated;
    samples.push_back({{at, end}, Intensity{random.Uniform(10, 700)}, status});
    at = end;
  }
  return *core::IntensitySeries::Create({zone, core::SignalKind::kAverage, {}, "test", {}},
                                        std::move(samples));
}

// The newest values of a zone, some of which differ from those that rows were closed with.
class Published final : public runtime::SignalFeed {
 public:
  Published(const core::IntensitySeries& believed, Random& random) {
    std::vector<core::Sample> samples = believed.samples();
    std::erase_if(samples, [&](const core::Sample&) { return random.Below(60) == 0; });
    for (core::Sample& sample : samples)
      if (random.Below(3) == 0) sample.intensity.g_per_kwh *= random.Uniform(0.9, 1.2);
    series_ = *core::IntensitySeries::Create(believed.identity(), std::move(samples));
  }
  const core::SignalIdentity& identity() const override { return series_.identity(); }
  Result<core::SignalView> Observe(Time, Duration) override { return core::SignalView{}; }
  Result<core::IntensitySeries> Believed(Interval interval) override { return Settled(interval); }
  Result<core::IntensitySeries> Settled(Interval interval) override {
    return series_.Slice(interval);
  }
  Time NextChange(Time now) const override { return now + hours{1}; }

 private:
  core::IntensitySeries series_;
};

struct World {
  core::Cluster cluster{{{"here", "DE", Pue{1.2}},
                         {"norway", "NO", Pue{1.1}, 2e6},
                         {"france", "FR", Pue{1.4}, 4e6, seconds{90}, Energy::Joules(5e4)}},
                        {{"cpu", 0, 2, 1, 1, Power{0}},
                         {"cpu", 1, 2, 1, 1, Power{20}},
                         {"cpu", 2, 2, 1, 1, Power{70}}}};
  std::vector<core::IntensitySeries> believed;
  std::vector<Published> published;

  explicit World(Random& random) {
    for (const core::Site& site : cluster.sites) {
      believed.push_back(RandomSeries(random, site.zone));
      published.emplace_back(believed.back(), random);
    }
  }
};

core::Submission SubmissionOf(Random& random) {
  core::Submission submission;
  submission.job.name = "job";
  submission.job.duration = hours{1};
  submission.job.submitted = kBegin + Duration{random.Below(8 * 3'600'000)};
  submission.job.start_by = submission.job.submitted + minutes{random.Below(12 * 60)};
  submission.job.file_bytes = static_cast<std::int64_t>(random.Below(1'000'000'000));
  if (random.Below(3) == 0) submission.job.forbidden_sites = {"france"};
  submission.command = {"true"};
  return submission;
}

// Stores an attempt at a random site, and returns its rows.
std::vector<core::LedgerRow> Ran(store::ServiceStore& store, core::JobId job, int attempt, Time& at,
                                 const World& world, Random& random) {
  const auto pool = static_cast<std::size_t>(random.Below(world.cluster.pools.size()));
  std::ignore = store.database().Run(
      "INSERT INTO attempts(job, attempt, pool, phase) VALUES(?, ?, ?, 'paused')",
      {job, std::int64_t{attempt}, static_cast<std::int64_t>(pool)});
  std::vector<core::LedgerRow> rows;
  for (const Time end = at + seconds{300 + random.Below(4000)}; at < end; at += seconds{97}) {
    const Interval part{at, at + seconds{97}};
    const core::EnergyReading reading{"cpu:package-0", core::Component::kCpu,
                                      core::EnergySource::kCounter, part,
                                      Energy::Joules(random.Uniform(100, 9000))};
    for (core::LedgerRow& row : core::MakeRows(reading, part, attempt,
                                               world.cluster.sites[pool].pue, world.believed[pool]))
      rows.push_back(std::move(row));
  }
  at += seconds{random.Below(9000)};
  return rows;
}

Status AddJob(store::ServiceStore& store, service::Publisher& publisher, const World& world,
              Random& random) {
  core::Submission submission = SubmissionOf(random);
  EBB_ASSIGN_OR_RETURN(const store::AddedJob added, store.AddJob(submission));
  EBB_RETURN_IF_ERROR(store.Commit());
  submission.job.id = added.id;
  Time at = submission.job.submitted + seconds{random.Below(2) * random.Below(9000)};
  for (int attempt = 1; attempt <= 1 + static_cast<int>(random.Below(4)); ++attempt)
    store.AddLedger({added.id, Ran(store, added.id, attempt, at, world, random)});
  service::JobCard card;
  card.explanation.job = added.id;
  card.explanation.stage = engine::Stage::kSucceeded;
  card.submission = std::make_shared<const core::Submission>(std::move(submission));
  publisher.AddEnded(card);
  return store.Commit();
}

}  // namespace

Status WriteStoreOfSites(const std::filesystem::path& path, std::uint64_t seed, core::JobId jobs) {
  Random random(SeedFor(78, seed));
  World world(random);
  EBB_ASSIGN_OR_RETURN(store::ServiceStore store, store::ServiceStore::Open(path));
  service::Publisher publisher;
  // Some jobs are settled before all of their starts are over, and once more after that.
  Time now = kBegin + hours{12};
  service::SettlementQueue queue(
      {.store = store,
       .publisher = publisher,
       .feed = world.published.front(),
       .now = [&] { return now; },
       .feeds =
           [&] {
             std::vector<runtime::SignalFeed*> feeds;
             for (Published& feed : world.published) feeds.push_back(&feed);
             return feeds;
           },
       .cluster = [&] { return world.cluster; },
       .checkpoint_bytes = [](core::JobId job) { return job * 10'000'000; },
       .longest_delay = hours{24},
       .on_settled = [](core::JobId, const std::vector<service::RanAt>&) {}});
  for (core::JobId job = 1; job <= jobs; ++job) {
    EBB_RETURN_IF_ERROR(AddJob(store, publisher, world, random));
    queue.Add(job);
  }
  for (const Time until : {kBegin + hours{12}, kBegin + hours{kHours}}) {
    now = until;
    while (queue.SettleSome()) {
    }
    EBB_RETURN_IF_ERROR(store.Commit());
  }
  return {};
}

}  // namespace ebb
