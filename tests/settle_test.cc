// ebb report settle on a run with a live source that revises its published values. The source is a
// file that a small server hands out.
#include "cli_fixture.h"

namespace ebb {
namespace {

using Json = nlohmann::json;

std::string Utc(std::time_t time) {
  char text[32];
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

class Settle : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (std::system("python3 -c 'import http.server' 2>/dev/null") != 0)
      GTEST_SKIP() << "python3 hands out the answers";
    Publish({300, 300, 300, 300});
    server_ = StartAside(
        {"/usr/bin/env", "python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"},
        "server.txt");
    for (int look = 0; look < 200 && port_.empty(); ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::string text = Read(directory_ / "server.txt");
      const auto at = text.find(" port ");
      if (at != std::string::npos) port_ = text.substr(at + 6, text.find(' ', at + 6) - at - 6);
    }
    ASSERT_FALSE(port_.empty());
  }
  void TearDown() override {
    if (server_ > 0) {
      ::kill(server_, SIGKILL);
      ::waitpid(server_, nullptr, 0);
    }
    Cli::TearDown();
  }

  // Publishes intervals of two seconds that begin some minutes ago. The last of `values` is
  // repeated.
  void Publish(const std::vector<double>& values) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < 400; ++i)
      rows.push_back({{"from", Utc(begin_ + 2 * static_cast<std::time_t>(i))},
                      {"value", values[std::min(i / 100, values.size() - 1)]}});
    std::ofstream(directory_ / "new.json") << Json{{"data", rows}};
    fs::rename(directory_ / "new.json", directory_ / "signal.json");
  }
  Outcome Run(const std::string& name) {
    return Ebb({"run",
                "--name",
                name,
                "--run-dir",
                name,
                "--policy",
                "now",
                "--signal",
                "http",
                "--signal-cache",
                "none",
                "--api-url",
                "http://127.0.0.1:" + port_ + "/signal.json",
                "--json-list",
                "/data",
                "--json-time",
                "/from",
                "--json-value",
                "/value",
                "--cpu-tdp",
                "10",
                "--interval",
                "100ms",
                "--",
                "sleep",
                "1.5"});
  }
  Json Summary(const std::string& name) const {
    return Json::parse(Read(directory_ / name / "summary.json"));
  }

  const std::time_t begin_ = std::time(nullptr) / 2 * 2 - 400;
  pid_t server_ = 0;
  std::string port_;
};

TEST_F(Settle, ARevisionMovesTheGramsAndARunThatStartedAtOnceStillSavesNothing) {
  const Outcome run = Run("a");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json before = Summary("a");
  EXPECT_EQ(before["same_energy_at_submission"]["saving_g"], 0) << before.dump(2);
  EXPECT_EQ(before["signal"]["version"]["number"], 1);
  EXPECT_EQ(before["signal"]["version"]["final"], false);

  Publish({600, 600, 600, 600});
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const Outcome dry = Ebb({"report", "settle", "a", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(Summary("a"), before) << "a dry run writes nothing";

  const Outcome settle = Ebb({"report", "settle", "a", "--format", "json"});
  ASSERT_EQ(settle.code, 0) << settle.err;
  const Json said = Json::parse(settle.out).at(0);
  EXPECT_EQ(said["version"], 2);
  EXPECT_EQ(said["revised"], true);
  const Json after = Summary("a");
  EXPECT_EQ(after["same_energy_at_submission"]["saving_g"], 0) << after.dump(2);
  EXPECT_NEAR(after["emissions_g"].get<double>() / before["emissions_g"].get<double>(), 2, 1e-9);
  EXPECT_EQ(after["signal"]["version"]["number"], 2);
  EXPECT_EQ(after["energy"]["it_j"], before["energy"]["it_j"]);
  EXPECT_EQ(after["energy"]["share_by_intensity_status"]["measured"], 1);
  EXPECT_FALSE(after["best_start_in_hindsight"].is_null()) << "its hours are over and published";
  int versions = 0;
  for (const auto& file : fs::directory_iterator(directory_ / "a" / "signals"))
    versions += file.is_regular_file();
  EXPECT_EQ(versions, 2) << "the first is kept";

  // The source has no new values, so the settlement is confirmed.
  const Outcome again = Ebb({"report", "settle", "a"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("as before"), std::string::npos) << again.out;
}

TEST_F(Settle, WhatCannotBeSettledIsNamedAndTheOthersAre) {
  ASSERT_EQ(Run("a").code, 0);
  ::kill(server_, SIGKILL);
  ::waitpid(std::exchange(server_, 0), nullptr, 0);
  const Json before = Summary("a");
  const Outcome away = Ebb({"report", "settle", "a", "nosuch"});
  EXPECT_NE(away.code, 0);
  EXPECT_NE(away.err.find("127.0.0.1"), std::string::npos) << away.err;
  EXPECT_NE(away.err.find("nosuch"), std::string::npos) << away.err;
  EXPECT_EQ(Summary("a"), before);
  EXPECT_EQ(Ebb({"report", "settle"}).code, 2);
}

}  // namespace
}  // namespace ebb
