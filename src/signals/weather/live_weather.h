#pragma once
// The weather of a zone, kept up to date: one question every few hours, for all zones whose weather
// is kept in the same cache, by whichever process comes first. Answers are kept as runs, so that
// the knowledge of a past forecast can be looked up. Blocks while it asks, so it is called on the
// thread that fetches. One thread at a time.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "signals/http/kept_answers.h"
#include "signals/weather/weather_source.h"

namespace ebb::signals {

struct LiveWeatherOptions {
  Duration refresh{std::chrono::hours{6}};
  /// The pause after a question without an answer.
  Duration retry{std::chrono::minutes{30}};
  std::string cache_directory;  ///< "": nothing is kept on disk
};

class LiveWeather {
 public:
  LiveWeather(std::unique_ptr<WeatherSource> source, ZoneToAsk zone, LiveWeatherOptions options);

  /// Loads the runs that were kept on disk.
  void ReadCache();
  /// Reads the cache, and asks if a question is due. Never fails: an error becomes a note, and the
  /// known runs stay in use.
  void Refresh(Time now);
  /// All known runs; new ones are added in a new archive. Never null.
  std::shared_ptr<const forecast::WeatherArchive> archive() const { return archive_; }
  /// Notes for the user: terms at first use, a cache that cannot be used, a source that stopped
  /// answering or answers again. Emptied by the call.
  std::vector<std::string> TakeNotes() { return kept_.TakeNotes(); }

 private:
  bool WantsPast(Time now) const;
  Time LatestIssue() const;
  bool WantsAhead(Time now) const;
  void AskPast(Time now);
  std::filesystem::path FileOf(const ZoneToAsk& zone, const char* ending) const;
  std::vector<ZoneToAsk> ZonesToAsk(Time now) const;
  void SayThatWatched(Time now);
  void AskOnceForAll(Time now);
  void Ask(Time now);
  void Keep(const ZoneToAsk& zone, std::vector<forecast::WeatherRun> runs, Time now);

  const std::unique_ptr<WeatherSource> source_;
  const ZoneToAsk zone_;
  const LiveWeatherOptions options_;
  KeptAnswers kept_;
  std::shared_ptr<const forecast::WeatherArchive> archive_;
  Time not_before_{};
  bool past_goes_on_ = false;  ///< whether the latest question about the past brought something
  std::optional<Time> past_asked_in_vain_at_;
};

}  // namespace ebb::signals
