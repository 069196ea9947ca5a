#include "signals/weather/live_weather.h"

#include <algorithm>

#include "base/text.h"
#include "platform/file.h"
#include "signals/http/web_request.h"
#include "signals/weather/weather_csv.h"

namespace ebb::signals {
namespace {

// Weather is kept as long as the intensity that it explains. The oldest runs go in blocks, so that
// fits need not be made anew for each run.
constexpr Duration kKept{std::chrono::days{400}};
constexpr Duration kBlock{std::chrono::days{28}};
// A zone that no process has used for this long is no longer asked for.
constexpr Duration kForgotten{std::chrono::days{7}};
constexpr std::uint64_t kCacheLimitBytes = 64ULL << 20;
constexpr std::size_t kMostZones = 20;
constexpr const char* kPointsEnding = ".points";

// Reads the file of SayThatWatched; nullopt if it is damaged or old.
std::optional<ZoneToAsk> WatchedZoneIn(const std::filesystem::path& file, Time now) {
  const auto text = platform::ReadFile(file, 64 << 10);
  if (!text) return std::nullopt;
  const auto lines = Split(*text, '\n');
  if (lines.size() < 3) return std::nullopt;
  const auto points = PointsFromText(lines[1]);
  const auto watched = ParseTime(lines[2]);
  if (!points || !watched || *watched < now - kForgotten) return std::nullopt;
  return ZoneToAsk{std::string(lines[0]), *points};
}

}  // namespace

LiveWeather::LiveWeather(std::unique_ptr<WeatherSource> source, ZoneToAsk zone,
                         LiveWeatherOptions options)
    : source_(std::move(source)),
      zone_(std::move(zone)),
      options_(std::move(options)),
      kept_(options_.cache_directory, "the weather"),
      archive_(std::make_shared<const forecast::WeatherArchive>()) {}

void LiveWeather::Refresh(Time now) {
  if (not_before_ - options_.refresh > now) not_before_ = {};  // the clock was set back
  if (now < not_before_) return;
  ReadCache();
  if (WantsPast(now) || WantsAhead(now)) AskOnceForAll(now);
  if (!WantsAhead(now)) not_before_ = LatestIssue() + options_.refresh;
  if (past_goes_on_ && WantsPast(now)) not_before_ = now;
}

// False for some time after a question that brought nothing.
bool LiveWeather::WantsPast(Time now) const {
  const bool in_vain = past_asked_in_vain_at_ && now >= *past_asked_in_vain_at_ &&
                       now < *past_asked_in_vain_at_ + options_.refresh;
  return !in_vain && source_->LacksPast(*archive_, now);
}

Time LiveWeather::LatestIssue() const {
  return archive_->empty() ? Time{} : archive_->runs().back().issued;
}

bool LiveWeather::WantsAhead(Time now) const {
  return now >= LatestIssue() + options_.refresh || LatestIssue() > now;
}

// "DIRECTORY/open-meteo_DE_0123456789abcdef.csv": the digest tells servers and places apart.
std::filesystem::path LiveWeather::FileOf(const ZoneToAsk& zone, const char* ending) const {
  const std::string digest = ShortDigest(source_->server() + "\n" + ToText(zone.points));
  return kept_.File(source_->name() + "_" + UrlEscape(zone.zone) + "_" + digest + ending);
}

// The own zone, and the zones that other processes use with the same cache and server.
std::vector<ZoneToAsk> LiveWeather::ZonesToAsk(Time now) const {
  std::vector<ZoneToAsk> zones{zone_};
  if (!kept_.on_disk()) return zones;
  std::error_code none;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options_.cache_directory, none))
    if (entry.path().extension() == kPointsEnding) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (zones.size() >= kMostZones) break;
    const auto other = WatchedZoneIn(file, now);
    const bool is_ours = other && FileOf(*other, kPointsEnding) == file;  // else another server's
    if (is_ours && std::find(zones.begin(), zones.end(), *other) == zones.end())
      zones.push_back(*other);
  }
  return zones;
}

// Leaves a note in the cache, so that the next process that asks asks for this zone as well.
void LiveWeather::SayThatWatched(Time now) {
  kept_.Write(FileOf(zone_, kPointsEnding),
              zone_.zone + "\n" + ToText(zone_.points) + "\n" + FormatTime(now) + "\n");
}

void LiveWeather::ReadCache() {
  if (!kept_.on_disk()) return;
  const auto path = FileOf(zone_, ".csv");
  const auto text = platform::ReadFile(path, kCacheLimitBytes);
  if (!text) return;
  auto cached = ParseWeather(*text, path.string());
  if (!cached) return kept_.Note("the cached weather is ignored: " + cached.error().Message());
  const bool news =
      archive_->empty() || cached->runs().back().issued > archive_->runs().back().issued;
  if (news) archive_ = std::make_shared<const forecast::WeatherArchive>(*std::move(cached));
}

// Lets one process ask for all zones; the others read what it wrote.
void LiveWeather::AskOnceForAll(Time now) {
  std::optional<platform::FileLock> lock;
  const auto turn = kept_.TakeTurn(kept_.File(source_->name() + ".lock"), lock);
  if (turn == KeptAnswers::Turn::kOfAnother) {
    not_before_ = now + KeptAnswers::kAnotherAsks;
    return;
  }
  if (turn == KeptAnswers::Turn::kOurs) {
    ReadCache();
    SayThatWatched(now);
  }
  Ask(now);
}

void LiveWeather::Ask(Time now) {
  if (archive_->empty() && !past_asked_in_vain_at_) kept_.Note(std::string(source_->terms()));
  not_before_ = now + options_.retry;
  if (WantsPast(now)) AskPast(now);
  if (!WantsAhead(now)) return;
  const std::vector<ZoneToAsk> zones = ZonesToAsk(now);
  auto ahead = source_->Ahead(zones, now, LatestIssue());
  if (!ahead) {
    kept_.Failed("no new weather: " + ahead.error().Message() +
                 "; forecasts use the latest run as far as it reaches, then the zone's own past");
    return;
  }
  kept_.Answered();
  if (ahead->empty()) return;  // there is no newer run yet
  for (std::size_t i = 0; i < zones.size(); ++i) Keep(zones[i], std::move((*ahead)[i]), now);
}

void LiveWeather::AskPast(Time now) {
  const std::size_t kept = archive_->runs().size();
  auto past = source_->Past(zone_, now, *archive_);
  if (past) Keep(zone_, *std::move(past), now);
  past_goes_on_ = archive_->runs().size() > kept;
  if (!past_goes_on_) past_asked_in_vain_at_ = now;
  if (!past)
    kept_.Note("how the weather of the past had been forecast is not known: " +
               past.error().Message());
}

// Adds runs to the known ones: in memory for the own zone, on disk for each zone.
void LiveWeather::Keep(const ZoneToAsk& zone, std::vector<forecast::WeatherRun> runs, Time now) {
  const bool own = zone == zone_;
  std::vector<forecast::WeatherRun> kept;
  const auto path = FileOf(zone, ".csv");
  if (own) {
    kept = archive_->runs();
  } else if (const auto text = platform::ReadFile(path, kCacheLimitBytes)) {
    if (const auto there = ParseWeather(*text, path.string())) kept = there->runs();
  }
  for (forecast::WeatherRun& run : runs) {
    const bool known = std::any_of(kept.begin(), kept.end(),
                                   [&](const auto& other) { return other.issued == run.issued; });
    if (!known && !run.hours.empty()) kept.push_back(std::move(run));
  }
  std::erase_if(kept, [&](const auto& run) { return run.issued > now; });
  std::sort(kept.begin(), kept.end(),
            [](const auto& a, const auto& b) { return a.issued < b.issued; });
  if (!kept.empty() && kept.front().issued < now - kKept - kBlock)
    std::erase_if(kept, [&](const auto& run) { return run.issued < now - kKept; });
  auto archive = forecast::WeatherArchive::Create(source_->name(), std::move(kept));
  if (!archive) return kept_.Note("the weather is not used: " + archive.error().Message());
  if (kept_.on_disk()) kept_.Write(path, WeatherText(*archive));
  if (own) archive_ = std::make_shared<const forecast::WeatherArchive>(*std::move(archive));
}

}  // namespace ebb::signals
