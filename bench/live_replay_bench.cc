// Compares a week of runs in virtual time, on live sources that publish late, estimate first,
// revise, skip and change their steps, with the same runs on a replay of the final values. After
// settling, grams, savings and the best start in hindsight must be equal.
//
//   live_replay_bench TRACE.csv FIRST_DAY
//
// The sources are stand-ins with the habits of real ones; everything behind them is the code of a
// run: the live signal, the gate, the accountant, settling. The exit code is 1 if a microgram
// differs, or if a run that started at once and did not pause saved something.
#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>

#include "base/random.h"
#include "core/ledger/counterfactual.h"
#include "core/run/accounting.h"
#include "plan/gate_policy.h"
#include "runtime/accountant.h"
#include "signals/feeds/live_signal.h"
#include "signals/feeds/replay_feed.h"
#include "testing/fake_clock.h"

namespace ebb {
namespace {

using core::Sample;
using core::SampleStatus;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Pue kPue{1.2};
constexpr double kMicrogram = 1e-6;
constexpr int kRuns = 150;

// The publishing habits of a source.
struct Habits {
  const char* name;
  Duration step, step_later;  // length of a step; the second from the middle of the week on
  // Delay after the interval's begin, and the largest further delay.
  Duration first_after, late_until;
  double first_error, second_error;  // relative errors of the values before the final ones
  Duration second_after, final_after;
  bool forecasts_running = false;  // true: there is a forecast that covers the running interval
  double skipped = 0;              // share of the intervals that only the final values have
};

const Habits kSources[] = {
    {"half hours, a forecast now", minutes{30}, minutes{30}, minutes{30}, minutes{9}, 0.08, 0.03,
     hours{2}, hours{26}, true},
    {"hours, estimated at once", hours{1}, hours{1}, seconds{0}, minutes{12}, 0.15, 0.05, hours{2},
     hours{24}},
    {"five minutes, late", minutes{5}, minutes{5}, minutes{1}, minutes{4}, 0.05, 0, hours{1},
     days{3}},
    {"hours, two hours late", hours{1}, hours{1}, hours{2}, minutes{30}, 0.04, 0, hours{6},
     days{2}},
    {"skips one of eight", minutes{30}, minutes{30}, minutes{30}, minutes{5}, 0.1, 0.02, hours{3},
     days{5}, false, 0.125},
    {"hours, then quarters", hours{1}, minutes{15}, seconds{0}, minutes{2}, 0.1, 0, hours{1},
     days{1}},
};

// The final values of a source: the values of the trace, on the source's steps.
core::IntensitySeries FinalValues(const core::IntensitySeries& trace, const Habits& habits,
                                  Interval span) {
  std::vector<Sample> samples;
  const Time middle = span.begin + span.length() / 2;
  for (Time at = span.begin; at < span.end;) {
    const Duration step = at < middle ? habits.step : habits.step_later;
    if (const auto mean = trace.Mean({at, at + step}); mean && mean->coverage == 1)
      samples.push_back({{at, at + step}, mean->intensity, SampleStatus::kMeasured});
    at += step;
  }
  return *core::IntensitySeries::Create(
      {"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle, habits.name}, samples);
}

class StandIn final : public signals::Provider {
 public:
  StandIn(const Habits& habits, const core::IntensitySeries& values)
      : habits_(habits), values_(values), identity_(values.identity()) {
    Random random(7);
    for (std::size_t i = 0; i < values.samples().size(); ++i)
      details_.push_back({Duration{static_cast<std::int64_t>(
                              random.Below(static_cast<std::uint64_t>(habits.late_until.count())))},
                          random.Uniform(-1, 1), random.Uniform(-1, 1),
                          random.Uniform(0, 1) < habits.skipped});
  }
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<signals::Reading> Read(const signals::Question& question) override {
    signals::Reading reading;
    for (std::size_t i = 0; i < details_.size(); ++i) {
      const Sample& final_value = values_.samples()[i];
      if (final_value.interval.end <= question.known_until) continue;
      const auto published = PublishedAt(i, question.now);
      if (published && final_value.interval.begin <= question.now)
        reading.known.push_back(*published);
      else if (habits_.forecasts_running && question.wants_forecast &&
               final_value.interval.end > question.now)
        reading.forecast.push_back({final_value.interval, Off(final_value, details_[i].first, 0.1),
                                    SampleStatus::kForecast});
    }
    if (reading.forecast.size() > 96) reading.forecast.resize(96);
    return reading;
  }

 private:
  struct Details {
    Duration late{};
    double first = 0, second = 0;
    bool skipped = false;
  };
  static Intensity Off(const Sample& sample, double error, double size) {
    return {sample.intensity.g_per_kwh * (1 + size * error)};
  }
  std::optional<Sample> PublishedAt(std::size_t i, Time now) const {
    const Sample& sample = values_.samples()[i];
    const Details& details = details_[i];
    const Time begin = sample.interval.begin;
    if (now >= begin + habits_.final_after) return sample;
    if (details.skipped || now < begin + habits_.first_after + details.late) return std::nullopt;
    const bool second = now >= begin + habits_.second_after;
    return Sample{sample.interval,
                  second ? Off(sample, details.second, habits_.second_error)
                         : Off(sample, details.first, habits_.first_error),
                  SampleStatus::kEstimated};
  }

  const Habits& habits_;
  const core::IntensitySeries& values_;
  const core::SignalIdentity identity_;
  const std::string name_ = "stand-in";
  std::vector<Details> details_;
};

// The live signal without a thread.
class SteppedFeed final : public runtime::SignalFeed {
 public:
  /// `values` sets the times of change, so that rows are cut at the same times as in the replay.
  /// The joules of a row are spread evenly over it, so with other cuts a baseline would differ by
  /// 10 ppm.
  SteppedFeed(std::unique_ptr<signals::Provider> provider, const core::IntensitySeries& values)
      : signal_(std::move(provider), {}), values_(values) {}
  const core::SignalIdentity& identity() const override { return snapshot_->identity; }
  void Step(Time now) {
    if (now >= signal_.next_question() || !snapshot_->asked_at) snapshot_ = signal_.Refresh(now);
  }
  Result<core::SignalView> Observe(Time now, Duration) override {
    return signals::ViewAt(*snapshot_, now, {});
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return signals::BelievedOver(*snapshot_, interval, {});
  }
  Result<core::IntensitySeries> Settled(Interval interval) override {
    return signals::SettledOver(*snapshot_, interval);
  }
  Time NextChange(Time now) const override {
    const Sample* current = values_.At(now);
    return current ? current->interval.end : Time::max();
  }

 private:
  signals::LiveSignal signal_;
  const core::IntensitySeries& values_;
  std::shared_ptr<const signals::LiveSnapshot> snapshot_ =
      std::make_shared<signals::LiveSnapshot>();
};

struct Run {
  Time submitted{}, start_by{};
  bool waits = false;
  Duration work{}, pause_after{}, pause_for{};  // pause_for 0: no pause
  std::optional<Time> started;
  std::vector<core::EnergyReading> readings;
  std::vector<core::LedgerRow> rows;  // in the order in which they were closed
  std::unique_ptr<runtime::Accountant> accountant;
  bool ended = false;
};

std::vector<Run> MakeRuns(Interval week) {
  Random random(11);
  std::vector<Run> runs(kRuns);
  for (Run& run : runs) {
    const auto until_start = static_cast<std::uint64_t>(week.length().count()) * 3 / 4;
    run.submitted = week.begin + Duration{static_cast<std::int64_t>(random.Below(until_start))};
    run.start_by = run.submitted + hours{24};
    run.waits = random.Below(2) == 0;
    run.work = minutes{5} + Duration{static_cast<std::int64_t>(random.Below(8 * 3'600'000))};
    if (random.Below(4) > 0) continue;
    run.pause_after = run.work / 2;
    run.pause_for = minutes{20} + minutes{random.Below(300)};
  }
  return runs;
}

// One sample of a run, up to a minute long, with random boundaries.
void Measure(Run& run, Time now, Random& random) {
  const Time began = *run.started;
  const Time paused = run.pause_for > Duration{} ? began + run.pause_after : Time::max();
  const Time ends = began + run.work + run.pause_for;
  const Time since = run.readings.empty() ? began : run.readings.back().wall.end;
  const bool in_pause = since >= paused && now < paused + run.pause_for;
  if (in_pause) return;
  Time from = since;
  if (from >= paused && from < paused + run.pause_for) from = paused + run.pause_for;
  Time until = std::min(now, ends);
  if (from < paused) until = std::min(until, paused);
  if (until > from) {
    run.readings.push_back({"gpu:GPU-1",
                            core::Component::kGpu,
                            core::EnergySource::kCounter,
                            {from, until},
                            Energy::Joules(random.Uniform(50, 400) * Seconds(until - from))});
    for (core::LedgerRow& row : run.accountant->Add({&run.readings.back(), 1}))
      run.rows.push_back(std::move(row));
  }
  run.ended = until >= ends;
}

struct Figures {
  double grams = 0;
  std::optional<double> saving, best;
};

Figures FiguresOf(const Run& run, const std::vector<core::LedgerRow>& rows,
                  const core::IntensitySeries& version) {
  const core::IntensitySeries signal = core::AccountingSignal(version, rows);
  const auto revalued = core::Revalued(rows, signal);
  Figures figures;
  figures.grams = core::Total(revalued).emissions.grams;
  const auto at_submission =
      core::RunAt(revalued, run.waits ? run.submitted : *run.started, signal);
  if (at_submission.energy_without_intensity == Energy{})
    figures.saving = at_submission.emissions.grams - figures.grams;
  if (const auto best =
          core::BestStart(revalued, {run.submitted, run.start_by}, minutes{1}, signal))
    figures.best = best->emissions.grams;
  return figures;
}

double Off(std::optional<double> a, std::optional<double> b) {
  if (a.has_value() != b.has_value()) return INFINITY;
  return a ? std::abs(*a - *b) : 0;
}

// The differences between one source and a replay of its final values.
struct Difference {
  int waited = 0, at_once = 0, broken_law = 0;
  double grams = 0, first_grams = 0, off_first = 0, off_grams = 0, off_saving = 0, off_best = 0;
};

void Live(const Habits& habits, const core::IntensitySeries& values, Interval week,
          std::vector<Run>& runs) {
  SteppedFeed feed(std::make_unique<StandIn>(habits, values), values);
  testing::FakeClock wall(week.begin);
  const runtime::GridClock clock(wall, {});
  const auto policy = plan::MakeThreshold(values.Mean(week)->intensity);
  Random random(3);
  for (Time now = week.begin; now < week.end; now += seconds{37}) {
    wall.Advance(seconds{37});
    feed.Step(now);
    const auto view = feed.Observe(now, hours{48});
    for (Run& run : runs) {
      if (run.ended || now < run.submitted) continue;
      if (!run.started) {
        const plan::GateRequest request{run.submitted, run.start_by, run.work};
        core::SignalView seen = view ? *view : core::SignalView{};
        seen.now = now;
        if (run.waits &&
            policy->Decide(request, {seen, now + minutes{1}}).action != core::GateAction::kStart)
          continue;
        run.started = now;
        run.accountant = std::make_unique<runtime::Accountant>(feed, clock, 1, kPue);
      }
      Measure(run, now, random);
      if (run.ended)
        for (core::LedgerRow& row : run.accountant->Flush()) run.rows.push_back(std::move(row));
    }
  }
}

std::vector<core::LedgerRow> Replayed(const Run& run, signals::ReplayFeed& feed) {
  testing::FakeClock wall(run.submitted);
  const runtime::GridClock clock(wall, {});
  runtime::Accountant accountant(feed, clock, 1, kPue);
  std::vector<core::LedgerRow> rows = accountant.Add(run.readings);
  for (core::LedgerRow& row : accountant.Flush()) rows.push_back(std::move(row));
  return rows;
}

Difference Compare(const Habits& habits, const core::IntensitySeries& values, Interval week) {
  std::vector<Run> runs = MakeRuns(week);
  Live(habits, values, week, runs);
  // The source is read anew when the last run is more than a week old, as `ebb report settle` does.
  SteppedFeed later(std::make_unique<StandIn>(habits, values), values);
  later.Step(week.end + core::kRevisedFor + hours{1});
  signals::Trace trace;
  trace.series = values;
  const auto replay = signals::ReplayFeed::Create(std::move(trace), {});
  Difference difference;
  for (const Run& run : runs) {
    if (!run.ended) continue;
    const Interval around{run.submitted, run.start_by + run.work + run.pause_for + hours{1}};
    const Figures settled = FiguresOf(run, run.rows, *later.Settled(around));
    const Figures truth = FiguresOf(run, Replayed(run, **replay), values);
    ++(run.waits ? difference.waited : difference.at_once);
    if (!run.waits && run.pause_for == Duration{} && settled.saving != 0.0) ++difference.broken_law;
    const double first = core::Total(run.rows).emissions.grams;
    difference.grams += truth.grams;
    difference.off_first =
        std::max(difference.off_first, std::abs(first - truth.grams) / truth.grams);
    difference.off_grams = std::max(difference.off_grams, std::abs(settled.grams - truth.grams));
    difference.off_saving = std::max(difference.off_saving, Off(settled.saving, truth.saving));
    difference.off_best = std::max(difference.off_best, Off(settled.best, truth.best));
  }
  return difference;
}

}  // namespace

int Main(const std::string& file, const std::string& first_day) {
  const auto trace = signals::LoadTrace(file, {});
  const auto begin = ParseTime(first_day);
  if (!trace || !begin) {
    std::fprintf(stderr, "live_replay_bench: %s\n",
                 trace ? "the day is none" : trace.error().Message().c_str());
    return 2;
  }
  const Interval week{*begin, *begin + days{7}};
  std::printf("%-27s %7s %7s %9s %16s %12s %12s %12s %8s\n", "source", "at once", "waited", "grams",
              "unsettled, worst", "grams off", "saving off", "best off", "law");
  bool fine = true;
  for (const Habits& habits : kSources) {
    const auto values =
        FinalValues(trace->series, habits, {week.begin - days{3}, week.end + days{3}});
    const Difference d = Compare(habits, values, week);
    std::printf("%-27s %7d %7d %9.1f %14.2f %% %10.2g g %10.2g g %10.2g g %8d\n", habits.name,
                d.at_once, d.waited, d.grams, 100 * d.off_first, d.off_grams, d.off_saving,
                d.off_best, d.broken_law);
    fine = fine && d.at_once > 20 && d.waited > 20 && d.broken_law == 0 &&
           d.off_grams < kMicrogram && d.off_saving < kMicrogram && d.off_best < kMicrogram;
  }
  std::puts(fine ? "equal to the microgram once settled" : "WRONG");
  return fine ? 0 : 1;
}

}  // namespace ebb

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: live_replay_bench TRACE.csv FIRST_DAY\n", stderr);
    return 2;
  }
  return ebb::Main(argv[1], argv[2]);
}
