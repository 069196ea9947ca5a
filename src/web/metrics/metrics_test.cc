#include "web/metrics/metrics.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "service/views/publisher.h"
#include "testing/builders.h"
#include "testing/golden.h"

namespace ebb::web {
namespace {

using engine::Stage;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kNow = *ParseTime("2026-03-01T12:00Z");
constexpr std::chrono::steady_clock::time_point kSteady{seconds{1000}};

service::JobCard CardOf(core::JobId id, const std::string& name, Stage stage) {
  core::Submission submission;
  submission.job = testing::AJob(id);
  submission.job.name = name;
  service::JobCard card;
  card.submission = std::make_shared<const core::Submission>(std::move(submission));
  card.explanation.job = id;
  card.explanation.stage = stage;
  card.explanation.pool = 0;
  return card;
}

local::SupervisedFigures Running(core::JobId id, double power_w) {
  local::SupervisedFigures program;
  program.job = id;
  program.pool = 0;
  program.slots = {static_cast<int>(id) - 1};
  program.figures.power = {power_w};
  return program;
}

service::SiteSignalView SignalOf(core::SampleStatus status, Time observed) {
  core::SignalView view;
  view.now = observed;
  view.known = *core::IntensitySeries::Create(
      {"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle, "test"},
      {{{kNow - minutes{90}, kNow - minutes{30}}, {300}, core::SampleStatus::kMeasured},
       {{kNow - minutes{30}, kNow + minutes{30}}, {212.5}, status}});
  return {std::make_shared<const core::SignalView>(std::move(view)), ""};
}

// A view with at least one of everything.
service::View Whole() {
  service::View view;
  view.now = kNow;
  view.cluster = {{{"here", "DE", Pue{1.25}}}, {{"cpu", 0, 4, 1, 1, Power{0}}}};
  view.signals = {SignalOf(core::SampleStatus::kMeasured, kNow - seconds{90})};
  service::JobCard running = CardOf(1, "a \"b\"\\\n", Stage::kRunning);
  running.energy = Energy::Joules(3600);
  running.emissions = Emissions{0.25};
  auto limited = *running.submission;
  limited.budget.energy = Energy::Joules(9000);
  running.submission = std::make_shared<const core::Submission>(limited);
  running.gpu_energy = Energy::Joules(1800);
  running.work.tokens = 36'000;
  view.jobs.Put(running);
  view.jobs.Put(CardOf(2, "later", Stage::kWaiting));
  service::JobCard ended = CardOf(3, "done", Stage::kSucceeded);
  ended.ended = kNow - minutes{14};
  ended.energy = Energy::Joules(7.2e6);
  ended.stretches = {{kNow - minutes{74}, kNow - minutes{14}}};
  ended.emissions = Emissions{500};
  ended.energy_without_intensity = Energy::Joules(1);
  ended.work.samples = 1000;
  ended.work.steps = 50;
  ended.emissions_at_submission = Emissions{450};
  view.jobs.Put(ended);
  service::JobCard old = CardOf(4, "old", Stage::kFailed);
  old.ended = kNow - minutes{15};
  view.jobs.Put(old);
  view.running = {Running(1, 42.5)};
  service::Counters& counters = view.counters;
  counters.submitted = 4;
  counters.refused = 1;
  counters.starts = {{core::GateRule::kRunNow, 2}, {core::GateRule::kLatestStart, 1}};
  counters.pauses = 1;
  counters.succeeded = 1;
  counters.failed = 1;
  counters.carbon_delays = 3;
  counters.decisions = 9;
  counters.planning.Add(std::chrono::microseconds{2500});
  counters.store_writes.Add(std::chrono::microseconds{700});
  counters.energy = {Energy::Joules(7e6), Energy::Joules(0), Energy::Joules(203600)};
  counters.energy_without_intensity = Energy::Joules(100);
  counters.emissions = {500.25};
  for (const char* tier : {"", "default", "2"}) {
    core::BudgetEvent reached;
    reached.action = core::BudgetAction::kPause;
    counters.AddBudgetReached(reached, tier);
    reached.measure = core::BudgetMeasure::kEmissions;
    counters.AddBudgetReached(reached, tier);
  }
  counters.compared = 1;
  counters.compared_emissions = {500};
  counters.compared_at_submission = {450};
  counters.last_look = kSteady - seconds{2};
  return view;
}

std::string Text(const service::View& view, Time now = kNow, MetricsOptions options = {"1.2.3"}) {
  return MetricsText(view, HealthOf(view, now, kSteady, {}), now, options, {7, 2, 1, 3, 4});
}
std::string Compatible(const service::View& view, Time now = kNow) {
  return CompatibleMetricsText(view, HealthOf(view, now, kSteady, {}), now, {"1.2.3"});
}

std::set<std::string> SeriesOf(const std::string& text) {
  std::set<std::string> series;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') series.insert(line.substr(0, line.rfind(' ')));
  return series;
}

TEST(Metrics, AScrapeIsAsItWas) {
  ExpectGoldenFile("web/testdata/metrics.txt", Text(Whole()));
  ExpectGoldenFile("web/testdata/metrics_compatible.txt", Compatible(Whole()));
}

TEST(Metrics, EverySeriesIsThereOnce) {
  for (const std::string& text : {Text(Whole()), Compatible(Whole())}) {
    std::size_t lines = 0;
    std::set<std::string> named;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("# TYPE ")) {
        EXPECT_TRUE(named.insert(line).second) << line;
      }
      lines += line[0] != '#';
    }
    EXPECT_EQ(SeriesOf(text).size(), lines);
  }
}

TEST(Metrics, ASignalThatIsLostGrowsOldAndThenHasNoValue) {
  service::View view = Whole();
  view.signals = {SignalOf(core::SampleStatus::kForecast, kNow)};
  view.signals[0].lost = "timeout";
  std::string text = Text(view);
  EXPECT_NE(text.find("ebb_signal_state{zone=\"DE\",state=\"forecast\"} 1"), std::string::npos);
  EXPECT_NE(text.find("ebb_signal_value_age_seconds{zone=\"DE\"} 1800"), std::string::npos) << text;
  EXPECT_NE(text.find("ebb_signal_lost{zone=\"DE\"} 1"), std::string::npos);
  EXPECT_NE(text.find("ebb_degraded{part=\"signal\"} 1"), std::string::npos);
  EXPECT_NE(text.find("ebb_ready 1"), std::string::npos) << "a forecast stands in";
  text = Text(view, kNow + minutes{40});
  EXPECT_NE(text.find("state=\"missing\"} 1"), std::string::npos);
  EXPECT_NE(text.find("ebb_ready 0"), std::string::npos);
  EXPECT_EQ(text.find("ebb_carbon_intensity_grams_per_kwh{"), std::string::npos)
      << "unknown is not a number";
}

TEST(Metrics, TroubleAndAnExecutorThatCannotStart) {
  service::View view = Whole();
  EXPECT_TRUE(HealthOf(view, kNow, kSteady, {}).Ready());
  view.trouble = "disk full";
  EXPECT_FALSE(HealthOf(view, kNow, kSteady, {}).Ready());
  EXPECT_NE(Text(view).find("ebb_degraded{part=\"store\"} 1"), std::string::npos);
  view = Whole();
  view.counters.failed_starts_in_a_row = 1;
  EXPECT_TRUE(HealthOf(view, kNow, kSteady, {}).Ready()) << "it is tried again";
  EXPECT_NE(Text(view).find("ebb_degraded{part=\"executor\"} 1"), std::string::npos);
  view.counters.failed_starts_in_a_row = 3;
  EXPECT_FALSE(HealthOf(view, kNow, kSteady, {}).Ready());
  view = Whole();
  EXPECT_FALSE(HealthOf(view, kNow, kSteady + minutes{600}, {}).hangs) << "it waits, however long";
  EXPECT_FALSE(HealthOf(view, kNow, kSteady, seconds{9}).hangs) << "the disk is slow";
  const Health hangs = HealthOf(view, kNow, kSteady, seconds{11}, "reading the files of job 4");
  EXPECT_TRUE(hangs.hangs);
  EXPECT_FALSE(hangs.Ready());
  EXPECT_NE(
      HealthToJson(hangs).find("\"busy_s\":11.0,\"busy_with\":\"reading the files of job 4\""),
      std::string::npos)
      << HealthToJson(hangs);
  EXPECT_EQ(HealthToJson(HealthOf(view, kNow, kSteady, seconds{9}, "writing the store"))
                .find("busy_with"),
            std::string::npos);
}

// 10,000 jobs come and go. The number of series stays below a bound, each job has its series while
// it runs, and no series remain of jobs that are gone.
TEST(Metrics, TheNumberOfSeriesHasABound) {
  const std::set<std::string> none = SeriesOf(Text(service::View{}));
  MetricsOptions options{"1.2.3"};
  options.most_jobs = 50;
  service::Publisher publisher;
  std::size_t most = 0;
  constexpr core::JobId kJobs = 10'000;
  for (core::JobId id = 1; id <= kJobs; ++id) {
    const Time now = kNow + seconds{id};
    service::JobCard card = CardOf(id, "name-" + std::to_string(id), Stage::kSucceeded);
    card.ended = now;
    publisher.AddEnded(card);
    publisher.ForgetEnded(2000, [](const service::JobCard&) {});
    publisher.AddJob(CardOf(id + 1, "name-" + std::to_string(id + 1), Stage::kRunning));
    publisher.SetRunning({Running(id + 1, 1)});
    publisher.Publish(now);
    if (id % 500 != 0) continue;
    const std::string text = Text(*publisher.Latest(), now, options);
    most = std::max(most, SeriesOf(text).size());
    EXPECT_NE(text.find("ebb_job_power_watts{job_id=\"" + std::to_string(id + 1) + "\""),
              std::string::npos);
    EXPECT_NE(text.find("ebb_job_series_left_out"), std::string::npos);
    // The jobs that ended within 15 minutes and the running one are eligible; 50 of them are shown.
    const auto eligible = std::min<core::JobId>(id, 15 * 60) + 1;
    EXPECT_NE(text.find("\nebb_job_series_left_out " + std::to_string(eligible - 50)),
              std::string::npos)
        << id;
  }
  EXPECT_LE(most, none.size() + 50 * 5);
  publisher.SetRunning({});
  publisher.Publish(kNow);
  const auto after =
      SeriesOf(Text(*publisher.Latest(), kNow + seconds{kJobs} + minutes{20}, options));
  EXPECT_EQ(after, none);
}

}  // namespace
}  // namespace ebb::web
