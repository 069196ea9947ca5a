#include "train/learning/micro_batch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb::train {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kLeastSecondsForJoules = 0.5;

ordered_json OrNull(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

// Three digits are enough to compare sizes.
std::string RateText(double rate) { return FormatFixed(rate, rate < 10 ? 2 : rate < 100 ? 1 : 0); }

}  // namespace

std::optional<double> MicroBatchTrial::TokensPerSecond() const {
  if (counted == 0 || seconds <= 0) return std::nullopt;
  return static_cast<double>(tokens) / seconds;
}

std::optional<double> MicroBatchTrial::TokensPerJoule() const {
  if (counted == 0 || !joules || *joules <= 0 || seconds < kLeastSecondsForJoules)
    return std::nullopt;
  return static_cast<double>(tokens) / *joules;
}

bool ComparedByJoules(const std::vector<MicroBatchTrial>& trials) {
  return std::all_of(trials.begin(), trials.end(), [](const MicroBatchTrial& trial) {
    return !trial.TokensPerSecond() || trial.TokensPerJoule();
  });
}

ordered_json ToJson(const MicroBatchState& state) {
  ordered_json trials = ordered_json::array();
  for (const MicroBatchTrial& trial : state.trials)
    trials.push_back({{"size", trial.size},
                      {"updates", trial.updates},
                      {"counted", trial.counted},
                      {"tokens", trial.tokens},
                      {"seconds", trial.seconds},
                      {"joules", OrNull(trial.joules)},
                      {"fits", trial.fits}});
  return {{"size", state.size}, {"searching", state.searching}, {"trials", std::move(trials)}};
}

MicroBatchState MicroBatchStateFromJson(const json& value) {
  MicroBatchState state;
  value.at("size").get_to(state.size);
  value.at("searching").get_to(state.searching);
  for (const json& stored : value.at("trials")) {
    MicroBatchTrial trial;
    stored.at("size").get_to(trial.size);
    stored.at("updates").get_to(trial.updates);
    stored.at("counted").get_to(trial.counted);
    stored.at("tokens").get_to(trial.tokens);
    stored.at("seconds").get_to(trial.seconds);
    const json& joules = stored.at("joules");
    trial.joules = joules.is_null() ? std::nullopt : std::optional(joules.get<double>());
    stored.at("fits").get_to(trial.fits);
    state.trials.push_back(trial);
  }
  if (state.trials.empty()) state.searching = false;
  return state;
}

ordered_json TriedJson(const MicroBatchState& state) {
  ordered_json tried = ordered_json::array();
  for (const MicroBatchTrial& trial : state.trials)
    tried.push_back({{"size", trial.size},
                     {"tokens_per_second", OrNull(trial.TokensPerSecond())},
                     {"tokens_per_joule", OrNull(trial.TokensPerJoule())}});
  return tried;
}

std::string ChoiceText(const MicroBatchState& state) {
  const bool by_joules = ComparedByJoules(state.trials);
  std::string chosen;
  std::vector<std::string> others;
  for (const MicroBatchTrial& trial : state.trials) {
    const auto rate = by_joules ? trial.TokensPerJoule() : trial.TokensPerSecond();
    if (trial.size == state.size && rate)
      chosen = ": " + RateText(*rate) + (by_joules ? " tokens/J" : " tokens/s");
    else if (!trial.fits || rate)
      others.push_back(std::to_string(trial.size) + ": " +
                       (trial.fits ? RateText(*rate) : "out of memory"));
  }
  return "micro-batches of " + std::to_string(state.size) +
         (state.size == 1 ? " sequence" : " sequences") + " from now on" + chosen +
         (others.empty() ? "" : " (" + Join(others, ", ") + ")");
}

}  // namespace ebb::train
