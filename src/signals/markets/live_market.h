#pragma once
// Values of a market or an operator, kept up to date as drivers of forecasts. They are asked for
// every hour until a day ahead is known, then every six hours, by whichever process comes first. At
// the start their past is fetched piece by piece, because a forecast must learn from it. Each value
// is kept with the moment of its publication, and does not change later, so that the knowledge of a
// past forecast can be looked up. Blocks while it asks, so it is called on a thread that fetches.
// One thread at a time.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forecast/drivers.h"
#include "signals/http/kept_answers.h"
#include "signals/markets/market_source.h"

namespace ebb::signals {

struct LiveMarketOptions {
  Duration refresh{std::chrono::hours{1}};       ///< until a day ahead is known
  Duration calm_refresh{std::chrono::hours{6}};  ///< from then on
  Duration retry{std::chrono::minutes{30}};      ///< after a question without an answer
  Duration past{std::chrono::days{400}};         ///< how much of the past is fetched and kept
  std::string cache_directory;                   ///< "": nothing is kept on disk
};

class LiveMarket {
 public:
  LiveMarket(std::unique_ptr<MarketSource> source, LiveMarketOptions options);

  /// Loads the values that were kept on disk.
  void ReadCache();
  /// Reads the cache, and asks if a question is due: about the days ahead, or else about a piece of
  /// the past. Never fails: an error becomes a note, and known values stay in use.
  void Refresh(Time now);
  /// Whether a further piece of the past can be asked about at once.
  bool GoesOn(Time now) const { return now >= not_before_ && WantsPast(now); }
  /// One driver for each column; a new list whenever a value became known. Never null; empty while
  /// nothing is known.
  std::shared_ptr<const std::vector<forecast::Driver>> drivers() const { return drivers_; }
  /// Notes for the user: terms at first use, a cache that cannot be used, a source that stopped
  /// answering or answers again. Emptied by the call.
  std::vector<std::string> TakeNotes() { return kept_.TakeNotes(); }

 private:
  Time KnownUntil() const { return hours_.empty() ? Time{} : hours_.back().begin; }
  bool WantsAhead(Time now) const;
  bool WantsPast(Time now) const;
  std::filesystem::path FileOf(const char* ending) const;
  void ReadAsked();
  void AskOnceForAll(Time now);
  void Ask(Time now);
  void AskAhead(Time now);
  void AskPast(Time now);
  Time PublishedOf(Time begin, Time now) const;
  void Take(MarketHours told, Interval interval, Time now);
  void MakeDrivers();
  void Write();
  void Failed(const Error& error, Time now);

  const std::unique_ptr<MarketSource> source_;
  const LiveMarketOptions options_;
  KeptAnswers kept_;
  MarketHours hours_;
  std::shared_ptr<const std::vector<forecast::Driver>> drivers_;
  std::optional<Time> asked_at_;    ///< time of the latest answer about the days ahead
  std::optional<Time> asked_from_;  ///< the past has been asked about from then on
  Time not_before_{};
};

}  // namespace ebb::signals
