#pragma once
// The common part of operators that publish generation by fuel as live sources: which files or
// periods are asked for, the handling of a missing one, and the conversion of rows to grams. An
// operator is one file in providers/ that says where its answers are and how they are read.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prices/zone_clock.h"
#include "signals/generation/generation_mix.h"
#include "signals/provider.h"

namespace ebb::signals {

/// A request, with the function that reads its answer.
struct MixQuestion {
  platform::HttpRequest request;
  std::function<Result<std::vector<GenerationRow>>(std::string_view body, const std::string& where)>
      read;
  /// Whether status 404 is not a failure: the file of a day that has just begun may not exist yet.
  bool may_be_missing = false;
};

struct OperatorMix {
  std::string name;  ///< "caiso"
  std::string zone;
  std::string credit;    ///< the publisher, for people
  std::string base_url;  ///< without a final slash
  core::Boundary boundary = core::Boundary::kLifecycle;
  Duration step{std::chrono::minutes{5}};
  /// How far back a question asks again, because values come late or are revised.
  Duration asks_again{std::chrono::hours{1}};
  /// How far back the operator's answers reach at most.
  Duration history{std::chrono::days{8}};
  std::string hint = "the service needs no key: check the address";
  /// The requests for values from `begin` to `now`, the oldest first.
  std::function<std::vector<MixQuestion>(Time begin, Time now)> questions;
};

/// A provider of measured values, without a forecast.
std::unique_ptr<Provider> MakeOperatorMix(OperatorMix mix, HttpGetFunction http_get);

/// The local days that a period touches: "20260506", the oldest first.
std::vector<std::string> LocalDays(const prices::ZoneClock& clock, Time begin, Time now);

}  // namespace ebb::signals
