// Prints how fast decisions are made for 10,000 jobs that wait on one zone, how often its API is
// asked meanwhile (by one process and by eight that share a cache), and how long a decision takes
// while the API answers nothing at all.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "plan/make_policy.h"
#include "platform/system_clock.h"
#include "signals/feeds/live_feed.h"
#include "signals/providers/json_address.h"

namespace ebb {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using SteadyClock = std::chrono::steady_clock;

constexpr int kJobs = 10'000;
const Time kBegin = *ParseTime("2026-05-04");

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Two weeks of past values and four days of forecast, hourly, as a live source gives them.
core::SignalView ViewAt(Time now) {
  std::vector<core::Sample> known, ahead;
  const Time hour = std::chrono::floor<hours>(now);
  const auto sample = [](Time at, core::SampleStatus status) {
    const double swing = std::cos(Hours(at - kBegin) * 2 * 3.14159265358979 / 24);
    return core::Sample{{at, at + hours{1}}, {300 + 100 * swing}, status};
  };
  for (int i = -14 * 24; i <= 0; ++i)
    known.push_back(sample(hour + hours{i}, core::SampleStatus::kMeasured));
  for (int i = 1; i <= 96; ++i)
    ahead.push_back(sample(hour + hours{i}, core::SampleStatus::kForecast));
  core::SignalView view;
  view.now = now;
  view.known = *core::IntensitySeries::Create({}, std::move(known));
  view.forecast = {now, "a cosine", *core::IntensitySeries::Create({}, std::move(ahead)), {}, {}};
  return view;
}

core::Job WaitingJob(int id) {
  core::Job job;
  job.id = id;
  job.submitted = kBegin;
  job.duration = minutes{30 + id % 240};
  job.power = {300};
  job.start_by = kBegin + hours{30 + id % 60};
  job.threshold = Intensity{100.0 + id % 90};  // below all values, so the jobs wait
  return job;
}

// Each new value makes the policy decide again for every job.
void Decisions(const std::string& policy) {
  engine::Options options;
  options.admission = engine::Admission::kTakeAll;
  engine::Engine engine(options, *plan::MakePolicy(policy, {}));
  std::ignore = engine.Apply(
      {kBegin, engine::ClusterChanged{{{{"here", "TEST", {1.0}}}, {{"gpu", 0, 64, 1, 1, {}}}}}});
  for (int id = 1; id <= kJobs; ++id)
    std::ignore = engine.Apply({kBegin, engine::JobSubmitted{WaitingJob(id)}});
  std::vector<double> cycle_s;
  std::size_t decided = 0;
  for (int minute = 0; minute < 5 * 40; minute += 5) {
    const Time now = kBegin + minutes{minute};
    engine::SignalObserved observed{0, ViewAt(now), now + minutes{5}};
    const auto begin = SteadyClock::now();
    std::ignore = engine.Apply({now, std::move(observed)});
    std::ignore = engine.Decide(now);
    cycle_s.push_back(SecondsSince(begin));
    decided += engine.state().live.size();
  }
  double sum = 0;
  for (const double seconds : cycle_s) sum += seconds;
  std::sort(cycle_s.begin(), cycle_s.end());
  std::printf("  %-14s %9.0f decisions/s   %6.1f ms per cycle (median), %6.1f ms (longest)\n",
              policy.c_str(), static_cast<double>(decided) / sum,
              1000 * cycle_s[cycle_s.size() / 2], 1000 * cycle_s.back());
}

// A counter that processes share.
std::atomic<int>& SharedCounter() {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (page) std::atomic<int>(0);
}

std::unique_ptr<signals::LiveFeed> Feed(signals::HttpGetFunction http_get,
                                        signals::LiveFeedOptions options) {
  signals::JsonAddressOptions address;
  address.url = "https://grid.example/now";
  address.refresh = options.live.refresh;
  return signals::LiveFeed::Start(
      [address](signals::HttpGetFunction get) {
        return signals::MakeJsonAddress(address, std::move(get));
      },
      std::move(http_get), std::move(options));
}

// Looks at a signal for the time `span`, whose API takes 20 ms to answer. Each look stands for the
// look of one waiting job.
std::size_t LookFor(Duration span, std::atomic<int>& calls, const std::string& cache) {
  signals::LiveFeedOptions options;
  options.live.refresh = std::chrono::seconds{1};
  options.live.cache_directory = cache;
  const auto feed = Feed(
      [&calls](const platform::HttpRequest&) -> Result<platform::HttpResponse> {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        return platform::HttpResponse{200, R"({"value": 300})"};
      },
      options);
  std::size_t looks = 0;
  for (const auto end = SteadyClock::now() + span; SteadyClock::now() < end; ++looks)
    std::ignore = feed->Observe(platform::WallNow(), hours{96});
  return looks;
}

void ApiCalls(int processes) {
  constexpr Duration kSpan{5500};
  std::atomic<int>& calls = SharedCounter();
  const auto cache = std::filesystem::temp_directory_path() /
                     ("ebb-bench-" + std::to_string(::getpid()) + "-" + std::to_string(processes));
  for (int i = 0; i < processes; ++i) {
    if (::fork() != 0) continue;
    LookFor(kSpan, calls, cache.string());
    std::_Exit(0);
  }
  while (::wait(nullptr) > 0) {
  }
  std::filesystem::remove_all(cache);
  std::printf("  %d process%s: %d calls in %.1f s with a refresh of 1 s, %.2f per interval\n",
              processes, processes == 1 ? " " : "es", calls.load(), Seconds(kSpan),
              calls.load() / (std::floor(Seconds(kSpan)) + 1));
}

void BlackHole() {
  signals::LiveFeedOptions options;
  options.first_answer = Duration{20};
  const auto feed = Feed(
      [](const platform::HttpRequest& request) -> Result<platform::HttpResponse> {
        while (!*request.cancelled) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        return Fail({ExitCode::kUnavailable, "given up", "", ""});
      },
      options);
  const auto policy = plan::MakeThreshold(Intensity{200});
  std::vector<double> micros;
  int started = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto begin = SteadyClock::now();
    const Time now = platform::WallNow();
    auto view = feed->Observe(now, hours{96});
    core::SignalView nothing;
    nothing.now = now;
    plan::GateRequest request{now, now + hours{24}, hours{1}};
    const auto decision = policy->Decide(request, {view ? *view : nothing, feed->NextChange(now)});
    started += decision.action == core::GateAction::kStart;
    micros.push_back(1e6 * SecondsSince(begin));
  }
  std::sort(micros.begin(), micros.end());
  std::printf("  median %.1f us, p99 %.1f us, longest %.0f us; %d of %zu started\n",
              micros[micros.size() / 2], micros[micros.size() * 99 / 100], micros.back(), started,
              micros.size());
}

}  // namespace
}  // namespace ebb

int main() {
  std::printf("%d jobs waiting on one zone, each decided again at every new value:\n", ebb::kJobs);
  for (const char* policy : {"threshold", "tiers", "lowest-window", "carbon-time", "dtpr"})
    ebb::Decisions(policy);
  std::printf("Calls of the API while all of them look:\n");
  for (const int processes : {1, 8}) ebb::ApiCalls(processes);
  std::printf("One decision while the API answers nothing:\n");
  ebb::BlackHole();
}
