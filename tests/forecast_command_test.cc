// ebb forecast as a user runs it: on traces, with and without weather, and with wrong inputs.

#include "cli_fixture.h"

#include "base/time.h"

namespace ebb {
namespace {

// 120 days from 2023-01-01 on.
std::string HourlyTrace() {
  const Time first = *ParseTime("2023-01-01T00:00Z");
  std::string rows = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < 24 * 120; ++hour)
    rows += FormatTime(first + std::chrono::hours{hour}) + "," +
            std::to_string(200 + 10 * (hour % 24) + hour * 37 % 11) + "\n";
  return rows;
}

// One run of the weather model on each of these days.
std::string WeatherRuns() {
  const Time first = *ParseTime("2023-01-01T00:00Z");
  std::string rows = "issued,lead_h,wind_10m_mps,temperature_2m_k,shortwave_w_m2\n";
  for (int day = 0; day < 120; ++day)
    for (int lead = 0; lead <= 96; lead += 3)
      rows += FormatTime(first + std::chrono::days{day}) + "," + std::to_string(lead) + "," +
              std::to_string(2 + (24 * day + lead) * 7 % 13) + ",280,100\n";
  return rows;
}

// Intensity that swings by 40 g/kWh from day to day without a pattern, and prices that show it.
int SwingOf(int day) { return day * day * 31 % 17 % 5 - 2; }
std::string SwingingTrace() {
  const Time first = *ParseTime("2023-01-01T00:00Z");
  std::string rows = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < 24 * 150; ++hour)
    rows += FormatTime(first + std::chrono::hours{hour}) + "," +
            std::to_string(300 + 5 * (hour % 24) + 40 * SwingOf(hour / 24)) + "\n";
  return rows;
}
std::string Prices() {
  const Time first = *ParseTime("2023-01-01T00:00Z");
  std::string rows = "timestamp,price_eur_per_mwh\n";
  for (int hour = 0; hour < 24 * 152; ++hour)
    rows += FormatTime(first + std::chrono::hours{hour}) + "," +
            std::to_string(50 + 20 * SwingOf(hour / 24)) + "\n";
  return rows;
}

// The operator's forecast of wind, which is low when intensity is high.
std::string Operators() {
  const Time first = *ParseTime("2023-01-01T00:00Z");
  std::string rows = "timestamp,load_mw,wind_mw,solar_mw\n";
  for (int hour = 0; hour < 24 * 152; ++hour)
    rows += FormatTime(first + std::chrono::hours{hour}) + ",50000," +
            std::to_string(20'000 - 5000 * SwingOf(hour / 24)) + ",1000\n";
  return rows;
}

class ForecastCommand : public Cli {};

TEST_F(ForecastCommand, PricesOfAMarketSayWhatIsExpectedOfItsHours) {
  Write("z.csv", SwingingTrace());
  Write("p.csv", Prices());
  const auto ask = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"forecast", "--trace", "z.csv", "--prices", "p.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return Ebb(words);
  };
  const Outcome with = ask({"--at", "2023-05-20T18:00Z"});
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_TRUE(Contains(with.out, "regression on the zone's own past and prices")) << with.out;
  const Outcome backtest = ask({"--backtest", "--from", "2023-04-15", "--format", "json"});
  ASSERT_EQ(backtest.code, 0) << backtest.err;
  const auto methods = nlohmann::json::parse(backtest.out).at("traces").at(0).at("methods");
  ASSERT_EQ(methods.size(), 4u);
  EXPECT_EQ(methods.at(3).at("method"), "with prices");
  EXPECT_LT(methods.at(3).at("day_ahead").at("mae_g_per_kwh").get<double>(),
            0.7 * methods.at(2).at("day_ahead").at("mae_g_per_kwh").get<double>());
  const Outcome score = ask({"--score", "--format", "json"});
  ASSERT_EQ(score.code, 0) << score.err;
  const auto scored = nlohmann::json::parse(score.out);
  EXPECT_TRUE(scored.at("uses_drivers").get<bool>());
  EXPECT_LT(scored.at("drivers_or_past").at("drivers_mae_g_per_kwh").get<double>(),
            scored.at("drivers_or_past").at("past_mae_g_per_kwh").get<double>());
  const Outcome text = ask({"--score"});
  EXPECT_TRUE(Contains(text.out, "used: ours, from the own past and prices")) << text.out;
  EXPECT_EQ(ask({"--method", "persistence"}).code, 2);
  EXPECT_EQ(Ebb({"forecast", "--zone", "DE", "--prices", "p.csv"}).code, 2);
  Write("tariff.yaml", "flatRate: 0.3\n");
  const Outcome tariff = Ebb({"forecast", "--trace", "z.csv", "--prices", "tariff.yaml"});
  EXPECT_EQ(tariff.code, 3) << tariff.out;
  EXPECT_TRUE(Contains(tariff.err, "give the prices of a market")) << tariff.err;
}

TEST_F(ForecastCommand, ASimulatedSiteForecastsWithItsPricesWhileTheyDoBetter) {
  Write("z.csv", SwingingTrace());
  Write("p.csv", Prices());
  Write("tariff.yaml", "flatRate: 0.3\n");
  const auto method_with = [&](const std::string& prices) {
    Write("s.yaml", "sites: [{trace: z.csv, prices: " + prices +
                        "}]\ndevices: [{model: A}]\n"
                        "jobs: [{duration: 1h, power_w: 100, max_delay: 24h}]\n"
                        "policies: [planner]\nstart_dates: [2023-05-20T18:00Z]\n");
    const Outcome simulated = Ebb({"simulate", "s.yaml", "--format", "json"});
    EXPECT_EQ(simulated.code, 0) << simulated.err;
    return simulated.out;
  };
  EXPECT_TRUE(Contains(method_with("p.csv"), "the zone's own past and prices"));
  EXPECT_FALSE(Contains(method_with("tariff.yaml"), "own past and prices"));
}

TEST_F(ForecastCommand, WhatOperatorsExpectLowersTheErrorOfTomorrow) {
  Write("z.csv", SwingingTrace());
  Write("o.csv", Operators());
  const Outcome backtest = Ebb({"forecast", "--trace", "z.csv", "--operators", "o.csv",
                                "--backtest", "--from", "2023-04-15", "--format", "json"});
  ASSERT_EQ(backtest.code, 0) << backtest.err;
  const auto methods = nlohmann::json::parse(backtest.out).at("traces").at(0).at("methods");
  EXPECT_EQ(methods.at(3).at("method"), "with expected load, wind and sun");
  EXPECT_LT(methods.at(3).at("day_ahead").at("mae_g_per_kwh").get<double>(),
            0.7 * methods.at(2).at("day_ahead").at("mae_g_per_kwh").get<double>());
  EXPECT_EQ(Ebb({"forecast", "--zone", "DE", "--operators", "o.csv"}).code, 2);
  Write("bad.csv", "timestamp,load_mw\n");
  const Outcome bad = Ebb({"forecast", "--trace", "z.csv", "--operators", "bad.csv"});
  EXPECT_EQ(bad.code, 3) << bad.err;
  EXPECT_TRUE(Contains(bad.err, "bad.csv:1: has no column \"wind_mw\"")) << bad.err;
}

TEST_F(ForecastCommand, ASimulatedSiteForecastsWithWhatItsOperatorsExpect) {
  Write("z.csv", SwingingTrace());
  Write("o.csv", Operators());
  Write("p.csv", Prices());
  const auto simulate = [&](const std::string& site) {
    Write("s.yaml", "sites: [{" + site +
                        ", operators: o.csv}]\ndevices: [{model: A}]\n"
                        "jobs: [{duration: 1h, power_w: 100, max_delay: 24h}]\n"
                        "policies: [planner]\nstart_dates: [2023-05-20T18:00Z]\n");
    return Ebb({"simulate", "s.yaml", "--format", "json"});
  };
  const Outcome one = simulate("trace: z.csv");
  EXPECT_TRUE(Contains(one.out, "own past and expected load, wind and sun")) << one.out << one.err;
  const Outcome both = simulate("trace: z.csv, prices: p.csv");
  EXPECT_TRUE(Contains(both.out, "own past and prices, expected load, wind and sun")) << both.err;
  const Outcome none = simulate("profile: DE");
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(Contains(none.err, "operators is for traces only")) << none.err;
}

TEST_F(ForecastCommand, AForecastWithWeatherSaysWhichRunItIsFrom) {
  Write("z.csv", HourlyTrace());
  Write("w.csv", WeatherRuns());
  const auto ask = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"forecast", "--trace", "z.csv", "--at", "2023-04-25T12:00Z"};
    words.insert(words.end(), more.begin(), more.end());
    return Ebb(words);
  };
  const Outcome with = ask({"--weather", "w.csv"});
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_TRUE(Contains(with.out, "and the weather (run of 2023-04-25T00:00")) << with.out;
  const Outcome late = ask({"--weather", "w.csv", "--weather-lag", "18h"});
  EXPECT_TRUE(Contains(late.out, "(run of 2023-04-24T00:00")) << late.out << late.err;
  const Outcome missing = ask({"--weather", "nowhere.csv"});
  EXPECT_EQ(missing.code, 4);
  EXPECT_TRUE(Contains(missing.err, "nowhere.csv")) << missing.err;
  EXPECT_EQ(ask({"--weather", "w.csv", "--method", "ridge"}).code, 2);
  EXPECT_EQ(ask({"--method", "weather"}).code, 2);
  const Outcome explained = ask({"--weather", "w.csv", "--explain"});
  ASSERT_EQ(explained.code, 0) << explained.err;
  EXPECT_TRUE(Contains(explained.out, "what the weather adds")) << explained.out;
  for (const char* part : {"next 24 h\n", " usual ", "together\n", "2023-04-26 "})
    EXPECT_TRUE(Contains(explained.out, part)) << part << "\n" << explained.out;
  const Outcome for_programs = ask({"--weather", "w.csv", "--explain", "--format", "json"});
  const auto hours = nlohmann::json::parse(for_programs.out).at("weather");
  EXPECT_EQ(hours.size(), 96u);
  EXPECT_EQ(hours.at(0).at("begin"), "2023-04-25T12:00:00Z");
  EXPECT_EQ(hours.at(0).at("known_from"), "run");
  EXPECT_EQ(ask({"--explain"}).code, 2);
  EXPECT_EQ(ask({"--weather", "w.csv", "--explain", "--backtest"}).code, 2);
  EXPECT_EQ(Ebb({"forecast", "--zone", "DE", "--weather", "w.csv"}).code, 2);
}

TEST_F(ForecastCommand, ForecastShowsWhatThePastLetsOneExpectAndScoresItself) {
  Write("z.csv", HourlyTrace());
  const Outcome text = Ebb({"forecast", "--trace", "z.csv", "--at", "2023-04-25T12:00Z"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(Contains(text.out, "regression on the zone's own past")) << text.out;
  EXPECT_TRUE(Contains(text.out, "Tue 11:00")) << text.out;
  const Outcome json = Ebb({"forecast", "--trace", "z.csv", "--at", "2023-04-25T12:00Z", "--hours",
                            "24", "--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto late = nlohmann::json::parse(json.out).at("forecast");
  EXPECT_EQ(late.size(), 25u) << "the hours of 11:00 and 12:00 are not published yet";
  EXPECT_EQ(late.at(0).at("begin"), "2023-04-25T11:00:00Z");
  const Outcome early = Ebb({"forecast", "--trace", "z.csv", "--at", "2023-04-25T12:00Z", "--hours",
                             "24", "--publication-lag", "none", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(early.out).at("forecast").size(), 23u) << early.err;
  EXPECT_EQ(Ebb({"forecast", "--trace", "z.csv", "--publication-lag", "soon"}).code, 2);
  EXPECT_EQ(Ebb({"forecast", "--zone", "DE", "--publication-lag", "1h"}).code, 2);
  const Outcome backtest = Ebb({"forecast", "--backtest", "--trace", "z.csv", "--format", "json"});
  ASSERT_EQ(backtest.code, 0) << backtest.err;
  const auto methods = nlohmann::json::parse(backtest.out).at("traces").at(0).at("methods");
  EXPECT_EQ(methods.at(0).at("method"), "persistence");
  EXPECT_LT(methods.at(2).at("day_ahead").at("mae_g_per_kwh"),
            methods.at(0).at("day_ahead").at("mae_g_per_kwh"));
  const Outcome outside = Ebb({"forecast", "--trace", "z.csv", "--at", "2024-01-01"});
  EXPECT_EQ(outside.code, 3);
  EXPECT_TRUE(Contains(outside.err, "the trace covers 2023-01-01")) << outside.err;
  EXPECT_EQ(Ebb({"forecast", "--backtest"}).code, 2);
}

TEST_F(ForecastCommand, ScoreSaysHowFarOffForecastsWereAndWhichIsUsed) {
  Write("z.csv", HourlyTrace());
  Write("w.csv", WeatherRuns());
  const Outcome text = Ebb({"forecast", "--score", "--trace", "z.csv", "--weather", "w.csv"});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* part : {"persistence", "ridge", "weather",
                           "mean absolute error over 96 h: with "
                           "weather ",
                           "; used: ours, "})
    EXPECT_TRUE(Contains(text.out, part)) << part << "\n" << text.out;
  const Outcome json = Ebb(
      {"forecast", "--score", "--trace", "z.csv", "--at", "2023-04-20T12:00Z", "--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto score = nlohmann::json::parse(json.out);
  EXPECT_EQ(score.at("schema"), "ebb.forecast-score/1");
  EXPECT_EQ(score.at("from"), "2023-03-23T00:00:00Z") << "whole weeks, which begin on Thursdays";
  EXPECT_EQ(score.at("to"), "2023-04-20T00:00:00Z");
  EXPECT_EQ(score.at("methods").size(), 3u);
  EXPECT_FALSE(score.at("uses_provider").get<bool>());
  EXPECT_TRUE(score.at("provider_or_ours").is_null());
  const Outcome early =
      Ebb({"forecast", "--score", "--trace", "z.csv", "--at", "2023-01-03T00:00Z"});
  EXPECT_EQ(early.code, 3);
  EXPECT_TRUE(Contains(early.err, "forecasts are judged from 2022-12-01")) << early.err;
  EXPECT_EQ(Ebb({"forecast", "--score", "--backtest", "--trace", "z.csv"}).code, 2);
  EXPECT_EQ(Ebb({"forecast", "--score", "--trace", "z.csv", "--trace", "z.csv"}).code, 2);
  EXPECT_EQ(Ebb({"forecast", "--signal", "watttime", "--trace", "z.csv"}).code, 2);
  EXPECT_EQ(Ebb({"forecast", "--signal", "profile"}).code, 2) << "no live source";
}

TEST_F(ForecastCommand, ScoreOfASourceThatWasNeverAskedSaysWhatKeepsItsPast) {
  const Outcome none = Ebb({"forecast", "--score", "--zone", "GB"});
  EXPECT_EQ(none.code, 4);
  EXPECT_TRUE(Contains(none.err, "nothing is kept of GB yet (uk-carbon-intensity)")) << none.err;
  const Outcome modelled = Ebb({"forecast", "--score", "--signal", "profile", "--zone", "DE"});
  EXPECT_EQ(modelled.code, 3);
  EXPECT_TRUE(Contains(modelled.err, "no live source")) << modelled.err;
  EXPECT_EQ(Ebb({"forecast", "--score", "--at", "2023-01-03", "--zone", "GB"}).code, 2);
}

}  // namespace
}  // namespace ebb
