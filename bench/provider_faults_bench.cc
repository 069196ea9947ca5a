// Tries faults of a provider's server against the whole path that asks one: HTTP client, retries,
// provider, stand-ins, gate. Prints for each fault the number of tries, the outcome, the decision
// of a waiting run, and the peak memory. Waits of the retries pass on a simulated clock. The faults
// are tried first with an address of JSON, then with each provider of average intensity, whose
// requests all go to the bad server. The exit code is 1 if a run was released early or memory was
// not bounded.

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "plan/gate_policy.h"
#include "signals/feeds/live_signal.h"
#include "signals/http/patient_http.h"
#include "signals/make_provider.h"
#include "signals/providers/json_address.h"
#include "testing/certificate_for_test.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr long kMemoryLimitKb = 32 << 10;
int failures = 0;

// A clock whose waits take no time and are counted.
class SkippingTime final : public FetchTime {
 public:
  Time Now() const override { return now_; }
  Duration SinceBoot() const override { return now_.time_since_epoch(); }
  bool Wait(Duration duration) override {
    now_ += duration;
    waited_ += duration;
    return true;
  }
  Duration waited() const { return waited_; }

 private:
  Time now_ = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  Duration waited_{};
};

long StatusKb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return std::stol(line.substr(field.size() + 1));
  return 0;
}

// Resets the peak of the resident memory, if the kernel permits it.
void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

struct Case {
  std::string name;
  std::string url;
  std::string ca_file{};
  bool answers = false;  ///< set if a value is expected
};

struct Tried {
  int attempts = 0;
  Duration waited{};
  std::string came_of_it;
  core::GateDecision decision;
  long growth_kb = 0;
};

MakeProviderFunction JsonAddress(const std::string& url) {
  return [url](HttpGetFunction get) {
    JsonAddressOptions address;
    address.url = url;
    return MakeJsonAddress(address, std::move(get));
  };
}

Tried Ask(const Case& fault, const MakeProviderFunction& make) {
  Tried tried;
  SkippingTime time;
  PatientHttp http(
      [&](platform::HttpRequest request) {
        ++tried.attempts;
        request.url = fault.url;
        request.ca_file = fault.ca_file;
        request.timeout = milliseconds{300};
        return platform::HttpGet(request);
      },
      time, {});
  ResetPeak();
  const long before_kb = StatusKb("VmRSS");
  LiveSignal signal(make([&](const auto& request) { return http.Get(request); }), {});
  const Time now = time.Now();
  const auto snapshot = signal.Refresh(now);
  const auto view = ViewAt(*snapshot, now, {});
  tried.growth_kb = StatusKb("VmHWM") - before_kb;
  tried.waited = time.waited();
  tried.came_of_it = view ? "a value" : view.error().what;
  core::SignalView nothing;
  nothing.now = now;
  const core::SignalView& seen = view ? *view : nothing;
  const plan::GateRequest request{now, now + hours{24}, hours{1}};
  tried.decision =
      plan::MakeThreshold(Intensity{400})->Decide(request, {seen, now + std::chrono::minutes{5}});
  return tried;
}

bool IsFine(const Tried& tried, bool answers) {
  const bool started = tried.decision.action == core::GateAction::kStart;
  return started == answers && tried.growth_kb < kMemoryLimitKb;
}

void Report(const Case& fault) {
  const Tried tried = Ask(fault, JsonAddress(fault.url));
  const bool fine = IsFine(tried, fault.answers);
  if (!fine) ++failures;
  std::printf("%-28s %8d %8s %8.1f  %-7s %-15s %.60s%s\n", fault.name.c_str(), tried.attempts,
              FormatDuration(tried.waited).c_str(), static_cast<double>(tried.growth_kb) / 1024,
              std::string(core::Name(tried.decision.action)).c_str(),
              std::string(core::Name(tried.decision.reason.rule)).c_str(), tried.came_of_it.c_str(),
              fine ? "" : "   <-- WRONG");
}

// A server that has all faults, one for each path.
class BadServer {
 public:
  template <typename Server>
  void Serve(Server& server) {
    Statuses(server);
    server.Get("/slow", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content_provider(1000, "text/plain",
                                    [this](std::size_t, std::size_t, httplib::DataSink& sink) {
                                      std::this_thread::sleep_for(milliseconds{40});
                                      return !ending_ && sink.write("{", 1);
                                    });
    });
    server.Get("/silent", [this](const httplib::Request&, httplib::Response&) {
      while (!ending_) std::this_thread::sleep_for(milliseconds{5});
    });
    server.Get("/short", [](const httplib::Request&, httplib::Response& response) {
      response.set_content_provider(1000, "application/json",
                                    [](std::size_t at, std::size_t, httplib::DataSink& sink) {
                                      return at == 0 && sink.write(R"({"value": 3)", 11);
                                    });
    });
    server.Get("/huge", [this](const httplib::Request&, httplib::Response& response) {
      response.set_chunked_content_provider(
          "application/json", [this](std::size_t at, httplib::DataSink& sink) {
            if (at > (100U << 20)) sink.done();
            return !ending_ && sink.write(block_.data(), block_.size());
          });
    });
    Say(server, "/rubbish", "<html>it works</html>");
    Say(server, "/null", R"({"value": null})");
    Say(server, "/negative", R"({"value": -7})");
    const Time ahead =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) + hours{2};
    Say(server, "/skew", R"({"carbonIntensity": 50, "datetime": ")" + FormatTime(ahead) + "\"}");
    server.Get("/loop", [](const httplib::Request&, httplib::Response& response) {
      response.set_redirect("/loop");
    });
  }
  void End() { ending_ = true; }

 private:
  template <typename Server>
  void Statuses(Server& server) {
    server.Get(R"(/status/(\d+))",
               [](const httplib::Request& request, httplib::Response& response) {
                 response.status = std::stoi(request.matches[1]);
                 if (response.status == 429) response.set_header("Retry-After", "7");
                 response.set_content(R"({"value": 300})", "application/json");
               });
  }
  template <typename Server>
  static void Say(Server& server, const std::string& path, const std::string& body) {
    server.Get(path, [body](const httplib::Request&, httplib::Response& response) {
      response.set_content(body, "application/json");
    });
  }

  std::atomic<bool> ending_ = false;
  const std::string block_ = std::string(64 << 10, ' ');
};

// Runs a server on loopback during its own lifetime.
template <typename Server>
class Running {
 public:
  template <typename... Arguments>
  Running(const std::string& scheme, BadServer& bad, Arguments&&... arguments)
      : server_(std::forward<Arguments>(arguments)...), bad_(bad) {
    bad.Serve(server_);
    port_ = server_.bind_to_any_port("127.0.0.1");
    url_ = scheme + "://127.0.0.1:" + std::to_string(port_);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(milliseconds{1});
  }
  ~Running() {
    bad_.End();
    server_.stop();
    thread_.join();
  }
  std::string Url(const std::string& path) const { return url_ + path; }

 private:
  Server server_;
  BadServer& bad_;
  int port_ = 0;
  std::string url_;
  std::thread thread_;
};

std::vector<Case> CasesOf(const Running<httplib::SSLServer>& server, const std::string& good_file,
                          const Running<httplib::SSLServer>& old, const std::string& old_file) {
  std::vector<Case> cases;
  for (const int status : {200, 401, 403, 404, 408, 429, 500, 502, 503})
    cases.push_back({"status " + std::to_string(status) + (status == 429 ? ", Retry-After 7" : ""),
                     server.Url("/status/" + std::to_string(status)), good_file, status == 200});
  for (const auto& [name, path] :
       std::vector<std::pair<const char*, const char*>>{{"one byte every 40 ms", "/slow"},
                                                        {"connects, says nothing", "/silent"},
                                                        {"truncated body", "/short"},
                                                        {"100 MB body", "/huge"},
                                                        {"not JSON", "/rubbish"},
                                                        {"null value", "/null"},
                                                        {"negative value", "/negative"},
                                                        {"value 2 h ahead of our clock", "/skew"},
                                                        {"redirects to itself", "/loop"}})
    cases.push_back({name, server.Url(path), good_file});
  cases.push_back({"certificate nobody signed", server.Url("/status/200")});
  cases.push_back({"certificate has run out", old.Url("/status/200"), old_file});
  cases.push_back({"name does not resolve", "https://no-such-host.invalid/now"});
  cases.push_back({"nobody listens", "http://127.0.0.1:9/now"});
  return cases;
}

// Tries the same faults with a provider that can read none of these answers: no run may be
// released.
void ReportProvider(SignalSource source, const std::string& zone, const std::vector<Case>& cases) {
  SignalOptions options;
  options.source = source;
  options.zone = zone;
  options.auth_token = "a-token-of-nobody";
  const auto make = ProviderOf(options);
  if (!make) {
    std::printf("%-22s %s   <-- WRONG\n", std::string(Name(source)).c_str(),
                make.error().Message().c_str());
    ++failures;
    return;
  }
  int wrong = 0;
  long growth_kb = 0;
  for (const Case& fault : cases) {
    const Tried tried = Ask(fault, *make);
    if (!IsFine(tried, false)) ++wrong;
    growth_kb = std::max(growth_kb, tried.growth_kb);
  }
  failures += wrong;
  std::printf("%-22s %8zu %16d %8.1f\n", std::string(Name(source)).c_str(), cases.size(), wrong,
              static_cast<double>(growth_kb) / 1024);
}

void Run() {
  const Certificate good, expired(-7200, -3600);
  BadServer bad, bad_expired;
  const Running<httplib::SSLServer> server("https", bad, good.certificate, good.key);
  const Running<httplib::SSLServer> old("https", bad_expired, expired.certificate, expired.key);
  const auto cases = CasesOf(server, good.pem_file, old, expired.pem_file);
  std::printf("%-28s %8s %8s %8s  %-7s %-15s %s\n", "fault", "attempts", "waited", "MB more",
              "decided", "by rule", "what came of it");
  for (const Case& fault : cases) Report(fault);
  std::printf("\n%-22s %8s %16s %8s\n", "source", "faults", "released early", "MB more");
  for (const auto& [source, zone] : std::vector<std::pair<SignalSource, std::string>>{
           {SignalSource::kUkCarbonIntensity, "GB-13"},
           {SignalSource::kEnergyCharts, "DE"},
           {SignalSource::kElectricityMaps, "DE"},
           {SignalSource::kCaiso, "US-CAL-CISO"},
           {SignalSource::kNyiso, "US-NY-NYIS"},
           {SignalSource::kErcot, "US-TEX-ERCO"},
           {SignalSource::kMiso, "US-MIDW-MISO"},
           {SignalSource::kSpp, "US-CENT-SWPP"},
           {SignalSource::kIeso, "CA-ON"},
           {SignalSource::kOpenElectricity, "AU-NSW"},
           {SignalSource::kEia930, "US-CAL-CISO"},
           {SignalSource::kEntsoe, "DE"}})
    ReportProvider(source, zone, cases);
}

}  // namespace
}  // namespace ebb::signals

int main() {
  ebb::signals::Run();
  if (ebb::signals::failures > 0) {
    std::printf("%d of them wrong\n", ebb::signals::failures);
    return 1;
  }
  std::printf("no crash, nothing released early, at most %ld MB more memory\n",
              ebb::signals::kMemoryLimitKb >> 10);
  return 0;
}
