#include "signals/kept_signal.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "platform/file.h"
#include "signals/feeds/forecast_record_file.h"
#include "signals/feeds/live_signal.h"
#include "signals/feeds/signal_cache.h"
#include "signals/feeds/zone_profiles.h"
#include "signals/make_markets.h"
#include "signals/make_provider.h"
#include "signals/make_weather.h"

namespace ebb::signals {
namespace {

Result<platform::HttpResponse> AskNobody(const platform::HttpRequest&) {
  return Fail({ExitCode::kBug, "asked for what is kept on disk", "", ""});
}

Result<KeptSignal> ReadOne(const SignalOptions& link, const std::filesystem::path& path,
                           const std::string& provider) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path, kSignalCacheLimitBytes));
  EBB_ASSIGN_OR_RETURN(CachedSignal cached, CachedSignalFromText(text, path.string()));
  KeptSignal kept;
  kept.provider = provider;
  kept.answered_at = cached.answered_at;
  EBB_ASSIGN_OR_RETURN(kept.known, core::IntensitySeries::Create(std::move(cached.identity),
                                                                 std::move(cached.known)));
  EBB_ASSIGN_OR_RETURN(auto record, ReadForecastRecord(ForecastRecordPath(path)));
  kept.typical = TypicalYearOf(link.zone);
  kept.record = std::make_shared<const forecast::ForecastRecord>(std::move(record));
  EBB_ASSIGN_OR_RETURN(const auto markets, MarketsOf(link, CacheDirectoryOf(link)));
  for (const LiveMarketParts& parts : markets) {
    const auto market = parts.make(AskNobody);
    market->ReadCache();
    kept.drivers.insert(kept.drivers.end(), market->drivers()->begin(), market->drivers()->end());
  }
  EBB_ASSIGN_OR_RETURN(const auto make_weather, WeatherOf(link, CacheDirectoryOf(link)));
  if (!make_weather) return kept;
  const auto weather = make_weather(AskNobody);
  weather->ReadCache();
  kept.weather = weather->archive();
  return kept;
}

}  // namespace

core::Publication KeptSignal::UsualPublication() const {
  if (!record->empty()) return record->UsualPublication();
  if (known.empty() || known.span().end > answered_at) return core::Publication::AtBegin();
  return core::Publication::AfterEnd(answered_at - known.span().end);
}

Result<KeptSignal> ReadKeptSignal(const SignalOptions& options) {
  const std::string directory = CacheDirectoryOf(options);
  std::string names;
  for (std::size_t i = 0; !directory.empty() && i <= options.fallbacks.size(); ++i) {
    const SignalOptions link = LinkOptions(options, i);
    if (!IsLive(link.source)) continue;
    EBB_ASSIGN_OR_RETURN(const MakeProviderFunction make_provider, ProviderOf(link));
    const auto provider = make_provider(AskNobody);
    const auto path = CachePath(directory, provider->cache_key(), provider->identity());
    std::error_code failed;
    if (std::filesystem::exists(path, failed)) return ReadOne(link, path, provider->name());
    names += (names.empty() ? "" : ", ") + provider->name();
  }
  const std::string zone = options.zone.empty() ? "this zone" : options.zone;
  if (names.empty())
    return Fail({ExitCode::kConfiguration,
                 "no live source is asked about " + zone + ", so no past of it is kept", directory,
                 "name a source with --signal, or a recorded past with --trace"});
  return Fail({ExitCode::kUnavailable, "nothing is kept of " + zone + " yet (" + names + ")",
               directory, "a service (ebb serve) or ebb grid keeps it while it is used"});
}

}  // namespace ebb::signals
