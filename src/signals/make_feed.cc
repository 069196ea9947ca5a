#include "signals/make_feed.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/signal/countries.h"
#include "core/signal/sample_archive.h"
#include "signals/feeds/chain_feed.h"
#include "signals/feeds/constant_feed.h"
#include "signals/feeds/live_feed.h"
#include "signals/feeds/profile_feed.h"
#include "signals/feeds/replay_feed.h"
#include "signals/feeds/signal_cache.h"
#include "signals/feeds/yearly_average.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/make_markets.h"
#include "signals/make_provider.h"
#include "signals/make_weather.h"
#include "signals/traces/trace_csv.h"

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
  auto loaded = LoadTrace(options.trace_path, trace_options);
  if (!loaded && loaded.error().code == ExitCode::kUnavailable && !options.how_to_get.empty())
    loaded.error().next = options.how_to_get;
  EBB_ASSIGN_OR_RETURN(Trace trace, std::move(loaded));
  ReplayOptions replay{options.forecast, options.publication, options.outage};
  EBB_ASSIGN_OR_RETURN(replay.weather,
                       ArchivedWeather(options.weather, trace.series.identity().zone));
  if (options.prices) replay.drivers.push_back(forecast::DriverOf(*options.prices));
  if (options.operators)
    std::ranges::move(DriversOf(*options.operators), std::back_inserter(replay.drivers));
  EBB_ASSIGN_OR_RETURN(auto feed, ReplayFeed::Create(std::move(trace), replay));
  return feed;
}

FeedResult MakeProfile(const SignalOptions& options) {
  if (options.zone == kNeoProfile) return MakeNeoProfileFeed(options.neo_clock);
  if (options.zone.empty())
    return Fail({ExitCode::kUsage, "the grid zone is not known, and nothing here suggests one", "",
                 "give --zone DE, for example; for every command, run ebb init, or set EBB_ZONE"});
  auto feed = MakeZoneProfileFeed(options.zone, options.seed);
  const core::Country* country = core::CountryOfZone(options.zone);
  if (!feed && country && country->has_mean())
    feed.error().next = "a token brings its hours (ebb init); of " + std::string(country->name) +
                        " the yearly mean is known, which counts emissions and has no hours: "
                        "--signal yearly-average; " +
                        feed.error().next;
  return feed;
}

FeedResult MakeConstant(const SignalOptions& options) {
  if (!options.constant)
    return Fail({ExitCode::kConfiguration, "a constant signal needs its value", "",
                 "give it in gCO2eq/kWh with scheduler.constant"});
  return MakeConstantFeed(*options.constant, options.zone,
                          options.kind.value_or(core::SignalKind::kAverage));
}

// If the first answer comes beside other work, a caller that ends early still waits this long for
// it.
constexpr Duration kLongestBeside{std::chrono::seconds{5}};

// The means and the limits with which live sources are asked.
struct Asking {
  HttpGetFunction http_get;
  std::function<bool()> interrupted;
  FirstAnswer first_answer = FirstAnswer::kAwaited;
};

// The parts of a live source, with their secrets: a link of a chain may be opened when the secrets
// are no longer in the environment.
struct LiveParts {
  MakeProviderFunction provider;
  MakeWeatherFunction weather;
  std::vector<LiveMarketParts> markets;
};

Result<LiveParts> PartsOf(const SignalOptions& options) {
  LiveParts parts;
  EBB_ASSIGN_OR_RETURN(parts.provider, ProviderOf(options));
  EBB_ASSIGN_OR_RETURN(parts.weather, WeatherOf(options, CacheDirectoryOf(options)));
  EBB_ASSIGN_OR_RETURN(parts.markets, MarketsOf(options, CacheDirectoryOf(options)));
  return parts;
}

std::unique_ptr<LiveFeed> MakeLive(const SignalOptions& options, const LiveParts& parts,
                                   const Asking& asking, Duration first_answer) {
  LiveFeedOptions live;
  live.live.refresh = options.refresh;
  live.live.cache_directory = CacheDirectoryOf(options);
  live.live.typical = TypicalYearOf(options.zone);
  live.make_weather = parts.weather;
  live.markets = parts.markets;
  live.weather_patience.rate = WeatherRate(options.weather);
  live.outage = options.outage;
  live.first_answer = first_answer;
  live.interrupted = asking.interrupted;
  live.answers_beside = asking.first_answer == FirstAnswer::kBeside;
  if (live.answers_beside) live.first_answer = std::min(first_answer, kLongestBeside);
  return LiveFeed::Start(parts.provider, asking.http_get, std::move(live));
}

FeedResult MakeOne(const SignalOptions& options, const Asking& asking, Duration first_answer) {
  switch (options.source) {
    case SignalSource::kReplay:
      return MakeReplay(options);
    case SignalSource::kProfile:
      return MakeProfile(options);
    case SignalSource::kConstant:
      return MakeConstant(options);
    case SignalSource::kYearlyAverage:
      return MakeYearlyAverageFeed(options.zone);
    default:
      EBB_ASSIGN_OR_RETURN(const LiveParts parts, PartsOf(options));
      return MakeLive(options, parts, asking, first_answer);
  }
}

// A link of a chain, with the identity that it states before anything is asked.
Result<ChainLink> LinkOf(const SignalOptions& link, const Asking& asking) {
  const std::string name(Name(link.source));
  if (!IsLive(link.source)) {
    EBB_ASSIGN_OR_RETURN(const auto feed, MakeOne(link, asking, {}));
    return ChainLink{name, feed->identity(), [=](Duration first_answer) -> Result<OpenLink> {
                       OpenLink open;
                       EBB_ASSIGN_OR_RETURN(open.feed, MakeOne(link, asking, first_answer));
                       return open;
                     }};
  }
  EBB_ASSIGN_OR_RETURN(const LiveParts parts, PartsOf(link));
  return ChainLink{name, parts.provider(asking.http_get)->identity(),
                   [=](Duration first_answer) -> Result<OpenLink> {
                     OpenLink open;
                     auto live = MakeLive(link, parts, asking, first_answer);
                     open.live = live.get();
                     open.feed = std::move(live);
                     return open;
                   }};
}

FeedResult MakeChain(const SignalOptions& options, const Asking& asking) {
  std::vector<ChainLink> links;
  for (std::size_t i = 0; i <= options.fallbacks.size(); ++i) {
    const SignalOptions link = LinkOptions(options, i);
    const std::string name(Name(link.source));
    if (link.source == SignalSource::kReplay)
      return Fail({ExitCode::kConfiguration, "a replay cannot be in a chain of sources", "",
                   "a trace has no outages: name it alone"});
    if (i < options.fallbacks.size() && !IsLive(link.source))
      return Fail({ExitCode::kConfiguration,
                   "nothing is asked after " + name + ", which always has a value", "",
                   "put it last in the chain"});
    EBB_ASSIGN_OR_RETURN(ChainLink made, LinkOf(link, asking));
    links.push_back(std::move(made));
  }
  EBB_RETURN_IF_ERROR(CheckChain(links));
  return ChainFeed::Start(std::move(links), LiveFeedOptions{}.first_answer);
}

// The values that one source has published: a live source is asked once; a recorded or generated
// one has them.
Result<std::vector<core::Sample>> SettledOf(const SignalOptions& link, Interval interval, Time now,
                                            const HttpGetFunction& http_get) {
  if (!IsLive(link.source)) {
    EBB_ASSIGN_OR_RETURN(const auto feed, MakeOne(link, {http_get, {}, {}}, {}));
    EBB_ASSIGN_OR_RETURN(const core::IntensitySeries series, feed->Settled(interval));
    return series.samples();
  }
  EBB_ASSIGN_OR_RETURN(const MakeProviderFunction make_provider, ProviderOf(link));
  EBB_ASSIGN_OR_RETURN(const Reading reading,
                       make_provider(http_get)->Read({now, Duration{0}, interval.begin, false}));
  core::SampleArchive archive;
  archive.Add(reading.known);
  std::vector<core::Sample> over;
  for (const core::Sample& sample : archive.samples())
    if (sample.interval.end <= now) over.push_back(sample);
  EBB_ASSIGN_OR_RETURN(const auto series, core::IntensitySeries::Create({}, std::move(over)));
  return series.Slice(interval).samples();
}

}  // namespace

Result<core::IntensitySeries> AskSettled(const SignalOptions& options, Interval interval, Time now,
                                         const HttpGetFunction& http_get) {
  const std::size_t links = options.fallbacks.size() + 1;
  std::vector<core::Sample> samples;
  std::optional<Error> failure;
  std::size_t answered = 0;
  core::SignalIdentity identity;
  for (std::size_t link = 0; link < links; ++link) {
    const SignalOptions one = links == 1 ? options : LinkOptions(options, link);
    if (links > 1) identity.links.emplace_back(Name(one.source));
    const bool is_generated = links > 1 && !IsLive(one.source);
    const Interval over{interval.begin, std::max(interval.begin, std::min(interval.end, now))};
    auto settled = SettledOf(one, is_generated ? over : interval, now, http_get);
    if (!settled) {
      if (!failure) failure = std::move(settled).error();
      continue;
    }
    ++answered;
    for (core::Sample& sample : *settled) sample.link = static_cast<std::uint8_t>(link);
    samples = core::Filled(samples, *settled);
  }
  if (answered == 0) return Fail(*std::move(failure));
  return core::IntensitySeries::Create(std::move(identity), std::move(samples));
}

FeedResult MakeFeed(const SignalOptions& options, HttpGetFunction http_get,
                    std::function<bool()> interrupted, FirstAnswer first_answer) {
  EBB_RETURN_IF_ERROR(CheckWeatherUse(options));
  EBB_RETURN_IF_ERROR(CheckMarketUse(options));
  Asking asking{std::move(http_get), std::move(interrupted)};
  if (!options.fallbacks.empty()) return MakeChain(options, asking);
  asking.first_answer = first_answer;
  return MakeOne(options, asking, LiveFeedOptions{}.first_answer);
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

std::string Describe(const core::SignalIdentity& identity) {
  std::string line = identity.zone.empty() ? "unnamed zone" : identity.zone;
  line += ", " + std::string(core::Name(identity.kind));
  if (identity.boundary == core::Boundary::kLifecycle) line += ", life cycle";
  if (identity.boundary == core::Boundary::kDirect) line += ", direct";
  return line + ": " + identity.source;
}

}  // namespace ebb::signals
