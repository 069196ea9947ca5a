#include "random_store.h"

#include "base/random.h"
#include "core/ledger/ledger.h"
#include "engine/random_life_for_test.h"
#include "service/accounting/settlement.h"
#include "store/engine_setup.h"
#include "store/service_store.h"

namespace ebb {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

core::IntensitySeries Published(Time from, Random& random) {
  std::vector<core::Sample> samples;
  const Time begin = std::chrono::floor<std::chrono::hours>(from);
  for (Time t = begin; t < begin + std::chrono::hours{8}; t += minutes{30})
    samples.push_back(
        {{t, t + minutes{30}},
         Intensity{random.Uniform(50, 500)},
         random.Uniform() < 0.3 ? core::SampleStatus::kEstimated : core::SampleStatus::kMeasured});
  return *core::IntensitySeries::Create({"Z", core::SignalKind::kAverage, {}, "test", {}},
                                        std::move(samples));
}

// Rows of a few minutes that begin some time after the submission.
std::vector<core::LedgerRow> Measured(Time submitted, const core::IntensitySeries& known,
                                      Random& random) {
  std::vector<core::LedgerRow> rows;
  const bool at_once = random.Uniform() < 0.3;
  const Time first = submitted + (at_once ? seconds{1} : seconds{random.Below(7200)});
  const auto count = static_cast<int>(5 + random.Below(40));
  for (int i = 0; i < count; ++i) {
    const Interval part{first + seconds{60 * i}, first + seconds{60 * (i + 1)}};
    for (const bool gpu : {false, true}) {
      const core::EnergyReading reading{
          gpu ? "gpu:GPU-0" : "cpu:package-0", gpu ? core::Component::kGpu : core::Component::kCpu,
          core::EnergySource::kCounter, part, Energy::Joules(random.Uniform(100, 9000))};
      for (core::LedgerRow& row : core::MakeRows(reading, part, 1, {1.2}, known))
        rows.push_back(std::move(row));
    }
  }
  return rows;
}

void Settle(store::ServiceStore& store, core::JobId job, Time submitted,
            const std::vector<core::LedgerRow>& rows, Random& random) {
  const core::IntensitySeries published = Published(submitted, random);
  const auto window = service::SettledOver(submitted, rows);
  const service::Settlement settlement =
      service::SettlementOf(submitted, rows, published.Slice(window));
  store.AddSettlement(job, window.end, published.Slice(window));
  store.AddFirstCome(
      {job, {}, 0, 1, {}, settlement.at_submission, settlement.emitted, settlement.half_width_g});
}

}  // namespace

Status WriteRandomStore(const std::filesystem::path& path, std::uint64_t seed) {
  Random random(SeedFor(77, seed));
  for (std::uint64_t life = 1; life <= 2; ++life) {
    store::StoreOptions options;
    options.snapshot_every = 25;
    EBB_ASSIGN_OR_RETURN(auto store, store::ServiceStore::Open(path, options));
    EBB_ASSIGN_OR_RETURN(auto recovered,
                         store.Recover(engine::MakeEngineForTest(kRandomStorePolicy)));
    Status failed;
    const auto keep = [&](const engine::JournalRecord& record) {
      const auto* event = std::get_if<engine::Event>(&record);
      const auto* submitted = event ? std::get_if<engine::JobSubmitted>(&event->fact) : nullptr;
      if (submitted) {
        core::Submission submission;
        submission.job = submitted->job;
        std::ignore = store.AddJob(submission);
        const Time at = submitted->job.submitted;
        const auto rows = Measured(at, Published(at, random), random);
        store.AddLedger({submitted->job.id, rows});
        if (random.Uniform() < 0.6) Settle(store, submitted->job.id, at, rows, random);
      }
      if (const Status kept = store.Append(record); !kept) failed = kept;
    };
    engine::RandomLife history(*recovered.engine, SeedFor(seed, life), keep);
    history.GoOnFromId(store.next_job_id());
    store::PutEngineSetup(store, {kRandomStorePolicy, {}});
    for (int step = 0; step < 25; ++step) history.Step();
    if (life == 1) EBB_RETURN_IF_ERROR(store.Snapshot());
    EBB_RETURN_IF_ERROR(store.Commit());
    EBB_RETURN_IF_ERROR(failed);
  }
  return {};
}

}  // namespace ebb
