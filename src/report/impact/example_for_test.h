#pragma once
// The runs of the examples in docs/report-impact.md. Two trainings of ten minutes with 1 kW of the
// CPU and 200 W of RAM, of which the second waited for 18 hours. Each uses 200 Wh, 240 Wh with a
// PUE of 1.2: at 400 and at 130 g/kWh that is 96 g and 31.2 g. The hardware took 1,200 kg to make,
// lasts 40,000 hours and is reserved by half: 2.5 g for each run.

#include "report/period/period.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/summary.h"

namespace ebb::report {

inline PeriodRun ExampleRun(const RunBuilder& builder) {
  PeriodRun run;
  run.run = builder.Build();
  core::RunSpec& spec = run.run.spec;
  spec.pue = {1.2};
  for (core::LedgerRow& row : run.run.ledger) row.pue = spec.pue;
  spec.embodied = core::Embodied{{1'200'000}, std::chrono::hours(40'000), 0.5};
  run.owner = {spec.run_id, "runs", spec.group, "ada", spec.signal.zone};
  run.at_submission = StartAtSubmission(run.run);
  run.is_final = true;
  return run;
}

inline std::vector<PeriodRun> ExampleRuns() {
  RunBuilder baseline;
  baseline.work.samples = 60'000;
  RunBuilder optimized = baseline;
  optimized.group = "optimized";
  optimized.policy = "threshold";
  optimized.waited = std::chrono::hours(18);
  return {ExampleRun(baseline), ExampleRun(optimized)};
}

/// `days` days from 1 May 2023 on, in UTC.
inline PeriodRequest ExampleRequest(int days = 2) {
  PeriodRequest request;
  for (int day = 0; day < days; ++day) {
    const Time begin = kMidnight + std::chrono::hours(24 * day);
    request.days.push_back(
        {FormatTime(begin).substr(0, 10), {begin, begin + std::chrono::hours(24)}});
  }
  request.boundary = core::Boundary::kLifecycle;
  request.from = "2023-05-01 00:00";
  request.to = FormatTime(request.period().end).substr(0, 10) + " 00:00";
  request.time_zone = "UTC";
  return request;
}

inline PeriodReport ReportOf(const PeriodRequest& request, const std::vector<PeriodRun>& runs) {
  PeriodAccount account(request);
  for (const PeriodRun& run : runs) account.Add({run});
  return account.Report();
}

inline PeriodReport ExampleReport() { return ReportOf(ExampleRequest(), ExampleRuns()); }

/// The example with a contract of 40 g/kWh.
inline PeriodReport ExampleWithContract() {
  PeriodRequest request = ExampleRequest();
  request.supplier = {{{40}, "US-CAL-CISO"}};
  return ReportOf(request, ExampleRuns());
}

}  // namespace ebb::report
