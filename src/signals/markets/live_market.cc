#include "signals/markets/live_market.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "platform/file.h"
#include "signals/http/web_request.h"
#include "signals/markets/market_csv.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr Duration kDay{std::chrono::days{1}};
constexpr Duration kAhead{std::chrono::days{3}};
// The oldest hours are dropped in blocks, so that fits need not be made anew for each hour.
constexpr Duration kBlock{std::chrono::days{28}};
constexpr std::uint64_t kCacheLimitBytes = 16ULL << 20;

Time DayOf(Time time) { return std::chrono::floor<std::chrono::days>(time); }

}  // namespace

LiveMarket::LiveMarket(std::unique_ptr<MarketSource> source, LiveMarketOptions options)
    : source_(std::move(source)),
      options_(std::move(options)),
      kept_(options_.cache_directory, source_->name()) {
  MakeDrivers();
}

bool LiveMarket::WantsAhead(Time now) const {
  if (!asked_at_ || *asked_at_ > now) return true;  // the clock was set back
  const bool calm = KnownUntil() >= now + kDay - kHour;
  return now >= *asked_at_ + (calm ? options_.calm_refresh : options_.refresh);
}

bool LiveMarket::WantsPast(Time now) const {
  return asked_from_ && *asked_from_ > DayOf(now - options_.past);
}

void LiveMarket::Refresh(Time now) {
  if (not_before_ - options_.retry > now) not_before_ = {};  // the clock was set back
  if (now < not_before_ || (!WantsAhead(now) && !WantsPast(now))) return;
  ReadCache();
  if (WantsAhead(now) || WantsPast(now)) AskOnceForAll(now);
}

// "DIRECTORY/entso-e_prices_0123456789abcdef.csv": the digest tells servers and areas apart.
std::filesystem::path LiveMarket::FileOf(const char* ending) const {
  std::string name = source_->name();
  std::ranges::replace(name, ' ', '_');
  return kept_.File(name + "_" + ShortDigest(source_->server()) + ending);
}

// The file has two lines: the time of the latest question, and the moment from which on the past
// has been asked about.
void LiveMarket::ReadAsked() {
  const auto text = platform::ReadFile(FileOf(".asked"), 1 << 10);
  if (!text) return;
  const auto lines = Split(*text, '\n');
  const auto at = ParseTime(lines[0]);
  const auto from = lines.size() > 1 ? ParseTime(lines[1]) : at;
  if (!at || !from || (asked_at_ && *at <= *asked_at_ && *from >= *asked_from_)) return;
  asked_at_ = *at;
  asked_from_ = *from;
}

void LiveMarket::ReadCache() {
  if (!kept_.on_disk()) return;
  const auto path = FileOf(".csv");
  const auto text = platform::ReadFile(path, kCacheLimitBytes);
  if (!text) return;
  auto cached = ParseMarketText(source_->kind(), *text, path.string());
  if (!cached) return kept_.Note("what is cached is ignored: " + cached.error().Message());
  ReadAsked();
  if (*cached == hours_) return;
  hours_ = *std::move(cached);
  MakeDrivers();
}

// Lets one process ask; the others read what it wrote.
void LiveMarket::AskOnceForAll(Time now) {
  std::optional<platform::FileLock> lock;
  const auto turn = kept_.TakeTurn(FileOf(".lock"), lock);
  if (turn == KeptAnswers::Turn::kOfAnother) {
    not_before_ = now + KeptAnswers::kAnotherAsks;
    return;
  }
  if (turn == KeptAnswers::Turn::kOurs) ReadCache();
  Ask(now);
}

void LiveMarket::Ask(Time now) {
  if (!asked_at_ && !kept_.failed()) kept_.Note(std::string(source_->terms()));
  not_before_ = {};
  if (WantsAhead(now))
    AskAhead(now);
  else
    AskPast(now);
}

// Asks from the end of known values on: a process that was away asks about the hours that it
// missed, as far back as one question goes.
void LiveMarket::AskAhead(Time now) {
  const Time today = DayOf(now);
  const Time earliest = today + kAhead - source_->longest();
  const Time from = std::max(earliest, std::min(today, DayOf(KnownUntil())));
  const Interval interval{hours_.empty() ? std::max(earliest, today - kDay) : from, today + kAhead};
  auto told = source_->Ask(interval);
  if (!told) return Failed(told.error(), now);
  kept_.Answered();
  const bool has_hole = !hours_.empty() && KnownUntil() + kHour < interval.begin;
  Take(*std::move(told), interval, now);
  asked_at_ = now;
  if (!asked_from_ || has_hole) asked_from_ = interval.begin;
  Write();
}

// Asks about the latest piece of the past that has not been asked about.
void LiveMarket::AskPast(Time now) {
  const Time earliest = DayOf(now - options_.past);
  const Interval interval{std::max(earliest, *asked_from_ - source_->longest()), *asked_from_};
  auto told = source_->Ask(interval);
  if (!told) return Failed(told.error(), now);
  Take(*std::move(told), interval, now);
  asked_from_ = interval.begin;
  Write();
}

void LiveMarket::Failed(const Error& error, Time now) {
  not_before_ = now + options_.retry;
  kept_.Failed("nothing new of " + source_->name() + ": " + error.Message() +
               "; forecasts use what is known as far as it reaches, then do without");
}

// The publication by the rule of the market; now, if the value was asked for after that moment and
// was not there yet.
Time LiveMarket::PublishedOf(Time begin, Time now) const {
  const Time usual = source_->publication().Of(begin);
  const bool was_late = asked_at_ && *asked_at_ > usual;
  return usual > now || was_late ? std::chrono::floor<std::chrono::seconds>(now) : usual;
}

// A value that is already known is not replaced.
void LiveMarket::Take(MarketHours told, Interval interval, Time now) {
  const bool is_past = asked_from_ && interval.end <= *asked_from_;
  std::map<Time, MarketHour> all;
  for (MarketHour& hour : hours_) all.emplace(hour.begin, std::move(hour));
  const std::size_t known = all.size();
  for (MarketHour& hour : told) {
    if (!interval.contains(hour.begin) || all.contains(hour.begin)) continue;
    hour.published = is_past ? std::min(now, source_->publication().Of(hour.begin))
                             : PublishedOf(hour.begin, now);
    all.emplace(hour.begin, std::move(hour));
  }
  const bool is_new = all.size() > known;
  if (!all.empty() && all.begin()->first < now - options_.past - kBlock)
    all.erase(all.begin(), all.lower_bound(now - options_.past));
  hours_.clear();
  for (auto& [begin, hour] : all) hours_.push_back(std::move(hour));
  if (is_new) MakeDrivers();
}

void LiveMarket::MakeDrivers() {
  auto drivers = std::make_shared<std::vector<forecast::Driver>>();
  const MarketKind kind = source_->kind();
  for (std::size_t column = 0; !hours_.empty() && column < kind.columns.size(); ++column) {
    const Time begin = hours_.front().begin;
    forecast::Driver& driver = drivers->emplace_back();
    driver.name = kind.columns[column].driver;
    driver.drifts = kind.columns[column].drifts;
    driver.begin = begin;
    driver.hours.resize(static_cast<std::size_t>((KnownUntil() - begin) / kHour) + 1);
    for (const MarketHour& hour : hours_)
      driver.hours[static_cast<std::size_t>((hour.begin - begin) / kHour)] =
          forecast::DriverHour{hour.values[column], hour.published};
  }
  drivers_ = std::move(drivers);
}

void LiveMarket::Write() {
  if (kept_.Write(FileOf(".csv"), MarketText(source_->kind(), hours_)))
    kept_.Write(FileOf(".asked"), FormatTime(*asked_at_) + "\n" + FormatTime(*asked_from_) + "\n");
}

}  // namespace ebb::signals
