#include "app/run/run_surroundings.h"

#include <cstdio>
#include <random>

#include "app/run/run_files.h"
#include "config/prices/price_file.h"
#include "core/signal/one_value.h"
#include "plan/make_policy.h"
#include "report/run/had_it_waited.h"
#include "report/run/outlook_file.h"
#include "signals/make_feed.h"

namespace ebb::app {
namespace {

constexpr Duration kDefaultDuration = std::chrono::hours{1};

// True if the policy or the flags can make the run wait.
bool Waits(const config::SchedulerConfig& scheduler) {
  return scheduler.policy != plan::GatePolicyKind::kNow || scheduler.prices.threshold;
}

// A run id such as "baseline-20261120T203312Z-3f2a": readable, sorted by time, unique.
std::string NewRunId(const std::string& name, Time created) {
  std::string stamp;
  for (const char c : FormatTime(std::chrono::floor<std::chrono::seconds>(created))) {
    if (c != '-' && c != ':') stamp += c;
  }
  std::string safe;
  for (const char c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
    safe += kept ? c : '_';
  }
  char suffix[8];
  std::snprintf(suffix, sizeof suffix, "%04x", std::random_device{}() & 0xffffu);
  return safe + "-" + stamp + "-" + suffix;
}

// A run that starts at any intensity does not wait for the source's first answer.
signals::FirstAnswer WhenAnswered(const config::SchedulerConfig& scheduler) {
  return !Waits(scheduler) && scheduler.on_outage != core::OnOutage::kStop
             ? signals::FirstAnswer::kBeside
             : signals::FirstAnswer::kAwaited;
}

// The second signal, which must be of the other kind; nullptr if none is wanted.
Result<std::unique_ptr<runtime::SignalFeed>> OpenOther(const RunOptions& options,
                                                       core::SignalKind kind, Time now,
                                                       const std::function<bool()>& stop_asked) {
  if (!options.metering.other_signal) return std::unique_ptr<runtime::SignalFeed>();
  EBB_ASSIGN_OR_RETURN(
      auto feed, signals::MakeFeed(*options.metering.other_signal, platform::HttpGet, stop_asked,
                                   WhenAnswered(options.scheduler)));
  EBB_RETURN_IF_ERROR(signals::CheckCoverage(*feed, {now, now + Duration{1}}));
  if (feed->identity().kind == kind)
    return Fail({ExitCode::kConfiguration,
                 "both signals are " + std::string(core::Name(kind)) +
                     ": a second one is for the other kind",
                 feed->identity().source, "say what it is with --other-kind, or leave it out"});
  return feed;
}

// The signal, the prices and the clock, as a GateSide or as the base of Surroundings.
template <typename Side>
Result<std::unique_ptr<Side>> OpenSide(const RunOptions& options, runtime::Clock& wall,
                                       Time replay_begin, const std::function<bool()>& stop_asked) {
  EBB_RETURN_IF_ERROR(Validate(options));
  EBB_ASSIGN_OR_RETURN(auto feed, signals::MakeFeed(options.scheduler.signal, platform::HttpGet,
                                                    stop_asked, WhenAnswered(options.scheduler)));
  auto side = std::make_unique<Side>(std::move(feed), wall,
                                     ClockSettings(options.scheduler.clock, replay_begin));
  const Time now = side->clock.Now();
  EBB_RETURN_IF_ERROR(signals::CheckCoverage(*side->feed, {now, now + Duration{1}}));
  if (const std::string& path = options.scheduler.prices.path; !path.empty()) {
    EBB_ASSIGN_OR_RETURN(side->prices, config::LoadPrices(path));
  }
  return side;
}

}  // namespace

plan::GateRequest RequestNow(const config::SchedulerConfig& scheduler,
                             const runtime::GridClock& clock) {
  const core::GridClockSettings& settings = clock.settings();
  const Time submitted = settings.skip_waits ? settings.begin : clock.Now();
  return {submitted, submitted + (Waits(scheduler) ? scheduler.longest_wait : Duration::zero()),
          scheduler.duration.value_or(kDefaultDuration), scheduler.on_deadline,
          scheduler.on_outage};
}

Result<std::unique_ptr<GateSide>> OpenGateSide(const RunOptions& options, runtime::Clock& wall,
                                               Time replay_begin,
                                               const std::function<bool()>& stop_asked) {
  return OpenSide<GateSide>(options, wall, replay_begin, stop_asked);
}

Result<std::unique_ptr<Surroundings>> OpenSurroundings(const RunOptions& options,
                                                       runtime::Clock& wall, Time replay_begin,
                                                       const std::function<bool()>& stop_asked) {
  EBB_ASSIGN_OR_RETURN(auto surroundings,
                       OpenSide<Surroundings>(options, wall, replay_begin, stop_asked));
  EBB_ASSIGN_OR_RETURN(surroundings->other_feed,
                       OpenOther(options, surroundings->feed->identity().kind,
                                 surroundings->clock.Now(), stop_asked));
  surroundings->meters = meter::MakeMeters(MeterOptionsFor(options.metering));
  return surroundings;
}

core::RunSpec SpecOf(const RunOptions& options, const Surroundings& surroundings,
                     const std::string& name, Time created_wall) {
  const auto& scheduler = options.scheduler;
  core::RunSpec spec;
  spec.name = name;
  spec.group = options.group.empty() ? spec.name : options.group;
  spec.created_wall = created_wall;
  spec.run_id = NewRunId(spec.name, spec.created_wall);
  spec.policy = Name(scheduler.policy);
  if (scheduler.policy == plan::GatePolicyKind::kThreshold) spec.threshold = scheduler.threshold;
  spec.clock = surroundings.clock.settings();
  const plan::GateRequest request = RequestNow(scheduler, surroundings.clock);
  spec.submitted = request.submitted;
  spec.start_by = request.latest_start;
  spec.duration = request.remaining;
  if (!spec.clock.replayed) spec.clock.begin = spec.submitted;
  spec.signal = surroundings.feed->identity();
  if (surroundings.other_feed) spec.other_signal = surroundings.other_feed->identity();
  DescribeMetering(options.metering, surroundings.meters, spec);
  spec.location = options.location;
  if (surroundings.prices)
    spec.prices = {surroundings.prices->identity(), scheduler.prices.weight,
                   scheduler.prices.threshold};
  return spec;
}

std::filesystem::path DirectoryFor(const RunOptions& options, const core::RunSpec& spec) {
  using std::filesystem::path;
  return options.run_dir.empty() ? path(options.output_dir) / spec.run_id : path(options.run_dir);
}

Status StoreSurroundings(report::RunDirectory& directory, const Surroundings& surroundings,
                         core::RunRecord& run) {
  EBB_RETURN_IF_ERROR(StoreSignal(directory, run, *surroundings.feed));
  if (surroundings.prices) EBB_RETURN_IF_ERROR(StorePrices(directory, run, *surroundings.prices));
  return report::ReadSignalAnew(directory.path(), run);
}

Status StoreOutlook(const std::filesystem::path& directory, const Surroundings& surroundings,
                    core::RunRecord& run) {
  if (run.latest_start() > run.spec.submitted || run.ledger.empty()) return {};
  // The run ends now, so the same run one day later would end a day from now.
  constexpr Duration kSlack{std::chrono::hours{1}};
  const auto view =
      surroundings.feed->Observe(surroundings.clock.Now(), report::kLongestWait + kSlack);
  // A source without a value, a forecast or hours gives no outlook.
  if (!view || view->forecast.series.empty() || !core::KnowsHours(*view)) return {};
  EBB_RETURN_IF_ERROR(report::WriteOutlook(directory, *view, *run.started() - kSlack));
  run.outlook = report::ReadOutlook(directory);
  return {};
}

}  // namespace ebb::app
