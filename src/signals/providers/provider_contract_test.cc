// Tests of every provider against a server on this machine that speaks the documented shapes over
// HTTPS, and of the server's failures: each status, slow, truncated and huge answers, a certificate
// that is not trusted, a name that does not resolve. No network beyond loopback.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

#include "signals/cloud_metadata.h"
#include "signals/feeds/live_signal.h"
#include "signals/providers/caiso.h"
#include "signals/providers/carbon_aware_sdk.h"
#include "signals/providers/eia930.h"
#include "signals/providers/electricity_maps.h"
#include "signals/providers/energy_charts_intensity.h"
#include "signals/providers/entsoe_generation.h"
#include "signals/providers/ercot.h"
#include "signals/providers/ieso.h"
#include "signals/providers/json_address.h"
#include "signals/providers/miso.h"
#include "signals/providers/nyiso.h"
#include "signals/providers/open_electricity.h"
#include "signals/providers/spp.h"
#include "signals/providers/uk_carbon_intensity.h"
#include "signals/providers/watttime.h"
#include "testing/certificate_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Time kNow = *ParseTime("2026-05-06T12:05Z");

class Https : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { identity_ = new Certificate; }
  static void TearDownTestSuite() { delete identity_; }
  void SetUp() override {
    server_ = std::make_unique<httplib::SSLServer>(identity_->certificate, identity_->key);
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::sleep_for(milliseconds{1});
  }
  void TearDown() override {
    ending_ = true;
    server_->stop();
    thread_.join();
  }

  std::string Url(const std::string& path = "") const {
    return "https://127.0.0.1:" + std::to_string(port_) + path;
  }
  void Say(const std::string& path, const std::string& body) {
    server_->Get(path, [this, body](const httplib::Request& request, httplib::Response& response) {
      last_ = request;
      ++asked_;
      response.set_content(body, "application/json");
    });
  }
  HttpGetFunction Get(milliseconds timeout = seconds{5}) const {
    return [timeout](platform::HttpRequest request) {
      request.ca_file = identity_->pem_file;
      request.timeout = timeout;
      request.limit_bytes = 1 << 20;
      return platform::HttpGet(request);
    };
  }
  Result<platform::HttpResponse> Fetch(const std::string& path, milliseconds timeout = seconds{5}) {
    platform::HttpRequest request;
    request.url = Url(path);
    return Get(timeout)(request);
  }

  inline static Certificate* identity_ = nullptr;
  std::unique_ptr<httplib::SSLServer> server_;
  httplib::Request last_;
  std::atomic<int> asked_ = 0;
  std::atomic<bool> ending_ = false;
  int port_ = 0;
  std::thread thread_;
};

TEST_F(Https, ElectricityMapsLatestAndForecast) {
  Say("/v3/carbon-intensity/latest",
      R"({"zone":"DE","carbonIntensity":322,"datetime":"2026-05-06T12:00:00.000Z","isEstimated":false})");
  Say("/v3/carbon-intensity/forecast",
      R"({"zone":"DE","forecast":[{"carbonIntensity":267,"datetime":"2026-05-06T13:00:00.000Z"}],
          "updatedAt":"2026-05-06T11:50:00.000Z"})");
  const auto provider = MakeElectricityMaps({Url("/v3"), "DE", "s3cret"}, Get());
  const auto reading = provider->Read({kNow, hours{24}, kNow - minutes{30}, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known[0].intensity.g_per_kwh, 322);
  EXPECT_EQ(reading->forecast[0].intensity.g_per_kwh, 267);
  EXPECT_EQ(last_.get_header_value("auth-token"), "s3cret");
  EXPECT_EQ(last_.get_param_value("zone"), "DE");
}

TEST_F(Https, UkCarbonIntensity) {
  Say(R"(/intensity/[^/]+/fw48h)",
      R"({"data":[{"from":"2026-05-06T12:00Z","to":"2026-05-06T12:30Z",
          "intensity":{"forecast":266,"actual":null,"index":"moderate"}}]})");
  const auto provider = MakeUkCarbonIntensity({Url()}, Get());
  const auto reading = provider->Read({kNow, hours{24}, kNow, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known[0].intensity.g_per_kwh, 266);
}

TEST_F(Https, WattTimeLogsInFirst) {
  Say("/login", R"({"token":"T"})");
  for (const char* path : {"/v3/forecast", "/v3/historical"})
    Say(path, R"({"data":[{"point_time":"2026-05-06T12:00:00Z","value":1000}],
        "meta":{"units":"lbs_co2_per_mwh","data_point_period_seconds":300,
                "signal_type":"co2_moer","region":"R"}})");
  const auto provider = MakeWattTime({Url(), "R", "user", "pass"}, Get());
  const auto reading = provider->Read({kNow, hours{24}, {}, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_NEAR(reading->known[0].intensity.g_per_kwh, 453.59237, 1e-6);
  EXPECT_EQ(last_.get_header_value("Authorization"), "Bearer T");
}

TEST_F(Https, CarbonAwareSdkAndAnAddressOfOnesOwn) {
  Say("/emissions/bylocation",
      R"([{"location":"westus","time":"2026-05-06T12:00:00Z","rating":300,"duration":"00:05:00"}])");
  Say("/own", R"({"grid":{"now":0.3}})");
  const auto sdk = MakeCarbonAwareSdk({Url(), "westus", ""}, Get());
  const auto reading = sdk->Read({kNow, hours{24}, kNow, false});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known[0].intensity.g_per_kwh, 300);
  JsonAddressOptions own;
  own.url = Url("/own");
  own.shape = {"/grid/now", "", "", "kg/kWh"};
  EXPECT_EQ(MakeJsonAddress(own, Get())->Read({kNow, {}, {}, true})->known[0].intensity.g_per_kwh,
            300);
}

// A provider whose answers have a layout of their own, with its first request.
struct AskedProvider {
  std::string answers;  ///< pattern of the paths that it asks for
  std::function<std::unique_ptr<Provider>(const std::string& url, HttpGetFunction http_get)> make;
};
auto OperatorOf(Result<OperatorMix> (*mix)(std::string, core::Boundary)) {
  return [mix](const std::string& url, HttpGetFunction http_get) {
    return MakeOperatorMix(*mix(url, core::Boundary::kLifecycle), std::move(http_get));
  };
}
std::vector<AskedProvider> AskedProviders() {
  return {
      {"/regional/intensity/.*",
       [](const std::string& url, HttpGetFunction http_get) {
         return MakeUkCarbonIntensity({url, *UkAreaFromZone("GB-13")}, std::move(http_get));
       }},
      {"/co2eq",
       [](const std::string& url, HttpGetFunction http_get) {
         return MakeEnergyChartsIntensity({url, "DE", "de"}, std::move(http_get));
       }},
      {".*/fuelsource.csv", OperatorOf(CaisoMix)},
      {"/rtfuelmix/.*", OperatorOf(NyisoMix)},
      {".*/fuel-mix.json", OperatorOf(ErcotMix)},
      {"/api/FuelMix/.*", OperatorOf(MisoMix)},
      {"/file-browser-api/.*", OperatorOf(SppMix)},
      {"/GenOutputCapability/.*", OperatorOf(IesoMix)},
      {"/v4/stats/.*",
       [](const std::string& url, HttpGetFunction http_get) {
         return MakeOperatorMix(
             OpenElectricityMix(url, "AU-NSW", "NEM/NSW1", core::Boundary::kLifecycle),
             std::move(http_get));
       }},
      {"/v2/electricity/.*",
       [](const std::string& url, HttpGetFunction http_get) {
         return MakeOperatorMix(Eia930Mix({url, "US-TEN-TVA", "TVA", "key"}), std::move(http_get));
       }},
      {"/api", [](const std::string& url, HttpGetFunction http_get) {
         return MakeOperatorMix(EntsoeGenerationMix({url, "NL", "10YNL----------L", "key"}),
                                std::move(http_get));
       }}};
}

TEST_F(Https, EnergyCharts) {
  Say("/co2eq", R"({"unix_seconds": [1778068800, 1778069700], "co2eq": [310.5, null],
                    "co2eq_forecast": [null, 290.5], "deprecated": false})");
  const auto reading =
      MakeEnergyChartsIntensity({Url(), "DE", "de"}, Get())->Read({kNow, hours{24}, kNow, true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known[0].intensity.g_per_kwh, 310.5);
  EXPECT_EQ(reading->forecast[0].intensity.g_per_kwh, 290.5);
  EXPECT_EQ(last_.get_param_value("country"), "de");
}

TEST_F(Https, NoProviderTakesAnErrorForAValue) {
  for (const AskedProvider& provider : AskedProviders()) {
    int status = 200;
    std::string body;
    server_->Get(provider.answers, [&](const httplib::Request&, httplib::Response& response) {
      response.status = status;
      response.set_content(body, "application/json");
    });
    const auto made = provider.make(Url(), Get());
    for (status = 200;
         const char* wrong : {"", "null", "[]", "{}", "<html><body>Bad gateway</body></html>",
                              R"({"data":[{"from":"20)", R"({"unix_seconds": [17780)", "Time,Solar",
                              R"({"error":{"code":"400 Bad Request"}})"}) {
      body = wrong;
      EXPECT_FALSE(made->Read({kNow, hours{24}, kNow, true})) << made->name() << ": " << wrong;
    }
    for (const int refused : {204, 401, 403, 404, 429, 500, 502, 503}) {
      status = refused;
      const auto reading = made->Read({kNow, hours{24}, kNow, true});
      ASSERT_FALSE(reading) << made->name() << " " << refused;
      EXPECT_EQ(reading.error().code, ExitCode::kUnavailable);
      EXPECT_THAT(reading.error().Message(), HasSubstr(std::to_string(refused)));
    }
  }
}

TEST_F(Https, EveryStatusIsAnErrorThatNamesIt) {
  for (const int status : {201, 204, 301, 400, 401, 403, 404, 408, 418, 429, 500, 502, 503, 504}) {
    const std::string path = "/s" + std::to_string(status);
    server_->Get(path, [status](const httplib::Request&, httplib::Response& response) {
      response.status = status;
      response.set_header("Retry-After", "7");
    });
    const auto response = Fetch(path);
    ASSERT_TRUE(response) << status << " " << response.error().Message();
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(response->retry_after, "7");
    JsonAddressOptions options;
    options.url = Url(path);
    const auto reading = MakeJsonAddress(options, Get())->Read({kNow, {}, {}, true});
    ASSERT_FALSE(reading);
    EXPECT_THAT(reading.error().Message(), HasSubstr(std::to_string(status)));
  }
}

TEST_F(Https, AnAnswerMayBePacked) {
  std::string rows(100'000, ' ');
  Say("/now", rows + R"({"value": 300})");
  const auto response = Fetch("/now");
  ASSERT_TRUE(response) << response.error().Message();
  EXPECT_EQ(response->body, rows + R"({"value": 300})");
  EXPECT_THAT(last_.get_header_value("Accept-Encoding"), HasSubstr("gzip"));
  EXPECT_THAT(response->headers.at("content-encoding"), Not(IsEmpty()));
  platform::HttpRequest part;
  part.url = Url("/now");
  part.headers = {"Range: bytes=0-9"};
  ASSERT_TRUE(Get()(part));
  EXPECT_EQ(last_.get_header_value("Accept-Encoding"), "") << "a range is of the bytes as they are";
}

TEST_F(Https, ASlowServerCostsNoMoreThanTheTimeout) {
  server_->Get("/slow", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content_provider(1000, "text/plain",
                                  [this](std::size_t, std::size_t, httplib::DataSink& sink) {
                                    std::this_thread::sleep_for(milliseconds{50});
                                    return !ending_ && sink.write("{", 1);
                                  });
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(Fetch("/slow", milliseconds{300}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{3});
}

TEST_F(Https, ATruncatedAnswerIsAnError) {
  server_->Get("/short", [](const httplib::Request&, httplib::Response& response) {
    response.set_content_provider(1000, "text/plain",
                                  [](std::size_t offset, std::size_t, httplib::DataSink& sink) {
                                    return offset == 0 && sink.write(R"({"value": 3)", 11);
                                  });
  });
  EXPECT_FALSE(Fetch("/short"));
}

TEST_F(Https, AHundredMegabytesAreNotKept) {
  // Shared, because the server may still send when the test has ended.
  const auto sent = std::make_shared<std::atomic<std::size_t>>(0);
  server_->Get("/huge", [sent](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("text/plain",
                                          [sent](std::size_t, httplib::DataSink& sink) {
                                            const std::string block(64 << 10, ' ');
                                            *sent += block.size();
                                            if (*sent > (100U << 20)) sink.done();
                                            return sink.write(block.data(), block.size());
                                          });
  });
  const auto response = Fetch("/huge");
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().what, HasSubstr("larger than 1048576 bytes"));
  EXPECT_LT(*sent, 50U << 20) << "given up early";
}

TEST_F(Https, ACertificateThatIsNotTrustedIsRefusedAndNotTriedAgain) {
  Say("/now", R"({"value": 300})");
  platform::HttpRequest request;
  request.url = Url("/now");
  const auto response = platform::HttpGet(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ExitCode::kConfiguration);
  EXPECT_EQ(asked_, 0);
}

TEST_F(Https, AuthoritiesOfTheUsersOwnAreTrusted) {
  Say("/now", R"({"value": 300})");
  platform::HttpRequest request;
  request.url = Url("/now");
  ::setenv("SSL_CERT_FILE", identity_->pem_file.c_str(), 1);
  const auto response = platform::HttpGet(request);
  ::setenv("SSL_CERT_FILE", "/nonexistent.pem", 1);
  const auto refused = platform::HttpGet(request);
  ::unsetenv("SSL_CERT_FILE");
  ASSERT_TRUE(response) << response.error().Message();
  EXPECT_EQ(response->status, 200);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), HasSubstr("/nonexistent.pem"));
  EXPECT_EQ(refused.error().code, ExitCode::kConfiguration);
}

TEST_F(Https, ACertificateThatHasRunOutIsRefusedThoughItsIssuerIsTrusted) {
  const Certificate expired(-7200, -3600);
  httplib::SSLServer server(expired.certificate, expired.key);
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::sleep_for(milliseconds{1});
  platform::HttpRequest request;
  request.url = "https://127.0.0.1:" + std::to_string(port) + "/now";
  request.ca_file = expired.pem_file;
  const auto response = platform::HttpGet(request);
  server.stop();
  thread.join();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ExitCode::kConfiguration);
}

TEST_F(Https, AHeaderWithATokenIsNotSentToWhereARedirectPoints) {
  server_->Get("/moved", [this](const httplib::Request&, httplib::Response& response) {
    response.set_redirect(Url("/now"));
  });
  Say("/now", R"({"value": 300})");
  platform::HttpRequest request;
  request.url = Url("/moved");
  request.headers = {"auth-token: s3cret"};
  EXPECT_EQ(Get()(request)->status, 302);
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(Fetch("/moved")->status, 200);
}

TEST_F(Https, ARequestIsGivenUpWhenItsCallerGoesAway) {
  server_->Get("/slow", [this](const httplib::Request&, httplib::Response&) {
    while (!ending_) std::this_thread::sleep_for(milliseconds{5});
  });
  std::atomic<bool> cancelled = true;
  platform::HttpRequest request;
  request.url = Url("/slow");
  request.cancelled = &cancelled;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(Get(seconds{30})(request));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{5});
  ending_ = true;
}

TEST(Network, ANameThatDoesNotResolveAndAClosedPortAreErrorsThatMayPass) {
  for (const char* url : {"https://no-such-host.invalid/x", "http://127.0.0.1:9/x"}) {
    platform::HttpRequest request;
    request.url = url;
    const auto response = platform::HttpGet(request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ExitCode::kUnavailable);
    EXPECT_EQ(response.error().where, url);
  }
}

// The three metadata services on loopback, each as its documentation describes it.
class Metadata : public ::testing::Test {
 protected:
  void SetUp() override {
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(milliseconds{1});
  }
  void TearDown() override {
    ending_ = true;
    server_.stop();
    thread_.join();
  }
  Result<const CloudRegion*> Detect(milliseconds patience = milliseconds{300}) const {
    return RegionOfThisMachine({"http://127.0.0.1:" + std::to_string(port_), patience});
  }
  void SayIf(const std::string& path, std::string header, std::string value, std::string body) {
    server_.Get(path, [=](const httplib::Request& request, httplib::Response& response) {
      response.status = request.get_header_value(header) == value ? 200 : 400;
      if (response.status == 200) response.set_content(body, "text/plain");
    });
  }

  httplib::Server server_;
  std::atomic<bool> ending_ = false;
  int port_ = 0;
  std::thread thread_;
};

TEST_F(Metadata, AwsGivesItsRegionForASessionToken) {
  server_.Put("/latest/api/token", [](const httplib::Request& request,
                                      httplib::Response& response) {
    const bool asked = !request.get_header_value("X-aws-ec2-metadata-token-ttl-seconds").empty();
    response.status = asked ? 200 : 400;
    if (asked) response.set_content("TOKEN==", "text/plain");
  });
  SayIf("/latest/meta-data/placement/region", "X-aws-ec2-metadata-token", "TOKEN==", "us-west-2");
  const auto region = Detect();
  ASSERT_TRUE(region) << region.error().Message();
  EXPECT_EQ((*region)->zone, "US-NW-PACW");
}

TEST_F(Metadata, GcpGivesItsZone) {
  SayIf("/computeMetadata/v1/instance/zone", "Metadata-Flavor", "Google",
        "projects/123456/zones/europe-west1-b\n");
  const auto region = Detect();
  ASSERT_TRUE(region) << region.error().Message();
  EXPECT_EQ((*region)->region, "europe-west1");
}

TEST_F(Metadata, AzureGivesItsLocation) {
  SayIf("/metadata/instance/compute/location", "Metadata", "true", "uksouth");
  const auto region = Detect();
  ASSERT_TRUE(region) << region.error().Message();
  EXPECT_EQ((*region)->zone, "GB");
}

TEST_F(Metadata, ARegionThatIsNotKnownIsAnErrorThatNamesIt) {
  SayIf("/metadata/instance/compute/location", "Metadata", "true", "atlantiscentral");
  const auto region = Detect();
  ASSERT_FALSE(region);
  EXPECT_THAT(region.error().Message(), HasSubstr("atlantiscentral"));
}

TEST_F(Metadata, WhoeverElseAnswersThereIsNoCloud) {
  for (const char* path :
       {"/latest/meta-data/placement/region", "/computeMetadata/v1/instance/zone",
        "/metadata/instance/compute/location"})
    server_.Get(path, [](const httplib::Request&, httplib::Response& response) {
      response.set_content("<html>Welcome to the hotel</html>", "text/html");
    });
  server_.Put("/latest/api/token", [](const httplib::Request&, httplib::Response& response) {
    response.set_redirect("http://127.0.0.1:9/");
  });
  const auto region = Detect();
  ASSERT_FALSE(region);
  EXPECT_THAT(region.error().Message(),
              HasSubstr("aws: status 302; gcp: an answer that is not a name"));
  EXPECT_THAT(region.error().Message(), HasSubstr("--zone"));
}

TEST_F(Metadata, AServiceThatHangsCostsLessThanASecondInAll) {
  const auto hang = [this](const httplib::Request&, httplib::Response&) {
    while (!ending_) std::this_thread::sleep_for(milliseconds{5});
  };
  server_.Get(".*", hang);
  server_.Put(".*", hang);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(Detect(milliseconds{50}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{2});
}

}  // namespace
}  // namespace ebb::signals
