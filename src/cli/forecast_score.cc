#include "cli/forecast_score.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/weather_forecaster.h"
#include "report/json_parts.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

constexpr Duration kBetween{std::chrono::hours{13}};

using MakeForecasterFunction = std::function<std::unique_ptr<forecast::Forecaster>()>;

std::vector<Time> MomentsOf(const ScoreQuestion& question, Interval span) {
  std::vector<Time> moments;
  for (const Time moment : question.moments)
    if (span.contains(moment)) moments.push_back(moment);
  if (question.moments.empty())
    for (Time moment = span.begin; moment < span.end; moment += kBetween) moments.push_back(moment);
  return moments;
}

Result<std::optional<forecast::Judgement>> JudgePair(const ScoreQuestion& question,
                                                     std::unique_ptr<forecast::Forecaster> first,
                                                     std::unique_ptr<forecast::Forecaster> second,
                                                     const std::vector<Time>& moments, Time until) {
  EBB_ASSIGN_OR_RETURN(const auto judgement, forecast::Judge(*first, *second, question.history,
                                                             question.publication, moments, until));
  return judgement.IsRecord() ? std::optional(judgement) : std::nullopt;
}

std::string Errors(const forecast::Judgement& judgement, const char* first, const char* second) {
  return std::string(first) + " " + FormatFixed(judgement.ProviderMean(), 1) + " g/kWh, " + second +
         " " + FormatFixed(judgement.OwnMean(), 1);
}

nlohmann::ordered_json JsonOf(const std::optional<forecast::Judgement>& judgement,
                              const char* first, const char* second) {
  if (!judgement) return nullptr;
  return {{"rows", judgement->rows},
          {std::string(first) + "_mae_g_per_kwh", judgement->ProviderMean()},
          {std::string(second) + "_mae_g_per_kwh", judgement->OwnMean()}};
}

}  // namespace

Result<ForecastScore> ScoreForecasts(const ScoreQuestion& question,
                                     const std::function<void(double share)>& progress) {
  const Time until = forecast::JudgedUntil(question.now);
  const Interval span{until - forecast::kJudgedRecord, until};
  const auto& identity = question.history.identity();
  if (Overlap(question.history.span(), span).length() <= Duration::zero())
    return Fail({ExitCode::kConfiguration,
                 "forecasts are judged from " + FormatTime(span.begin) + " to " +
                     FormatTime(span.end) + ", and nothing is known of that time",
                 identity.source, "come back in a week or two, or give a longer past"});
  const std::vector<Time> moments = MomentsOf(question, span);
  ForecastScore score;
  score.table = {identity.zone, identity.source, question.publication, span, kBetween, {}};
  EBB_ASSIGN_OR_RETURN(Contenders contenders, OwnContenders(question.publication, question.beside));
  if (question.make_provider) contenders.push_back(question.make_provider());
  forecast::BacktestOptions options;
  options.issues = span;
  options.moments = moments;
  EBB_ASSIGN_OR_RETURN(score.table.methods,
                       ScoreAll(contenders, question.history, options, progress));
  const auto& [weather, drivers, typical] = question.beside;
  const core::Publication& publication = question.publication;
  if (drivers) {
    score.driver_names = drivers->name();
    EBB_ASSIGN_OR_RETURN(
        score.drivers,
        JudgePair(question,
                  forecast::AsPublished(
                      std::make_unique<forecast::RidgeForecaster>(drivers, typical), publication),
                  forecast::MakePastForecaster({{}, {}, typical}, publication), moments, until));
  }
  if (weather) {
    EBB_ASSIGN_OR_RETURN(
        score.weather,
        JudgePair(
            question,
            std::make_unique<forecast::WeatherForecaster>(weather, publication, drivers, typical),
            forecast::MakePastForecaster(question.beside, publication), moments, until));
  }
  if (question.make_provider) {
    EBB_ASSIGN_OR_RETURN(
        score.provider,
        JudgePair(question, question.make_provider(),
                  forecast::MakeOwnForecaster(question.beside, publication), moments, until));
  }
  score.uses_provider =
      question.make_provider && (!score.provider || score.provider->ProviderIsBetter());
  score.uses_weather = weather && (!score.weather || score.weather->ProviderIsBetter());
  score.uses_drivers = drivers && (!score.drivers || score.drivers->ProviderIsBetter());
  return score;
}

std::string ScoreText(const ForecastScore& score) {
  std::string text = BacktestText({score.table});
  text += "\nmean absolute error over 96 h: ";
  if (score.provider) text += Errors(*score.provider, "the provider's", "ours") + "; ";
  if (score.weather) text += Errors(*score.weather, "with weather", "without") + "; ";
  if (score.drivers)
    text += Errors(*score.drivers, ("with " + score.driver_names).c_str(), "without") + "; ";
  std::string ours = "ours, from the own past";
  if (score.uses_weather)
    ours = "ours, with weather";
  else if (score.uses_drivers)
    ours += " and " + score.driver_names;
  if (!score.provider && !score.weather && !score.drivers)
    text += "no two that both have a record; ";
  text += "used: ";
  text += score.uses_provider ? "the provider's, and beyond its reach " + ours : ours;
  return text + "\n";
}

std::string ScoreJson(const ForecastScore& score) {
  auto json = nlohmann::ordered_json::parse(ScoreJson(score.table));
  json["schema"] = "ebb.forecast-score/1";
  json["provider_or_ours"] = JsonOf(score.provider, "provider", "ours");
  json["weather_or_past"] = JsonOf(score.weather, "weather", "past");
  json["drivers_or_past"] = JsonOf(score.drivers, "drivers", "past");
  json["uses_provider"] = score.uses_provider;
  json["uses_weather"] = score.uses_weather;
  json["uses_drivers"] = score.uses_drivers;
  json["drivers"] = score.driver_names;
  return report::Document(json);
}

}  // namespace ebb::cli
