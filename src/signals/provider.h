#pragma once
// The port of a live provider: one file per provider says how its web interface is asked and how
// its answers are read. Everything around it exists once: patient_http.h (retries, rates),
// core/signal/sample_archive.h (which value wins), signal_cache.h (disk), live_feed.h (the thread
// that asks). docs/HACKING.md says how to add one.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/signal/intensity.h"
#include "platform/http.h"

namespace ebb::signals {

using HttpGetFunction = std::function<Result<platform::HttpResponse>(const platform::HttpRequest&)>;

/// The contents of one payload: samples in order of time, without overlap. Rows marked kForecast
/// are the source's expectation, also for intervals that have passed.
struct Payload {
  std::string zone;  ///< "" if the payload does not say
  std::optional<core::SignalKind> kind;
  core::Boundary boundary = core::Boundary::kUnknown;
  std::vector<core::Sample> samples;
  std::optional<Time> issued;  ///< issue time of a forecast, if the payload says it
};

struct Question {
  Time now{};
  Duration horizon{};
  Time known_until{};          ///< earlier values need not be sent again; epoch: none is known
  bool wants_forecast = true;  ///< the forecast at hand is old
};

/// The values that a provider knows at one moment.
struct Reading {
  std::string zone;
  std::optional<core::SignalKind> kind;
  core::Boundary boundary = core::Boundary::kUnknown;
  std::vector<core::Sample> known;     ///< intervals that begin at or before now
  std::vector<core::Sample> forecast;  ///< after now; empty: none, or not asked for
  std::optional<Time> issued;
  std::optional<Error> forecast_failure;  ///< set if known values came but the forecast did not
};

class Provider {
 public:
  virtual ~Provider() = default;
  /// A name for people: "electricity-maps".
  virtual const std::string& name() const = 0;
  /// Tells apart, on disk, sources of one name with another server or address.
  virtual std::string cache_key() const { return name(); }
  /// Zone and boundary may be unknown until the first answer.
  virtual const core::SignalIdentity& identity() const = 0;
  /// Blocks as long as its requests do, so it is never called on a thread that decides. One thread
  /// at a time.
  virtual Result<Reading> Read(const Question& question) = 0;
};

/// Makes a provider that asks through the given client.
using MakeProviderFunction = std::function<std::unique_ptr<Provider>(HttpGetFunction)>;

/// How far back the first question reaches: Ebb's own forecast learns from that history.
inline constexpr Duration kFirstHistory{std::chrono::days{14}};

/// The tolerated difference between this machine's clock and a provider's.
inline constexpr Duration kForgivenSkew{std::chrono::minutes{10}};

/// Adds the rows of a payload to a reading: rows that begin by `now` are known (an expectation for
/// them is an estimate), later ones are forecast. A measured row that begins after now shows a
/// wrong clock: more than kForgivenSkew ahead it is an Error.
Status AddPayload(const Payload& payload, Time now, const std::string& where, Reading& reading);

}  // namespace ebb::signals
