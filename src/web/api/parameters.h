#pragma once
// The parameters in the query of a request. Each is described once: requests are checked by this
// description before a handler runs, and the OpenAPI document says the same bounds.

#include <optional>
#include <string>
#include <vector>

#include "engine/decision.h"
#include "web/http/http_server.h"

namespace ebb::web {

struct Parameter {
  enum class Kind {
    kText,     ///< at most `longest` characters
    kWhole,    ///< a whole number from `low` to `high`
    kChoice,   ///< one of `choices`
    kChoices,  ///< some of `choices`, separated by commas; empty: all
    kTime,
    kTimeOrDuration
  };
  std::string name;
  Kind kind = Kind::kText;
  std::string meaning;
  std::size_t longest = 0;
  long long low = 0, high = 0;
  std::optional<long long> otherwise{};  ///< the number that counts without the parameter
  std::vector<std::string> choices{};
  bool required = false;
};

/// The most bytes of a log in one answer.
inline constexpr long long kLongestLogPart = 1 << 20;

Parameter TextParameter(const char* name, const std::string& meaning, std::size_t longest = 200);
Parameter ChoiceParameter(const char* name, const std::string& meaning,
                          std::vector<std::string> choices);
Parameter TimeParameter(const char* name, const std::string& meaning);
Parameter TimeOrDurationParameter(const char* name, const std::string& meaning);
Parameter StagesParameter(bool only_ended);
Parameter Required(Parameter parameter);

// Parameters that handlers read as numbers, or that several routes have.
const Parameter& JobsLimit();
const Parameter& JobsFrom();
const Parameter& HistoryLimit();
const Parameter& HistoryBefore();
const Parameter& LogAttempt();
const Parameter& LogOffset();
const Parameter& LogTail();
const Parameter& SeriesPoints();
const Parameter& SweepsLimit();
const Parameter& MachineDays();
const Parameter& WindowMinutes();
const Parameter& DryRun();

/// An Error that names the first parameter whose value its description does not allow, or that is
/// missing.
Status CheckQuery(const HttpRequest& request, const std::vector<Parameter>& parameters);
/// The parameter as an object of OpenAPI 3.0, as JSON.
std::string DescriptionOf(const Parameter& parameter);

// Readers of values that CheckQuery has accepted.

/// 0 if the query does not give the number, and nothing else counts then.
long long NumberOf(const HttpRequest& request, const Parameter& parameter);
/// Empty: all stages.
std::vector<engine::Stage> StagesOf(const HttpRequest& request);
/// Nullopt if the query does not give the time.
std::optional<Time> TimeOf(const HttpRequest& request, const char* name);
/// A time, or a duration that is counted back from `now`; nullopt if the query does not give it.
std::optional<Time> PastOf(const HttpRequest& request, const char* name, Time now);
bool IsDryRun(const HttpRequest& request);

}  // namespace ebb::web
