// ebb report period over run directories and a store, as a person uses it.
#include <map>

#include "cli_fixture.h"
#include "store/accounts/signal_records.h"
#include "store/device_history.h"
#include "store/service_store.h"

namespace ebb {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;

std::string Date(int days_from_today) {
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return FormatTime(Time{today + std::chrono::days{days_from_today}}).substr(0, 10);
}

class PeriodReport : public Cli {
 protected:
  void Run(const std::string& name, const std::string& grams) {
    const Outcome run =
        Ebb({"run", "--name", name, "--run-dir", "runs/" + name, "--policy", "now", "--constant",
             grams, "--cpu-tdp", "10", "--interval", "50ms", "--", "sleep", "0.3"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  Outcome Report(std::vector<std::string> more, int from = -2, int to = 2) {
    std::vector<std::string> words{"report", "period", "--from",      Date(from),
                                   "--to",   Date(to), "--time-zone", "UTC"};
    words.insert(words.end(), more.begin(), more.end());
    return Ebb(words);
  }
  Json ReportJson(std::vector<std::string> more, int from = -2, int to = 2) {
    more.insert(more.end(), {"--format", "json"});
    const Outcome outcome = Report(more, from, to);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(PeriodReport, SumsUpTheRunsOfAFolderAndCountsACopyOnce) {
  Run("a", "360");
  Run("b", "90");
  fs::create_directories(directory_ / "copies");
  fs::copy(directory_ / "runs/a", directory_ / "copies/a", fs::copy_options::recursive);
  double joules = 0, grams = 0;
  for (const char* name : {"runs/a", "runs/b"}) {
    joules += Summary(name)["energy"]["it_j"].get<double>();
    grams += Summary(name)["emissions_g"].get<double>();
  }
  for (const char* by : {"project", "user", "zone", "site", "run"}) {
    const Json report = ReportJson({"runs", "copies", "--by", by});
    EXPECT_EQ(report["schema"], "ebb.period/1");
    const Json& total = report["total"];
    EXPECT_EQ(total["runs"], 2);
    EXPECT_NEAR(total["energy_uj"].get<double>(), 1e6 * joules, 2);
    EXPECT_NEAR(total["location_based"]["ug"].get<double>(), 1e6 * grams, 5);
    EXPECT_EQ(total["saved_against_submission"]["saved_ug"], 0) << "both started at once";
    EXPECT_EQ(total["saved_against_submission"]["runs_compared"], 2);
    std::int64_t sum = 0;
    for (const Json& row : report["rows"]) sum += row["energy_uj"].get<std::int64_t>();
    EXPECT_EQ(sum, total["energy_uj"]);
  }
  const Json by_project = ReportJson({"runs", "--by", "project"});
  EXPECT_EQ(by_project["rows"].size(), 2U) << "a run's project is its group";
  EXPECT_EQ(ReportJson({"runs"}, -9, -5)["total"]["energy_uj"], 0) << "another period";
}

TEST_F(PeriodReport, WritesItsFilesAndABillBesideThem) {
  Run("a", "360");
  const std::string month = Date(0).substr(0, 7);
  Write("google.csv",
        "usage_month,billing_account_id,project.id,location.region,"
        "carbon_footprint_kgCO2e.scope2.location_based\n" +
            month + "-01,X,a,europe-west1,1.5\n");
  const Outcome outcome = Report(
      {"runs", "--supplier-factor", "40 g/kWh", "--billing", "google.csv", "--output-dir", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "Beside the bill")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "market-based")) << outcome.out;
  const Json report = Json::parse(Read(directory_ / "out/period.json"));
  const Json& total = report["total"];
  EXPECT_NEAR(total["market_based"]["ug"].get<double>(),
              total["location_based"]["ug"].get<double>() * 40 / 360, 1);
  EXPECT_EQ(report["billing"]["by_project"][0]["project"], "a");
  EXPECT_EQ(report["billing"]["by_project"][0]["theirs"]["comparable_g"], 1500);
  EXPECT_TRUE(Contains(Read(directory_ / "out/period.csv"), "\ntotal,,1,"));
  EXPECT_TRUE(Contains(Read(directory_ / "out/billing.csv"), "BE"));
  const std::string page = Read(directory_ / "out/period.html");
  EXPECT_TRUE(Contains(page, "Beside the bill") && Contains(page, "</html>"));
  EXPECT_FALSE(Contains(page, "<script")) << "a page without script";
}

TEST_F(PeriodReport, JobsOfAStoreAreThoseOfTheirUsersAndPrunedOnesStayInIt) {
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  {
    auto store = *store::ServiceStore::Open(directory_ / "ebb.db");
    for (int number = 0; number < 3; ++number) {
      core::Submission submission;
      submission.job.name = "job";
      submission.job.submitted = now - hours(4);
      if (number < 2) submission.environment = {{"EBB_USER", "ada"}, {"EBB_PROJECT", "vision"}};
      const core::JobId job = store.AddJob(submission)->id;
      core::LedgerRow row;
      row.device = "cpu:package-0";
      row.source = core::EnergySource::kCounter;
      row.energy = Energy::Joules(3'600'000);
      row.intensity = Intensity{100};
      row.wall = row.grid = {now - hours(3), now - hours(2)};
      store.AddLedger({job, {row}});
      ASSERT_TRUE(store.Commit());
      ASSERT_TRUE(store.database().Run(
          "UPDATE jobs SET stage = 'succeeded', first_start_ms = ?2, ended_ms = ?3 WHERE id = ?1",
          {job, (now - hours(3)).time_since_epoch().count(),
           (now - hours(2)).time_since_epoch().count()}));
      if (number > 0) continue;
      while (store.Prune(now, [](core::JobId) {})->job != 0) continue;
    }
  }
  const Json report = ReportJson({"ebb.db", "--by", "user"});
  EXPECT_EQ(report["total"]["energy_uj"], 3 * 3'600'000'000'000);
  EXPECT_EQ(report["total"]["coverage"]["of_pruned_jobs_uj"], 3'600'000'000'000);
  std::map<std::string, std::int64_t> runs;
  for (const Json& row : report["rows"])
    runs[row["name"].is_null() ? "" : row["name"].get<std::string>()] = row["runs"];
  EXPECT_EQ(runs, (std::map<std::string, std::int64_t>{{"ada", 2}, {"", 1}}));
  EXPECT_EQ(ReportJson({"ebb.db", "--by", "project"})["rows"].size(), 2U);
}

// The values of the service's own zone must not stand for those of another site.
TEST_F(PeriodReport, AJobThatMovedIsAccountedAtEachSiteByItsOwnZone) {
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const auto signal = [&](const std::string& zone, double value) {
    return *core::IntensitySeries::Create(
        {zone, core::SignalKind::kAverage, core::Boundary::kLifecycle, "test"},
        {{{now - hours(6), now}, {value}}});
  };
  {
    auto store = *store::ServiceStore::Open(directory_ / "ebb.db");
    core::Cluster cluster{{{"here", "DE", {1}}, {"norway", "NO-NO1", {1}}},
                          {{"cpu", 0, 1, 1, 1, {}}, {"cpu", 1, 1, 1, 1, {}}}};
    store::RememberPools(store, cluster);
    store.SetMeta(store::kHomeZone, "DE");
    store.AddSignal(signal("DE", 400));
    store.AddSignal(signal("NO-NO1", 20));
    core::Submission submission;
    submission.job.name = "job";
    submission.job.submitted = now - hours(5);
    const core::JobId job = store.AddJob(submission)->id;
    for (const int attempt : {1, 2}) {
      core::LedgerRow row;
      row.attempt = attempt;
      row.device = "cpu:package-0";
      row.source = core::EnergySource::kCounter;
      row.energy = Energy::Joules(3'600'000);
      row.intensity = Intensity{attempt == 1 ? 400.0 : 20.0};
      row.wall = row.grid = {now - hours(5 - attempt), now - hours(4 - attempt)};
      store.AddLedger({job, {row}});
    }
    ASSERT_TRUE(store.Commit());
    for (const int attempt : {1, 2})
      ASSERT_TRUE(
          store.database().Run("INSERT INTO attempts(job, attempt, pool, began_ms, ended_ms, phase)"
                               " VALUES(?, ?, ?, 0, 1000, 'paused')",
                               {job, std::int64_t{attempt}, std::int64_t{attempt - 1}}));
    ASSERT_TRUE(store.database().Run(
        "UPDATE jobs SET stage = 'succeeded', first_start_ms = ?2, ended_ms = ?3 WHERE id = ?1",
        {job, (now - hours(4)).time_since_epoch().count(),
         (now - hours(2)).time_since_epoch().count()}));
  }
  std::map<std::string, std::pair<std::int64_t, int>> sites;  // micrograms, runs
  const Json report = ReportJson({"ebb.db", "--by", "site"});
  for (const Json& row : report["rows"])
    sites[row["name"]] = {row["location_based"]["ug"], row["runs"]};
  EXPECT_EQ(sites, (std::map<std::string, std::pair<std::int64_t, int>>{
                       {"here", {400'000'000, 0}}, {"norway", {20'000'000, 1}}}));
  EXPECT_EQ(report["total"]["runs"], 1);
}

TEST_F(PeriodReport, OthersGetTheSameFiguresInTheirForms) {
  Run("a", "360");
  Run("b", "90");
  double grams = 0;
  for (const char* name : {"runs/a", "runs/b"}) grams += Summary(name)["emissions_g"].get<double>();
  const auto impact = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"report", "impact", "runs", "--as"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Ebb(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string card = impact({"model-card", "--output-dir", "out"});
  EXPECT_EQ(card, Read(directory_ / "out/model-card.md"));
  constexpr std::string_view kKey = "\n  emissions: ";
  const std::size_t key = card.find(kKey);
  ASSERT_NE(key, std::string::npos) << card;
  EXPECT_NEAR(std::stod(card.substr(key + kKey.size())), grams, 5e-6) << "as the summaries state";
  EXPECT_TRUE(Contains(impact({"paper-latex"}), "\\begin{tabular}"));
  EXPECT_TRUE(Contains(impact({"paper-markdown"}), "These 2 runs used"));
  EXPECT_TRUE(Contains(impact({"sci"}), "SCI = ((E x I) + M) per R"));
  EXPECT_TRUE(Contains(impact({"sci"}), "M: not every run states"));
  EXPECT_TRUE(Contains(impact({"ghg"}), "| market-based | not reported |"));
  EXPECT_FALSE(Contains(impact({"ghg", "--supplier-factor", "40"}), "not reported"));
  EXPECT_TRUE(Contains(impact({"csrd", "--by", "zone"}), "\nE1-6,E1-6_09,49 (a),"));
  EXPECT_TRUE(Contains(impact({"csrd", "--from", Date(-9), "--to", Date(-5)}),
                       ",total,,0.000000000000,MWh,"))
      << "another period";
}

TEST_F(PeriodReport, WrongUseIsExplained) {
  Run("a", "360");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const Outcome outcome = Ebb(words);
    EXPECT_NE(outcome.code, 0) << why;
    EXPECT_TRUE(Contains(outcome.err, why)) << outcome.err;
  };
  refused({"report", "period", "runs"}, "--from and --to");
  refused({"report", "period", "--from", "2026-10-32", "--to", "2026-11-01", "runs"}, "--from");
  refused({"report", "period", "--from", "2026-10-02", "--to", "2026-10-01", "runs"}, "--to");
  refused({"report", "period", "--from", "2026-10-01", "--to", "2026-10-02", "nosuch"}, "nosuch");
  refused({"report", "period", "--from", "2026-10-01", "--to", "2026-10-02", "--time-zone",
           "Europe/Berln", "runs"},
          "Europe/Berlin");
  refused({"report", "period", "--from", "2026-10-01", "--to", "2026-10-02", "--supplier-factor",
           "green", "runs"},
          "emission factor");
  Write("bill.csv", "a,b\n1,2\n");
  refused({"report", "period", "--from", "2026-10-01", "--to", "2026-10-02", "runs", "--billing",
           "bill.csv"},
          "bill.csv");
  refused({"report", "merge", "--from", "2026-10-01", "runs/a"}, "--from is for period");
  refused({"report", "impact", "runs"}, "--as model-card|");
  refused({"report", "impact", "--as", "tcfd", "runs"}, "--as");
  refused({"report", "impact", "--as", "sci", "--functional-unit", "user", "runs"},
          "--functional-unit");
  refused({"report", "impact", "--as", "sci"}, "nothing is named");
  refused({"report", "impact", "--as", "sci", "nosuch"}, "nosuch");
  refused({"report", "impact", "--as", "sci", "--slurm", "sacct", "runs"}, "ebb report period");
  refused({"report", "impact", "--as", "sci", "--format", "json", "runs"}, "--as names the form");
  refused({"report", "merge", "--as", "sci", "runs/a"}, "--as is for impact");
}

}  // namespace
}  // namespace ebb
