#include "signals/feeds/live_signal.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "core/run/accounting.h"
#include "forecast/own_forecaster.h"
#include "forecast/ridge_forecaster.h"
#include "platform/file.h"
#include "signals/feeds/forecast_record_file.h"
#include "signals/feeds/signal_cache.h"

namespace ebb::signals {
namespace {

// Past values that are kept, on disk and for Ebb's own forecast: more than a year, so that each
// season is there once. Of finer steps, which say little more about the days ahead, only as much as
// the regression needs. The oldest values go in blocks, because fits are made anew when the
// beginning changes.
constexpr Duration kKept{std::chrono::days{400}};
constexpr Duration kKeptOfFineSteps{std::chrono::days{100}};
constexpr Duration kFineStep{std::chrono::minutes{30}};
constexpr Duration kForgottenAtOnce{std::chrono::days{28}};
// Estimates younger than this are asked for again: measured values come late.
constexpr Duration kUnsettled{std::chrono::hours{2}};
// As KeptAnswers::kAnotherAsks, but decisions wait for this.
constexpr Duration kAnotherAsks{std::chrono::seconds{1}};
// Interval between repeated questions for published values, as far back as they are revised.
constexpr Duration kRevisionsEvery{std::chrono::hours{24}};
constexpr const char* kProviderMethod = "the provider's";

// A forecaster that another object owns.
class Borrowed final : public forecast::Forecaster {
 public:
  explicit Borrowed(forecast::Forecaster& lender) : lender_(lender) {}
  std::string_view name() const override { return lender_.name(); }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override {
    return lender_.At(history, now, horizon);
  }

 private:
  forecast::Forecaster& lender_;
};

core::IntensitySeries SeriesOf(const core::SignalIdentity& identity,
                               std::vector<core::Sample> samples) {
  auto series = core::IntensitySeries::Create(identity, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace

LiveSignal::LiveSignal(std::unique_ptr<Provider> provider, LiveOptions options)
    : provider_(std::move(provider)),
      options_(std::move(options)),
      kept_(options_.cache_directory, "the signal"),
      weather_(options_.knows_weather ? std::make_shared<const forecast::WeatherArchive>()
                                      : nullptr),
      own_(MakeOwn()),
      identity_(provider_->identity()),
      record_(std::make_shared<const forecast::ForecastRecord>()) {}

// The forecaster from the past; with drivers if that has the better record.
std::unique_ptr<forecast::Forecaster> LiveSignal::MakePast() {
  auto past = forecast::MakePlainForecaster(options_.typical);
  drivers_or_past_ = nullptr;
  if (!inputs_) return past;
  auto better = std::make_unique<forecast::BetterOnRecord>(
      std::make_unique<forecast::RidgeForecaster>(inputs_, options_.typical), std::move(past));
  drivers_or_past_ = better.get();
  return better;
}

// The forecaster from the past; with the weather if that has the better record.
std::unique_ptr<forecast::Forecaster> LiveSignal::MakeOwn() {
  auto past = MakePast();
  if (!weather_) return past;
  const auto as_it_begins = core::Publication::AtBegin();
  auto with_weather = std::make_unique<forecast::WeatherForecaster>(weather_, as_it_begins, inputs_,
                                                                    options_.typical);
  with_weather_ = with_weather.get();
  auto better = std::make_unique<forecast::BetterOnRecord>(std::move(with_weather), std::move(past),
                                                           as_it_begins);
  weather_or_past_ = better.get();
  return better;
}

void LiveSignal::Use(std::shared_ptr<const Drivers> drivers) {
  EBB_CHECK(drivers);
  if (drivers == drivers_) return;
  drivers_ = std::move(drivers);
  inputs_known_after_.reset();
}

// Published values come late, and drivers' values that came meanwhile count: an hour is taken as
// known whole hours after its begin. Forecasters are made anew when the drivers change, and when
// values come earlier than was assumed: fits must know as much of drivers in the past as now.
void LiveSignal::MindDrivers(Time now, Time from) {
  if (!drivers_) return;
  const auto known_after = std::chrono::floor<std::chrono::hours>(now - from);
  if (inputs_known_after_ && *inputs_known_after_ <= known_after) return;
  inputs_known_after_ = known_after;
  std::vector<forecast::Driver> told;
  for (const auto& drivers : *drivers_) told.insert(told.end(), drivers->begin(), drivers->end());
  const std::chrono::hours step{1};
  const core::Publication publication = known_after < step
                                            ? core::Publication::AtBegin()
                                            : core::Publication::AfterEnd(known_after - step);
  inputs_ =
      told.empty() ? nullptr : std::make_shared<const forecast::DriverInputs>(told, publication);
  own_ = MakeOwn();
  judged_until_.reset();
}

void LiveSignal::Use(std::shared_ptr<const forecast::WeatherArchive> weather) {
  EBB_CHECK(weather && weather_);
  weather_ = std::move(weather);
}

void LiveSignal::Keep() {
  if (std::exchange(has_unwritten_record_, false)) WriteRecord();
  if (const auto answered = std::exchange(unwritten_answer_, {})) WriteCache(*answered);
  asking_.reset();
}

std::shared_ptr<const LiveSnapshot> LiveSignal::Refresh(Time now) {
  Keep();
  ForgetFuture(now);
  if (now >= next_question_) {
    ReadCache(now);
    next_question_ = now + options_.refresh;  // for the case that nobody answers
    if (Due(now)) AskOnceForAll(now);
    if (answered_at_ && !Due(now))
      next_question_ = std::min(next_question_, DueAfter(*answered_at_));
  }
  return Snapshot(now);
}

// The end of the interval that contains `now` in the source's last answer: of a published value, or
// of its own forecast.
std::optional<Time> LiveSignal::CoveredUntil(Time now) const {
  if (const auto published = archive_.At(now)) return published->interval.end;
  for (const core::Sample& expected : provider_forecast_)
    if (expected.interval.contains(now)) return expected.interval.end;
  return std::nullopt;
}

void LiveSignal::NoteCoverage(Time answered) {
  const auto until = CoveredUntil(answered);
  if (!until) return;
  if (covered_until_ && *covered_until_ < *until && *covered_until_ <= answered)
    lag_ = std::min<Duration>(answered - *covered_until_, options_.refresh);
  covered_until_ = until;
}

// The next question is due half the learned lag after the interval's end, and again at twice that
// if the value is not there yet: two questions per interval, and the lag is learned.
Time LiveSignal::DueAfter(Time answered) const {
  const Time regular = answered + options_.refresh;
  if (!covered_until_) return regular;
  const Duration least = options_.after_interval;
  if (*covered_until_ > answered)
    return std::min(regular, *covered_until_ + std::max(least, lag_ / 2));
  return answered + std::clamp(answered - *covered_until_, least, options_.refresh);
}

// Corrects moments of a clock that was set back since: they would keep this process from asking.
void LiveSignal::ForgetFuture(Time now) {
  if (answered_at_ && *answered_at_ > now) answered_at_ = now - options_.refresh;
  if (asked_at_ && *asked_at_ > now) asked_at_ = now;
  if (forecast_asked_at_ && *forecast_asked_at_ > now) forecast_asked_at_.reset();
  if (provider_issued_ && *provider_issued_ > now) provider_issued_ = now;
  if (revised_at_ && *revised_at_ > now) revised_at_ = now;
  if (next_question_ - options_.refresh > now) next_question_ = now;
}

std::filesystem::path LiveSignal::CacheFile() const {
  return CachePath(options_.cache_directory, provider_->cache_key(), provider_->identity());
}

// Lets one process ask; those that share its cache read what it wrote. If no lock can be had at all
// (the directory cannot be written), each process asks for itself.
void LiveSignal::AskOnceForAll(Time now) {
  switch (kept_.TakeTurn(CacheFile().string() + ".lock", asking_)) {
    case KeptAnswers::Turn::kOfAnother:
      next_question_ = now + kAnotherAsks;
      return;
    case KeptAnswers::Turn::kUnkept:
      Ask(now);
      unwritten_answer_.reset();
      has_unwritten_record_ = false;
      return;
    case KeptAnswers::Turn::kOurs:
      ReadCache(now);
      if (Due(now)) Ask(now);
  }
}

// The process that asks writes the record; the others read it again if the file has changed.
void LiveSignal::ReadRecord() {
  const auto path = ForecastRecordPath(CacheFile());
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(path, failed);
  if (failed || record_read_ == written) return;
  record_read_ = written;
  auto record = ReadForecastRecord(path);
  if (!record) return kept_.Note(record.error().Message());
  record_ = std::make_shared<const forecast::ForecastRecord>(*std::move(record));
  judged_until_.reset();
}

void LiveSignal::RecordForecast(Time now) {
  auto record = std::make_shared<forecast::ForecastRecord>(*record_);
  record->ForgetAfter(now);
  if (!record->Add({now, std::min(archive_.until(), now), provider_forecast_})) return;
  record_ = std::move(record);
  has_unwritten_record_ = true;
}

void LiveSignal::WriteRecord() {
  if (!kept_.on_disk()) return;
  const Status written =
      platform::WriteFileAtomically(ForecastRecordPath(CacheFile()), ToText(*record_));
  if (!written) kept_.Note("the record of forecasts is not kept: " + written.error().Message());
}

// Takes over a newer answer that another process has written.
void LiveSignal::ReadCache(Time now) {
  if (!kept_.on_disk()) return;
  ReadRecord();
  const auto path = CacheFile();
  const auto text = platform::ReadFile(path, kSignalCacheLimitBytes);
  if (!text) return;
  const auto cached = CachedSignalFromText(*text, path.string());
  if (!cached) return kept_.Note("the cached signal is ignored: " + cached.error().Message());
  // A stamp from the future would keep this process from ever asking.
  if (cached->answered_at > now || (answered_at_ && cached->answered_at <= *answered_at_)) return;
  archive_.Add(cached->known);
  provider_forecast_ = cached->forecast;
  provider_issued_ = forecast_asked_at_ = cached->issued;
  forecast_failure_.reset();
  if (const auto& refused = cached->refused) {
    forecast_asked_at_ = refused->at;
    forecast_failure_ = {ExitCode::kUnavailable, refused->what, refused->where, refused->next};
  }
  answered_at_ = cached->answered_at;
  asked_at_ = std::max(asked_at_.value_or(Time{}), *answered_at_);
  identity_ = cached->identity;
  origin_ = "cached on disk";
  failure_.reset();
  NoteCoverage(*answered_at_);
}

void LiveSignal::WriteCache(Time answered) {
  if (!kept_.on_disk()) return;
  CachedSignal cached{provider_->name(), identity_,          answered, archive_.samples(),
                      provider_issued_,  provider_forecast_, {}};
  if (forecast_failure_ && forecast_asked_at_)
    cached.refused = {*forecast_asked_at_, forecast_failure_->what, forecast_failure_->where,
                      forecast_failure_->next};
  kept_.Write(CacheFile(), ToText(cached));
}

void LiveSignal::Ask(Time now) {
  asked_at_ = now;
  // Estimates older than kUnsettled count as known, so that a source that only ever estimates is
  // not asked for its whole past every time.
  const Time known_until = std::max(archive_.measured_until(), archive_.until() - kUnsettled);
  const bool asks_for_revisions = !revised_at_ || now >= *revised_at_ + kRevisionsEvery;
  Question question{now, options_.horizon, known_until, true};
  if (asks_for_revisions) question.known_until = std::min(known_until, now - core::kRevisedFor);
  question.wants_forecast = !forecast_asked_at_ || provider_forecast_.empty() ||
                            now >= *forecast_asked_at_ + options_.forecast_refresh;
  // A forecast that was refused is asked for again only at its own refresh interval.
  if (forecast_failure_ && forecast_asked_at_)
    question.wants_forecast = now >= *forecast_asked_at_ + options_.forecast_refresh;
  auto reading = provider_->Read(question);
  if (!reading) {
    failure_ = std::move(reading).error();
    return;
  }
  failure_.reset();
  if (asks_for_revisions) revised_at_ = now;
  if (question.wants_forecast) {
    forecast_asked_at_ = now;
    forecast_failure_ = reading->forecast_failure;
  }
  Take(*reading, now);
  unwritten_answer_ = now;
}

void LiveSignal::Take(const Reading& reading, Time now) {
  answered_at_ = now;
  origin_ = "answered";
  if (identity_.zone.empty()) identity_.zone = reading.zone;
  if (identity_.boundary == core::Boundary::kUnknown) identity_.boundary = reading.boundary;
  archive_.Add(reading.known);
  ForgetPast(now);
  if (!reading.forecast.empty()) {
    provider_forecast_ = reading.forecast;
    provider_issued_ = reading.issued.value_or(now);
    RecordForecast(now);
  }
  NoteCoverage(now);
}

void LiveSignal::ForgetPast(Time now) {
  const std::vector<core::Sample> samples = archive_.samples();
  if (samples.empty()) return;
  const bool is_fine = samples.back().interval.length() < kFineStep;
  const Duration kept = is_fine ? kKeptOfFineSteps : kKept;
  if (samples.front().interval.begin < now - kept - kForgottenAtOnce)
    archive_.ForgetBefore(now - kept);
}

// Judges anew each week, and when another process has written the record.
void LiveSignal::JudgeProvider(const core::IntensitySeries& known, Time now) {
  const Time until = forecast::JudgedUntil(now);
  if (judged_until_ == until) return;
  judged_until_ = until;
  judgement_.reset();
  const std::vector<Time> moments = record_->MomentsIn({until - forecast::kJudgedRecord, until});
  if (moments.empty()) return;
  const core::Publication publication = record_->UsualPublication();
  const auto provider = forecast::MakeRecordedForecaster(record_);
  const auto own = forecast::AsPublished(std::make_unique<Borrowed>(*own_), publication);
  const auto judgement = forecast::Judge(*provider, *own, known, publication, moments, until);
  if (judgement && judgement->IsRecord()) judgement_ = *judgement;
}

bool LiveSignal::OursIsBetter(const core::IntensitySeries& known, Time now) {
  if (provider_forecast_.empty()) return false;
  JudgeProvider(known, now);
  return judgement_ && !judgement_->ProviderIsBetter();
}

// All rows of the provider's forecast, or only that of the running interval, for which no other
// value exists.
core::Forecast LiveSignal::Theirs(Time now, bool only_running) const {
  std::vector<core::Sample> rows = provider_forecast_;
  if (only_running)
    std::erase_if(rows, [&](const core::Sample& row) { return row.interval.begin > now; });
  return {provider_issued_.value_or(Time{}),
          kProviderMethod,
          SeriesOf(identity_, std::move(rows)),
          {},
          {}};
}

// The provider's rows, if there are some and they have the better record; Ebb's own elsewhere. The
// own forecast begins where known values end.
core::Forecast LiveSignal::Ahead(const core::IntensitySeries& known, Time now) {
  if (known.empty()) return Theirs(now, false);
  const Time from = std::min(now, known.samples().back().interval.begin);
  MindDrivers(now, from);
  // Published values come late; weather that came meanwhile counts.
  if (with_weather_) with_weather_->Use(weather_, now - from);
  const bool ours_is_better = OursIsBetter(known, now);
  core::Forecast theirs = Theirs(now, ours_is_better);
  if (theirs.series.span().end >= now + options_.horizon) return theirs;
  auto ours = own_->At(known, from, now + options_.horizon - from);
  if (!ours || ours->series.empty()) return Theirs(now, false);
  if (theirs.series.empty()) return *std::move(ours);
  core::Forecast joined = forecast::Joined(theirs, *ours);
  joined.method =
      ours_is_better ? ours->method : std::string(kProviderMethod) + ", then " + ours->method;
  return joined;
}

// The recent errors of the forecasts, which show people why one of them is used.
std::string LiveSignal::RecordText(const core::IntensitySeries& known, Time now) {
  const auto grams = [](double mean) { return FormatFixed(mean, 0); };
  std::string text;
  if (judgement_)
    text += "the provider's " + grams(judgement_->ProviderMean()) + " g/kWh, ours " +
            grams(judgement_->OwnMean());
  const auto add = [&](forecast::BetterOnRecord* chooser, const std::string& with) {
    if (!chooser) return;
    const Time from = std::min(now, known.samples().back().interval.begin);
    const auto judgement = chooser->JudgementAt(known, from);
    if (judgement && judgement->IsRecord())
      text += (text.empty() ? "" : "; ") + grams(judgement->ProviderMean()) + " g/kWh " + with +
              ", " + grams(judgement->OwnMean()) + " without";
  };
  add(weather_or_past_, "with weather");
  if (inputs_) add(drivers_or_past_, "with " + inputs_->name());
  return text.empty() ? "" : " (mean error over the last four weeks: " + text + ")";
}

std::shared_ptr<const LiveSnapshot> LiveSignal::Snapshot(Time now) {
  auto snapshot = std::make_shared<LiveSnapshot>();
  snapshot->identity = identity_;
  snapshot->known = archive_.Series(identity_);
  snapshot->forecast = Ahead(snapshot->known, now);
  if (!snapshot->known.empty()) snapshot->forecast.method += RecordText(snapshot->known, now);
  const bool only_running = judgement_ && !judgement_->ProviderIsBetter();
  if (const auto theirs = Theirs(now, only_running); !theirs.series.empty()) {
    snapshot->provided_until = theirs.series.span().end;
    snapshot->provider_issued = theirs.issued;
  }
  snapshot->origin = origin_;
  snapshot->asked_at = asked_at_;
  snapshot->answered_at = answered_at_;
  snapshot->failure = failure_;
  snapshot->forecast_failure = forecast_failure_;
  snapshot->next_question = next_question_;
  return snapshot;
}

}  // namespace ebb::signals
