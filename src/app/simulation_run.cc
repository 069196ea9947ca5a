#include "app/simulation_run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "engine/engine.h"
#include "plan/bound/hindsight_bound.h"
#include "signals/make_feed.h"
#include "sim/cost.h"
#include "sim/foresight_feed.h"
#include "sim/published.h"
#include "sim/remembering_feed.h"

namespace ebb::app {
namespace {

// Looking at all starts of a job at all sites takes about a millisecond.
constexpr std::size_t kMostJobsMovedInHindsight = 2000;

// The results of one start date.
struct StartResult {
  std::vector<sim::StartFigures> policies;
  plan::HindsightBound bound;
  std::optional<sim::PlaceAndTime> place_and_time;
  std::vector<sim::Simulation> details;  ///< only for the first start date
  std::vector<sim::Outlook> outlooks;    ///< only for the first start date
  std::vector<sim::PublishedComparison> published;
};

struct Work {
  const config::ScenarioFile& file;
  const std::vector<sim::PolicyChoice>& policies;
};

plan::HindsightBound Bound(const sim::Scenario& scenario, Time start,
                           const sim::TrueSignals& truth) {
  plan::HindsightOptions options;
  options.longest_delay = engine::Options{}.default_max_delay;
  return plan::BestInHindsight(sim::JobsAt(scenario, start), scenario.cluster, truth.series,
                               options);
}

Result<std::vector<sim::Outlook>> Outlooks(const sim::Scenario& scenario, Time start,
                                           sim::Feeds& feeds, const sim::TrueSignals& truth) {
  std::vector<sim::Outlook> outlooks;
  for (std::size_t site = 0; site < feeds.size(); ++site) {
    const Duration horizon = sim::HorizonOf(scenario, engine::Options{}.default_max_delay);
    EBB_ASSIGN_OR_RETURN(core::SignalView view, feeds[site]->Observe(start, horizon));
    outlooks.push_back({truth.series[site], std::move(view.forecast)});
  }
  return outlooks;
}

std::vector<sim::PublishedComparison> ComparePublished(
    const Work& work, const std::vector<sim::Simulation>& simulations,
    const sim::TrueSignals& truth) {
  std::vector<sim::PublishedComparison> rows;
  const sim::Scenario& scenario = work.file.scenario;
  if (!scenario.published) return rows;
  const auto index = [&](auto matches) {
    const auto it = std::find_if(work.policies.begin(), work.policies.end(), matches);
    return static_cast<std::size_t>(it - work.policies.begin());
  };
  const std::size_t run_now =
      index([](const sim::PolicyChoice& choice) { return choice.policy == sim::kRunNow; });
  for (const sim::PublishedFigure& figure : scenario.published->figures) {
    const std::size_t policy =
        index([&](const sim::PolicyChoice& choice) { return choice.label == figure.policy; });
    rows.push_back({figure, sim::MetricValue(figure.metric, scenario.cluster, simulations[policy],
                                             simulations[run_now], truth.integrals)});
  }
  return rows;
}

Result<StartResult> RunStart(const Work& work, std::size_t index, sim::Feeds& feeds,
                             const ExperimentOptions& options) {
  const sim::Scenario& scenario = work.file.scenario;
  const Time start = scenario.start_dates[index];
  EBB_ASSIGN_OR_RETURN(const auto truth, sim::TrueSignals::Load(scenario, feeds, start));
  StartResult result;
  for (const sim::PolicyChoice& policy : work.policies) {
    EBB_ASSIGN_OR_RETURN(auto simulation,
                         sim::Simulate(scenario, policy, start, feeds, *truth, options.stopped));
    result.policies.push_back(sim::FiguresOf(simulation, scenario.cluster));
    result.policies.back().cost = sim::CostOf(simulation, scenario.cluster, scenario.prices);
    if (index == 0) result.details.push_back(std::move(simulation));
  }
  result.bound = Bound(scenario, start, *truth);
  if (scenario.jobs.size() <= kMostJobsMovedInHindsight)
    result.place_and_time =
        sim::PlaceAndTimeOf(sim::JobsAt(scenario, start), scenario.cluster, truth->integrals,
                            engine::Options{}.default_max_delay);
  if (index == 0) {
    EBB_ASSIGN_OR_RETURN(result.outlooks, Outlooks(scenario, start, feeds, *truth));
    result.published = ComparePublished(work, result.details, *truth);
  }
  return result;
}

// If there are prices, adds planners for carbon alone and for price alone, to compare with.
void AddExtremes(const sim::Scenario& scenario, std::vector<sim::PolicyChoice>& policies) {
  const auto is_planner = [](const sim::PolicyChoice& choice) {
    return choice.policy == "planner";
  };
  const auto planner = std::find_if(policies.begin(), policies.end(), is_planner);
  if (scenario.prices.empty() || planner == policies.end()) return;
  const sim::PolicyChoice like = *planner;
  for (const auto& [weight, what] : {std::pair{0.0, "carbon alone"}, {1.0, "price alone"}}) {
    const bool there = std::any_of(
        policies.begin(), policies.end(), [&, weight = weight](const sim::PolicyChoice& choice) {
          return is_planner(choice) && choice.options.planner.prices.tariff_weight == weight;
        });
    if (there) continue;
    policies.push_back(like);
    policies.back().label = like.label + ", " + what;
    policies.back().options.planner.prices.tariff_weight = weight;
  }
}

// Adds the two references that savings are computed against, if the scenario does not list them.
std::vector<sim::PolicyChoice> WithReferences(const sim::Scenario& scenario) {
  std::vector<sim::PolicyChoice> policies = scenario.policies;
  const auto lacks = [&](const char* name) {
    return std::none_of(policies.begin(), policies.end(),
                        [&](const sim::PolicyChoice& choice) { return choice.policy == name; });
  };
  const auto reference = [](const char* name) {
    sim::PolicyChoice choice;
    choice.label = choice.policy = name;
    return choice;
  };
  if (lacks(sim::kEarliestDeadline))
    policies.insert(policies.begin(), reference(sim::kEarliestDeadline));
  if (lacks(sim::kRunNow)) policies.insert(policies.begin(), reference(sim::kRunNow));
  AddExtremes(scenario, policies);
  return policies;
}

// Workers take start dates one after the other; the error of the earliest start date is reported.
class Pool {
 public:
  Pool(const Work& work, const ExperimentOptions& options)
      : work_(work), options_(options), results_(work.file.scenario.start_dates.size()) {}

  Result<std::vector<StartResult>> Run() {
    const std::size_t threads =
        std::min(results_.size(), static_cast<std::size_t>(std::max(1, options_.threads)));
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 1; i < threads; ++i) workers.emplace_back([this] { Worker(); });
      Worker();
    }
    if (options_.stopped())
      return Fail({ExitCode::kTryLater, "stopped before the end; nothing was written", "", ""});
    if (error_) return Fail(*error_);
    return std::move(results_);
  }

 private:
  void Worker() {
    auto feeds = MakeFeeds(work_.file);
    if (!feeds) return Keep(0, feeds.error());
    for (std::size_t index = next_++; index < results_.size(); index = next_++) {
      if (failed_ || options_.stopped()) return;
      auto result = RunStart(work_, index, *feeds, options_);
      if (!result) return Keep(index, result.error());
      results_[index] = *std::move(result);
      if (options_.progress) options_.progress(++done_, results_.size());
    }
  }
  void Keep(std::size_t index, const Error& error) {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    if (error_ && index >= error_index_) return;
    error_ = error;
    error_index_ = index;
  }

  const Work& work_;
  const ExperimentOptions& options_;
  std::vector<StartResult> results_;
  std::atomic<std::size_t> next_{0}, done_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
  std::size_t error_index_ = 0;
};

std::string BoundMethod(const std::vector<StartResult>& starts) {
  const bool exact = std::all_of(starts.begin(), starts.end(),
                                 [](const StartResult& start) { return start.bound.exact; });
  return exact ? "the best schedule with the whole future known and pausing free, exact"
               : "a valid lower bound of the best schedule with the whole future known and pausing "
                 "free";
}

// The sum over start dates; nothing if that of one date is unknown.
std::optional<sim::PlaceAndTime> PlaceAndTimeOf(const std::vector<StartResult>& starts) {
  sim::PlaceAndTime sum;
  for (const StartResult& start : starts) {
    if (!start.place_and_time) return std::nullopt;
    sum += *start.place_and_time;
  }
  return sum;
}

sim::Experiment Assemble(const config::ScenarioFile& file,
                         const std::vector<sim::PolicyChoice>& policies,
                         std::vector<StartResult> starts) {
  std::vector<sim::PolicyFigures> figures;
  for (std::size_t policy = 0; policy < policies.size(); ++policy) {
    figures.emplace_back();
    figures.back().label = policies[policy].label;
    figures.back().policy = policies[policy].policy;
    for (StartResult& start : starts)
      figures.back().starts.push_back(std::move(start.policies[policy]));
  }
  std::vector<double> bound_g;
  for (const StartResult& start : starts) bound_g.push_back(start.bound.emissions.grams);
  sim::Experiment experiment;
  experiment.scenario = file.scenario;
  experiment.comparison = sim::Compare(std::move(figures), std::move(bound_g), BoundMethod(starts),
                                       file.scenario.bootstrap, file.scenario.idle_draw);
  experiment.comparison.place_and_time = PlaceAndTimeOf(starts);
  experiment.outlooks = std::move(starts.front().outlooks);
  experiment.first_start = std::move(starts.front().details);
  experiment.published = std::move(starts.front().published);
  experiment.notes = file.notes;
  const auto infeasible = std::count_if(
      starts.begin(), starts.end(), [](const StartResult& start) { return !start.bound.feasible; });
  if (infeasible > 0)
    experiment.notes.push_back("from " + std::to_string(infeasible) +
                               " start dates no schedule keeps every deadline");
  return experiment;
}

}  // namespace

Result<sim::Feeds> MakeFeeds(const config::ScenarioFile& file) {
  sim::Feeds feeds;
  for (const signals::SignalOptions& signal : file.signals) {
    EBB_ASSIGN_OR_RETURN(auto feed, signals::MakeFeed(signal));
    feed = sim::WithForecast(std::move(feed), file.scenario.forecast, file.scenario.noise);
    feeds.push_back(std::make_unique<sim::RememberingFeed>(std::move(feed)));
  }
  return feeds;
}

Result<sim::Experiment> RunExperiment(const config::ScenarioFile& file,
                                      const ExperimentOptions& options) {
  const std::vector<sim::PolicyChoice> policies = WithReferences(file.scenario);
  const Work work{file, policies};
  EBB_ASSIGN_OR_RETURN(auto starts, Pool(work, options).Run());
  return Assemble(file, policies, std::move(starts));
}

}  // namespace ebb::app
