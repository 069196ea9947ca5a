#pragma once
// The port of a live provider: one file per provider says how its web interface is asked and how
// its answers are read. Everything around it exists once: patient_http.h (retries, rates),
// core/sample_archive.h (which value wins), signal_cache.h (disk), live_feed.h (the thread that
// asks). Adding a provider is one file and one line of make_provider.cc.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/intensity.h"
#include "platform/http.h"

namespace ebb::signals {

using HttpGetFunction = std::function<Result<platform::HttpResponse>(const platform::HttpRequest&)>;

/// What one payload says: samples in order of time, without overlap. Rows marked kForecast are the
/// source's expectation, also for intervals that have passed.
struct Payload {
  std::string zone;  ///< "" where the payload does not say
  std::optional<core::SignalKind> kind;
  core::Boundary boundary = core::Boundary::kUnknown;
  std::vector<core::Sample> samples;
  std::optional<Time> issued;  ///< of a forecast, where the payload says
};

struct Question {
  Time now{};
  Duration horizon{};
  Time known_until{};          ///< nothing needs to be told again before; epoch: nothing is known
  bool wants_forecast = true;  ///< the one at hand is old
};

/// What a provider knows at one moment.
struct Reading {
  std::string zone;
  std::optional<core::SignalKind> kind;
  core::Boundary boundary = core::Boundary::kUnknown;
  std::vector<core::Sample> known;     ///< begins at or before now
  std::vector<core::Sample> forecast;  ///< begins after now; empty: there is none, or not asked
  std::optional<Time> issued;
  std::optional<Error> forecast_failure;  ///< known values came, the forecast did not
};

class Provider {
 public:
  virtual ~Provider() = default;
  /// "electricity-maps": for people.
  virtual const std::string& name() const = 0;
  /// Tells two sources of one name apart on disk: another server, another address.
  virtual std::string cache_key() const { return name(); }
  /// Zone and boundary may be unknown until the first answer.
  virtual const core::SignalIdentity& identity() const = 0;
  /// Blocks as long as its requests do: never called on a thread that decides. One thread at a
  /// time.
  virtual Result<Reading> Read(const Question& question) = 0;
};

/// Makes a provider over the client that it is handed.
using MakeProviderFunction = std::function<std::unique_ptr<Provider>(HttpGetFunction)>;

/// How far back a first question reaches: what the own forecast wants to learn from.
inline constexpr Duration kFirstHistory{std::chrono::days{14}};

/// How far two clocks may be apart.
inline constexpr Duration kForgivenSkew{std::chrono::minutes{10}};

/// Adds what a payload says to a reading: rows that begin by `now` are known (an expectation for
/// them is an estimate), later ones are forecast. A measured row that begins after now shows a
/// clock that is wrong: beyond kForgivenSkew that is an Error.
Status AddPayload(const Payload& payload, Time now, const std::string& where, Reading& reading);

}  // namespace ebb::signals
