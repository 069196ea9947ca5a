#include "signals/make_feed.h"

#include <utility>

#include "signals/constant_feed.h"
#include "signals/live_feed.h"
#include "signals/make_provider.h"
#include "signals/profile_feed.h"
#include "signals/replay_feed.h"
#include "signals/signal_cache.h"
#include "signals/trace_csv.h"
#include "signals/yearly_average.h"

namespace ebb::signals {
namespace {

using FeedResult = Result<std::unique_ptr<runtime::SignalFeed>>;

FeedResult MakeReplay(const SignalOptions& options) {
  if (options.trace_path.empty())
    return Fail({ExitCode::kConfiguration, "a replayed signal needs a trace", "",
                 "name a CSV file with --trace or scheduler.trace"});
  TraceOptions trace_options;
  if (!options.zone.empty()) trace_options.zone = options.zone;
  trace_options.kind = options.kind;
  trace_options.boundary = options.boundary;
  EBB_ASSIGN_OR_RETURN(Trace trace, LoadTrace(options.trace_path, trace_options));
  EBB_ASSIGN_OR_RETURN(auto feed, ReplayFeed::Create(std::move(trace), options.forecast));
  return feed;
}

FeedResult MakeProfile(const SignalOptions& options) {
  if (options.zone == kNeoProfile) return MakeNeoProfileFeed(options.neo_utc_offset);
  return MakeZoneProfileFeed(options.zone.empty() ? kDefaultZone : options.zone, options.seed);
}

FeedResult MakeConstant(const SignalOptions& options) {
  if (!options.constant)
    return Fail({ExitCode::kConfiguration, "a constant signal needs its value", "",
                 "give it in gCO2eq/kWh with scheduler.constant"});
  return MakeConstantFeed(*options.constant, options.zone,
                          options.kind.value_or(core::SignalKind::kAverage));
}

FeedResult MakeLive(const SignalOptions& options, HttpGetFunction http_get) {
  EBB_ASSIGN_OR_RETURN(const MakeProviderFunction make_provider, ProviderOf(options));
  LiveFeedOptions live;
  live.live.refresh = options.refresh;
  live.live.cache_directory =
      options.cache_directory == "auto" ? DefaultCacheDirectory() : options.cache_directory;
  live.outage = options.outage;
  return LiveFeed::Start(make_provider, std::move(http_get), std::move(live));
}

}  // namespace

FeedResult MakeFeed(const SignalOptions& options, HttpGetFunction http_get) {
  switch (options.source) {
    case SignalSource::kReplay:
      return MakeReplay(options);
    case SignalSource::kProfile:
      return MakeProfile(options);
    case SignalSource::kConstant:
      return MakeConstant(options);
    case SignalSource::kYearlyAverage:
      return MakeYearlyAverageFeed(options.zone);
    case SignalSource::kHttp:
    case SignalSource::kElectricityMaps:
    case SignalSource::kUkCarbonIntensity:
    case SignalSource::kWattTime:
    case SignalSource::kCarbonAwareSdk:
      return MakeLive(options, std::move(http_get));
  }
  return Fail({ExitCode::kBug, "a signal source that does not exist", "", ""});
}

Status CheckCoverage(const runtime::SignalFeed& feed, Interval interval) {
  const auto coverage = feed.Coverage();
  if (!coverage || (coverage->begin <= interval.begin && interval.end <= coverage->end)) return {};
  // A caller that asks about a moment passes the shortest interval that contains it.
  const bool moment = interval.length() < std::chrono::seconds{1};
  const std::string needed =
      FormatTime(interval.begin) + (moment ? "" : " to " + FormatTime(interval.end));
  return Fail({ExitCode::kConfiguration,
               "the trace covers " + FormatTime(coverage->begin) + " to " +
                   FormatTime(coverage->end) + ", but " + needed + " is needed",
               feed.identity().source, "choose another --grid-start or another trace"});
}

std::string DescribeState(const runtime::SignalFeed& feed, Time now) {
  const auto* live = dynamic_cast<const LiveFeed*>(&feed);
  if (!live) return "";
  const auto snapshot = live->snapshot();
  std::string text = DescribeState(*snapshot, now, live->outage());
  if (snapshot->forecast_failure)
    text += "; no forecast from the provider: " + snapshot->forecast_failure->Message();
  return text;
}

std::optional<SignalState> StateOf(const runtime::SignalFeed& feed, Time now) {
  const auto* live = dynamic_cast<const LiveFeed*>(&feed);
  if (!live) return std::nullopt;
  return StateAt(*live->snapshot(), now, live->outage());
}

std::string Describe(const core::SignalIdentity& identity) {
  std::string line = identity.zone.empty() ? "unnamed zone" : identity.zone;
  line += ", " + std::string(core::Name(identity.kind));
  if (identity.boundary == core::Boundary::kLifecycle) line += ", life cycle";
  if (identity.boundary == core::Boundary::kDirect) line += ", direct";
  return line + ": " + identity.source;
}

}  // namespace ebb::signals
