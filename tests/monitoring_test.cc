// deploy/grafana and deploy/prometheus against the service: every expression names exposed metrics,
// and a real Prometheus, if it is installed, scrapes a real service.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <yaml-cpp/yaml.h>

#include "cli_fixture.h"
#include "platform/http.h"
#include "prometheus_expressions.h"

namespace ebb {
namespace {

using nlohmann::json;

const fs::path kSource = EBB_SOURCE_DIR;
const fs::path kAlerts = kSource / "deploy/prometheus/alerts.yml";

struct Expression {
  std::string where, text;
  std::vector<std::string> templates;  ///< texts with {{label}} or {{ $labels.label }} in them
};

std::vector<Expression> ExpressionsOfReconciler(const fs::path& file) {
  const json board = json::parse(Read(file));
  std::vector<Expression> expressions;
  for (const json& panel : board.at("panels"))
    for (const json& target : panel.at("targets"))
      expressions.push_back({file.filename().string() + ", " + panel.at("title").get<std::string>(),
                             target.at("expr"),
                             {target.at("legendFormat")}});
  for (const json& variable : board.at("templating").at("list")) {
    std::smatch match;
    const std::string query = variable.at("query");
    if (std::regex_match(query, match, std::regex(R"(label_values\((\w+), (\w+)\))")))
      expressions.push_back({file.filename().string() + ", variable",
                             "sum by (" + match[2].str() + ") (" + match[1].str() + ")",
                             {}});
  }
  return expressions;
}

std::vector<Expression> ExpressionsOfRules(const fs::path& file) {
  std::vector<Expression> expressions;
  for (const auto& group : YAML::LoadFile(file.string())["groups"])
    for (const auto& rule : group["rules"])
      expressions.push_back({rule["alert"].as<std::string>(),
                             rule["expr"].as<std::string>(),
                             {rule["annotations"]["summary"].as<std::string>()}});
  return expressions;
}

std::vector<Expression> AllExpressions() {
  std::vector<Expression> all = ExpressionsOfRules(kAlerts);
  for (const auto& entry : fs::directory_iterator(kSource / "deploy/grafana"))
    for (Expression& expression : ExpressionsOfReconciler(entry.path()))
      all.push_back(std::move(expression));
  return all;
}

// One sentence for each {{label}} that no metric of the expression has.
std::vector<std::string> WrongTemplates(const Exposed& exposed, const Expression& expression,
                                        const std::set<std::string>& metrics) {
  std::vector<std::string> wrong;
  const std::regex hole(R"(\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\})");
  for (const std::string& text : expression.templates)
    for (std::sregex_iterator it(text.begin(), text.end(), hole), end; it != end; ++it) {
      bool known = false;
      for (const std::string& metric : metrics)
        if (const auto found = exposed.find(metric); found != exposed.end())
          known = known || found->second.contains((*it)[1]);
      if (!known) wrong.push_back("no metric of it has the label " + (*it)[1].str());
    }
  return wrong;
}

std::vector<std::string> Problems(const Exposed& exposed, const Expression& expression) {
  const ExpressionCheck check(exposed, expression.text);
  std::vector<std::string> problems = check.problems();
  for (std::string& wrong : WrongTemplates(exposed, expression, check.metrics()))
    problems.push_back(std::move(wrong));
  return problems;
}

// The golden scrapes are the output of the code (src/web/metrics/metrics_test.cc, and
// src/app/agent/agent_test.cc for the agents of nodes).
const fs::path kOfService = kSource / "src/web/testdata/metrics.txt",
               kOfAgent = kSource / "src/app/testdata/agent_metrics.txt";
Exposed OfGoldenScrapes() { return ExposedBy(Read(kOfService) + Read(kOfAgent)); }

TEST(Monitoring, EveryExpressionNamesWhatIsExposed) {
  const Exposed exposed = OfGoldenScrapes();
  const auto expressions = AllExpressions();
  ASSERT_GT(expressions.size(), 50u);
  for (const Expression& expression : expressions)
    for (const std::string& problem : Problems(exposed, expression))
      ADD_FAILURE() << expression.where << ": " << problem << "\n" << expression.text;
}

TEST(Monitoring, EveryMetricIsDocumented) {
  const std::string document = Read(kSource / "docs/metrics.md");
  for (const auto& [name, labels] : OfGoldenScrapes()) {
    const std::string family = std::regex_replace(name, std::regex("_(bucket|sum|count)$"), "");
    EXPECT_TRUE(family == "up" || Contains(document, "`" + family + "`")) << family;
  }
}

TEST(Monitoring, AMisspeltNameIsFound) {
  const Exposed exposed = OfGoldenScrapes();
  const auto finds = [&](const std::string& text, const std::string& problem,
                         std::vector<std::string> templates = {}) {
    const auto problems = Problems(exposed, {"test", text, std::move(templates)});
    ASSERT_EQ(problems.size(), 1u) << text;
    EXPECT_EQ(problems[0], problem);
  };
  for (const std::string text :
       {"ebb_ready == 0", "sum by (stage) (ebb_jobs{stage=~\"waiting|paused\"}) / 3.6e6",
        "histogram_quantile(0.99, sum by (le) (rate(ebb_planning_seconds_bucket{}[5m])))",
        "ebb_jobs{instance=~\"$instance\"} and on (instance) ebb_ready offset 5m"})
    EXPECT_TRUE(Problems(exposed, {"test", text, {}}).empty()) << text;
  finds("ebb_redy == 0", "there is no metric ebb_redy");
  finds("rate(ebb_planning_seconds_buckets[5m])",
        "there is no metric ebb_planning_seconds_buckets");
  finds("sum(ebb_jobs{stge=\"waiting\"})", "ebb_jobs has no label stge");
  finds("ebb_jobs{stage=\"wating\"}", "ebb_jobs never has stage=\"wating\"");
  finds("ebb_jobs{stage=~\"waiting|pasued\"}", "ebb_jobs never has stage=\"pasued\"");
  finds("sum by (stge) (ebb_jobs)", "no metric of it has the label stge");
  finds("ebb_jobs unless on (zone) ebb_ready", "no metric of it has the label zone");
  finds("ebb_jobs", "no metric of it has the label zone", {"{{zone}}"});
  finds("ebb_jobs", "no metric of it has the label zone", {"in {{ $labels.zone }}"});
  finds("1 + 2", "it names no metric");
}

// With real programs --------------------------------------------------------------------------

std::string Installed(const std::string& program) {
  for (const std::string directory : {"/usr/bin/", "/usr/local/bin/"})
    if (::access((directory + program).c_str(), X_OK) == 0) return directory + program;
  return "";
}

int FreePort() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(descriptor);
  return ntohs(address.sin_port);
}

std::string Encoded(const std::string& text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[static_cast<unsigned char>(c) >> 4];
      encoded += kDigits[static_cast<unsigned char>(c) & 15];
    }
  }
  return encoded;
}

class RealPrometheus : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (Installed("prometheus").empty() || Installed("promtool").empty())
      GTEST_SKIP() << "needs prometheus and promtool (Debian: prometheus)";
  }
  void TearDown() override {
    for (const pid_t pid : {prometheus_, serve_}) {
      if (pid <= 0) continue;
      ::kill(pid, SIGTERM);
      ::waitpid(pid, nullptr, 0);
    }
    Cli::TearDown();
  }
  std::string Get(const std::string& url) {
    platform::HttpRequest request{url};
    request.direct = true;
    const auto answer = platform::HttpGet(request);
    return answer ? answer->body : "";
  }
  json Ask(const std::string& path) {
    return json::parse(Get("http://127.0.0.1:" + std::to_string(port_) + path), nullptr, false);
  }
  json Query(const std::string& expression) {
    return Ask("/api/v1/query?query=" + Encoded(expression));
  }
  // The value of the only series; an empty text if there is none.
  std::string Value(const std::string& expression) {
    const json answer = Query(expression);
    if (!answer.is_object() || answer.value("status", "") != "success") return "";
    const json& result = answer["data"]["result"];
    return result.size() == 1 ? result[0]["value"][1].get<std::string>() : "";
  }
  void WaitUntil(const std::function<bool()>& holds, const std::string& what) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit)
          << what << "\n"
          << Read(directory_ / "serve.txt") << Read(directory_ / "prometheus.txt");
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }
  void StartService() {
    std::string trace = "timestamp,carbon_intensity\n";
    for (int hour = 0; hour < 24; ++hour)
      trace += "2026-01-01T" + std::string(hour < 10 ? "0" : "") + std::to_string(hour) +
               ":00:00Z,200\n";
    Write("trace.csv", trace);
    serve_ = StartAside(
        {EBB_PROGRAM, "serve", "--store", "ebb.db", "--trace", "trace.csv", "--grid-start",
         "2026-01-01T10:00Z", "--slots", "2", "--port", "0", "--policy", "run-now"},
        "serve.txt");
    WaitUntil([&] { return fs::exists(directory_ / "ebb.db.url"); }, "no service");
    url_ = Read(directory_ / "ebb.db.url");
    url_.pop_back();
  }
  void StartPrometheus() {
    port_ = FreePort();
    Write("prometheus.yml",
          "global: { scrape_interval: 250ms, evaluation_interval: 1s }\n"
          "rule_files: [\"" +
              kAlerts.string() +
              "\"]\n"
              "scrape_configs:\n"
              "  - job_name: ebb\n"
              "    static_configs: [{ targets: [\"" +
              url_.substr(url_.find("//") + 2) +
              "\"] }]\n"
              "  - job_name: compatible\n"
              "    params: { names: [compute-gardener] }\n"
              "    static_configs: [{ targets: [\"" +
              url_.substr(url_.find("//") + 2) + "\"] }]\n");
    prometheus_ = StartAside(
        {Installed("prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data",
         "--web.listen-address=127.0.0.1:" + std::to_string(port_)},
        "prometheus.txt");
  }

  pid_t serve_ = 0, prometheus_ = 0;
  int port_ = 0;
  std::string url_;
};

// tests/alerts_test.yml says which series make which rule fire and which do not.
TEST_F(RealPrometheus, TheRulesFireWhenTheyShould) {
  const fs::path tests = kSource / "tests/alerts_test.yml";
  const pid_t pid =
      StartAside({Installed("promtool"), "test", "rules", tests.string()}, "tool.txt");
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0) << Read(directory_ / "tool.txt");
}

TEST_F(RealPrometheus, PromtoolAcceptsTheRules) {
  const pid_t pid =
      StartAside({Installed("promtool"), "check", "rules", kAlerts.string()}, "tool.txt");
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0) << Read(directory_ / "tool.txt");
}

TEST_F(RealPrometheus, ScrapesTheServiceAndAnswersEveryExpression) {
  StartService();
  StartPrometheus();
  ASSERT_EQ(Ebb({"submit", "--store", "ebb.db", "--name", "long", "--", "sleep", "120"}).code, 0);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(Ebb({"submit", "--store", "ebb.db", "--name", "say \"hi\"", "--", "true"}).code, 0);
  // A job that reports its work, and uses some energy.
  ASSERT_EQ(
      Ebb({"submit", "--store", "ebb.db", "--name", "worker", "--", "sh", "-c",
           "for i in $(seq 100000); do :; done; echo '{\"time_ms\":1,\"event\":\"end\",\"step\""
           ":10,\"samples_seen\":40,\"tokens_seen\":5000}' >> $EBB_RUN_DIR/progress.jsonl"})
          .code,
      0);
  WaitUntil([&] { return Value("ebb_job_ends_total{outcome=\"succeeded\"}") == "4"; }, "no ends");
  EXPECT_EQ(Value("ebb_jobs_submitted_total"), "5");
  EXPECT_EQ(Value("ebb_job_tokens_total{name=\"worker\"}"), "5000");
  EXPECT_EQ(Value("ebb_carbon_intensity_grams_per_kwh"), "200");
  EXPECT_EQ(Value("up{job=\"ebb\"}"), "1");
  EXPECT_EQ(Value("count(ebb_job_running{name=\"say \\\"hi\\\"\"})"), "3");
  WaitUntil([&] { return Value("compute_gardener_scheduler_carbon_intensity") == "200"; },
            "no compatible names");

  const Exposed live = ExposedBy(Get(url_ + "/metrics"));
  for (const auto& [name, labels] : ExposedBy(Read(kOfService)))
    EXPECT_TRUE(live.contains(name)) << name;
  EXPECT_EQ(Ebb({"cancel", "--store", "ebb.db", "1"}).code, 0);
  for (const Expression& expression : AllExpressions()) {
    std::string text = std::regex_replace(expression.text, std::regex(R"(\$__range)"), "1h");
    text = std::regex_replace(text, std::regex(R"(\$(instance|name|node))"), ".*");
    const json answer = Query(text);
    ASSERT_TRUE(answer.is_object()) << text;
    EXPECT_EQ(answer.value("status", ""), "success") << expression.where << ": " << answer;
  }
  std::size_t healthy = 0;
  WaitUntil(
      [&] {
        const json rules = Ask("/api/v1/rules");
        healthy = 0;
        for (const json& rule : rules["data"]["groups"][0]["rules"])
          healthy += rule["health"] == "ok";
        return healthy == rules["data"]["groups"][0]["rules"].size();
      },
      "rules that cannot be evaluated");
  EXPECT_EQ(healthy, ExpressionsOfRules(kAlerts).size());
}

}  // namespace
}  // namespace ebb
