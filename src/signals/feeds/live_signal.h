#pragma once
// One live source: when to ask it, which answers to keep, and the forecast beyond them. Blocks
// while it asks; live_feed.h puts it on a thread of its own. There is one question per refresh
// interval, for all readers and for all processes that share a cache on disk. A question comes
// sooner just after an interval has ended, so that a decision does not lag behind published values,
// and soon again if the next value was not there yet. One thread at a time.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/signal/sample_archive.h"
#include "forecast/better_on_record.h"
#include "forecast/drivers.h"
#include "forecast/forecast_record.h"
#include "forecast/typical_year.h"
#include "forecast/weather_forecaster.h"
#include "signals/feeds/live_view.h"
#include "signals/http/kept_answers.h"
#include "signals/provider.h"

namespace ebb::signals {

/// Drivers of a zone's forecast, one list for each market or operator that gave them; not null.
using Drivers = std::vector<std::shared_ptr<const std::vector<forecast::Driver>>>;

struct LiveOptions {
  Duration refresh{std::chrono::minutes{5}};
  /// Pause between the end of an interval and the question for the next; Start varies it, so that
  /// not everybody asks at once.
  Duration after_interval{std::chrono::seconds{5}};
  Duration forecast_refresh{std::chrono::minutes{30}};
  Duration horizon{std::chrono::hours{96}};
  std::string cache_directory;  ///< "": nothing is kept on disk
  bool knows_weather = false;   ///< see LiveSignal::Use
  /// Typical days of the zone, with which forecasts begin; null: none are known.
  std::shared_ptr<const forecast::TypicalYear> typical{};
};

class LiveSignal {
 public:
  LiveSignal(std::unique_ptr<Provider> provider, LiveOptions options);

  /// Reads the cache, and asks if a question is due. Never fails: an error is in the snapshot.
  std::shared_ptr<const LiveSnapshot> Refresh(Time now);
  /// Writes the answer of the last Refresh to the cache; processes that share the cache wait until
  /// then. Call it once the readers have the value, because a disk takes 10 ms.
  void Keep();
  /// Forecasts use this weather from the next snapshot on; not null. Needs
  /// LiveOptions::knows_weather.
  void Use(std::shared_ptr<const forecast::WeatherArchive> weather);
  /// Forecasts use these drivers from the next snapshot on; not null.
  void Use(std::shared_ptr<const Drivers> drivers);
  Time next_question() const { return next_question_; }
  /// Notes for the user, such as a cache that could not be used. Emptied by the call.
  std::vector<std::string> TakeNotes() { return kept_.TakeNotes(); }

 private:
  std::unique_ptr<forecast::Forecaster> MakePast();
  std::unique_ptr<forecast::Forecaster> MakeOwn();
  void MindDrivers(Time now, Time from);
  void ForgetFuture(Time now);
  bool Due(Time now) const { return !answered_at_ || now >= DueAfter(*answered_at_); }
  Time DueAfter(Time answered) const;
  std::optional<Time> CoveredUntil(Time now) const;
  void NoteCoverage(Time answered);
  void ForgetPast(Time now);
  std::filesystem::path CacheFile() const;
  void ReadRecord();
  void RecordForecast(Time now);
  void JudgeProvider(const core::IntensitySeries& known, Time now);
  bool OursIsBetter(const core::IntensitySeries& known, Time now);
  core::Forecast Theirs(Time now, bool only_running) const;
  std::string RecordText(const core::IntensitySeries& known, Time now);
  void AskOnceForAll(Time now);
  void ReadCache(Time now);
  void WriteCache(Time answered);
  void WriteRecord();
  void Ask(Time now);
  void Take(const Reading& reading, Time now);
  core::Forecast Ahead(const core::IntensitySeries& known, Time now);
  std::shared_ptr<const LiveSnapshot> Snapshot(Time now);

  const std::unique_ptr<Provider> provider_;
  const LiveOptions options_;
  KeptAnswers kept_;
  std::shared_ptr<const forecast::WeatherArchive> weather_;  ///< absent: forecasts use no weather
  forecast::WeatherForecaster* with_weather_ = nullptr;  ///< a part of own_, if there is weather
  forecast::BetterOnRecord* weather_or_past_ = nullptr;  ///< own_ itself, if there is weather
  std::shared_ptr<const Drivers> drivers_;
  std::shared_ptr<const forecast::DriverInputs> inputs_;  ///< made of drivers_; null: none is known
  /// The time from an hour's begin until it is known, in whole hours; inputs_ is made with it.
  std::optional<std::chrono::hours> inputs_known_after_;
  forecast::BetterOnRecord* drivers_or_past_ = nullptr;  ///< a part of own_, if there are inputs_
  std::unique_ptr<forecast::Forecaster> own_;
  core::SignalIdentity identity_;
  core::SampleArchive archive_;
  std::vector<core::Sample> provider_forecast_;
  std::shared_ptr<const forecast::ForecastRecord> record_;  ///< record of the provider's forecasts
  std::optional<std::filesystem::file_time_type> record_read_;  ///< time of the file that was read
  /// The provider's forecasts compared with Ebb's own; nullopt while there is no record.
  std::optional<forecast::Judgement> judgement_;
  std::optional<Time> judged_until_;
  std::optional<Time> provider_issued_;
  std::optional<Time> asked_at_, answered_at_;
  std::optional<Time> forecast_asked_at_;
  std::optional<Time> revised_at_;  ///< latest question for published values
  /// The end of the interval that was running when the source had a value for it; nullopt: the
  /// source publishes only the past.
  std::optional<Time> covered_until_;
  Duration lag_{0};  ///< time from that end to the next value
  std::string origin_;
  std::optional<Error> failure_, forecast_failure_;
  Time next_question_{};
  // Held until Keep.
  std::optional<platform::FileLock> asking_;
  std::optional<Time> unwritten_answer_;
  bool has_unwritten_record_ = false;
};

}  // namespace ebb::signals
