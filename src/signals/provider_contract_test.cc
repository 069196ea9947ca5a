// Every provider against a server on this machine that speaks the documented shapes over HTTPS, and
// what a server can do wrong: each status, slow, truncated and huge answers, a certificate that is
// not trusted, a name that does not resolve. No network beyond loopback.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "signals/carbon_aware_sdk.h"
#include "signals/electricity_maps.h"
#include "signals/json_address.h"
#include "signals/live_signal.h"
#include "signals/uk_carbon_intensity.h"
#include "signals/watttime.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

const Time kNow = *ParseTime("2026-05-06T12:05Z");

// A certificate that signs itself, for 127.0.0.1, written as PEM for the client to trust.
struct Certificate {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  X509* certificate = X509_new();
  std::string pem_file = (std::filesystem::path(::testing::TempDir()) /
                          ("ebb-ca-" + std::to_string(::getpid()) + ".pem"))
                             .string();
  Certificate() {
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    const auto* text = reinterpret_cast<const unsigned char*>("ebb test");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    Extend(NID_subject_alt_name, "IP:127.0.0.1");
    Extend(NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate, key, EVP_sha256());
    FILE* file = std::fopen(pem_file.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
  }
  void Extend(int what, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  ~Certificate() {
    std::filesystem::remove(pem_file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
};

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
  std::atomic<std::size_t> sent = 0;
  const std::string block(64 << 10, ' ');
  server_->Get("/huge", [&](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("text/plain", [&](std::size_t, httplib::DataSink& sink) {
      sent += block.size();
      if (sent > (100U << 20)) sink.done();
      return sink.write(block.data(), block.size());
    });
  });
  const auto response = Fetch("/huge");
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().what, HasSubstr("larger than 1048576 bytes"));
  EXPECT_LT(sent, 50U << 20) << "given up early";
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

}  // namespace
}  // namespace ebb::signals
