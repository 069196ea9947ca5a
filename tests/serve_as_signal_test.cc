// The queue service as a source of intensity for another Ebb. Both are real and talk over HTTP.
#include "cli_fixture.h"

namespace ebb {
namespace {

class ServeAsSignal : public Cli {
 protected:
  void TearDown() override {
    if (serve_ > 0) {
      ::kill(serve_, SIGTERM);
      ::waitpid(serve_, nullptr, 0);
    }
    Cli::TearDown();
  }
  void Serve() {
    serve_ = StartAside({EBB_PROGRAM, "serve", "--store", "ebb.db", "--signal", "profile", "--zone",
                         "DE", "--port", "0"},
                        "serve.txt");
    WaitFor(directory_ / "ebb.db.url");
    url_ = Read(directory_ / "ebb.db.url");
    url_.pop_back();
  }
  Outcome Grid(std::vector<std::string> words) {
    words.insert(words.begin(), {"grid", "--signal-cache", "none", "--hours", "24"});
    words.insert(words.end(), {"--format", "json"});
    return Ebb(words);
  }
  Outcome GridOf(const std::string& zone) {
    return Grid({"--signal", "carbon-aware-sdk", "--signal-kind", "average", "--api-url", url_,
                 "--zone", zone});
  }

  pid_t serve_ = 0;
  std::string url_;
};

TEST_F(ServeAsSignal, AnotherEbbSeesTheSameGrid) {
  Serve();
  const Outcome outcome = GridOf("DE");
  ASSERT_EQ(outcome.code, 0) << outcome.err << Read(directory_ / "serve.txt");
  const auto seen = nlohmann::json::parse(outcome.out);
  const auto own = nlohmann::json::parse(Grid({"--signal", "profile", "--zone", "DE"}).out);
  EXPECT_EQ(seen["current"]["status"], "modelled") << "how it came about goes along";
  std::map<std::string, double> expected;
  for (const auto& sample : own["forecast"])
    expected[sample["begin"]] = sample["carbon_intensity_g_per_kwh"];
  std::size_t compared = 0;
  for (const auto& sample : seen["forecast"]) {
    const auto found = expected.find(sample["begin"].get<std::string>());
    if (found == expected.end()) continue;
    EXPECT_DOUBLE_EQ(sample["carbon_intensity_g_per_kwh"].get<double>(), found->second) << sample;
    ++compared;
  }
  EXPECT_GE(compared, 20u) << outcome.out;
}

// The source is the one in the user's settings.
TEST_F(ServeAsSignal, ForecastIsWhatTheLiveSourceExpects) {
  Serve();
  Write("config.yaml", "zone: DE\nsignal: carbon-aware-sdk\nsignal_kind: average\napi_url: " +
                           url_ + "\nsignal_cache: none\n");
  ::setenv("EBB_CONFIG", (directory_ / "config.yaml").c_str(), 1);
  const Outcome outcome = Ebb({"forecast", "--zone", "DE", "--hours", "24", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto seen = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(Contains(seen.at("source"), url_)) << outcome.out;
  EXPECT_GE(seen.at("forecast").size(), 23u) << outcome.out;
  const Outcome past = Ebb({"forecast", "--at", "2023-05-01T12:00Z", "--format", "json"});
  EXPECT_TRUE(Contains(nlohmann::json::parse(past.out).at("method"), "typical")) << past.out;
  EXPECT_EQ(Ebb({"forecast", "--signal", "carbon-aware-sdk", "--at", "2023-05-01T12:00Z"}).code, 2);
}

TEST_F(ServeAsSignal, AZoneThatTheServiceDoesNotKnowIsRefused) {
  Serve();
  const Outcome outcome = GridOf("FR");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome.err, "404")) << outcome.err;
}

}  // namespace
}  // namespace ebb
