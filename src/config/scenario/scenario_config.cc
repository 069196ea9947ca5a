#include "config/scenario/scenario_config.h"

#include <algorithm>

#include "config/prices/operator_file.h"
#include "config/publication_key.h"
#include "config/scenario/scenario_dates.h"
#include "config/scenario/scenario_jobs.h"
#include "config/scenario/scenario_policies.h"
#include "config/scenario/scenario_prices.h"
#include "config/scenario/scenario_sites.h"
#include "config/yaml/file_names.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"
#include "platform/shipped_files.h"
#include "sim/published.h"

namespace ebb::config {
namespace {

using sim::ForecastSource;
using sim::Scenario;

constexpr double kMostSamples = 100'000;
constexpr double kNoLimit = 9e15;

struct TopKeys {
  Given<std::string> name, description;
  SiteSections sites;
  Given<YamlNode> forecast, jobs, policies, start_dates, bootstrap, published;
  Given<Duration> makespan_limit, horizon;
  Given<core::Publication> publication_lag;
  Given<std::string> idle_draw;
};

std::vector<KeyRule> TopRules(TopKeys& keys) {
  constexpr Duration kShortest{std::chrono::hours{1}};
  return {
      ReadText("name", keys.name),
      ReadText("description", keys.description),
      ReadNode("sites", keys.sites.sites),
      ReadNode("devices", keys.sites.devices),
      ReadNode("forecast", keys.forecast),
      ReadPublicationLag(keys.publication_lag),
      ReadNode("jobs", keys.jobs),
      ReadNode("policies", keys.policies),
      ReadNode("start_dates", keys.start_dates),
      ReadDuration("makespan_limit", keys.makespan_limit, kShortest),
      ReadDuration("horizon", keys.horizon, kShortest),
      ReadChoice("idle_draw", keys.idle_draw, {"beside", "inside"}),
      ReadNode("bootstrap", keys.bootstrap),
      ReadNode("published", keys.published),
  };
}

// Reads "own", or a section with a source and, for noise, its size and memory.
void ReadForecast(const Given<YamlNode>& node, Scenario& scenario, Problems& problems) {
  if (!node) return;
  Given<std::string> source;
  Given<double> sigma_percent, correlation;
  Given<std::int64_t> seed;
  const KeyRule source_rule =
      ReadChoice("source", source, {"own", "archived", "perfect", "noise", "weather"});
  const std::vector<KeyRule> rules{source_rule,
                                   ReadNumber("sigma_percent", sigma_percent, {0, 100}),
                                   ReadNumber("hourly_correlation", correlation, {0, 0.9999}),
                                   ReadInteger("seed", seed, {0, kNoLimit})};
  if (node.value->kind == YamlNode::Kind::kScalar)
    source_rule.read(*node, problems);
  else
    ReadSection(*node, "forecast", rules, {}, problems);
  if (source) scenario.forecast = *sim::ForecastSourceFromName(*source);
  if ((sigma_percent || correlation || seed) && scenario.forecast != ForecastSource::kNoise)
    problems.Add(node.line, "sigma_percent, hourly_correlation and seed are for source: noise");
  scenario.noise.sigma = sigma_percent.value_or(100 * scenario.noise.sigma) / 100;
  scenario.noise.hourly_correlation = correlation.value_or(scenario.noise.hourly_correlation);
  if (seed) scenario.noise.seed = static_cast<std::uint64_t>(*seed);
}

void ReadBootstrap(const Given<YamlNode>& node, Scenario& scenario, Problems& problems) {
  if (!node) return;
  Given<std::int64_t> seed, samples;
  const std::vector<KeyRule> rules{ReadInteger("seed", seed, {0, kNoLimit}),
                                   ReadInteger("samples", samples, {0, kMostSamples})};
  ReadSection(*node, "bootstrap", rules, {}, problems);
  if (seed) scenario.bootstrap.seed = static_cast<std::uint64_t>(*seed);
  if (samples) scenario.bootstrap.samples = static_cast<int>(*samples);
}

void ReadFigure(const YamlNode& node, const Scenario& scenario, sim::Published& published,
                Problems& problems) {
  constexpr double kFar = 1e12;
  Given<std::string> name, policy, metric;
  Given<double> value, recomputed;
  Given<std::int64_t> decimals;
  const std::vector<KeyRule> rules{ReadText("name", name),
                                   ReadText("policy", policy),
                                   ReadText("metric", metric),
                                   ReadNumber("published", value, {-kFar, kFar}),
                                   ReadNumber("recomputed", recomputed, {-kFar, kFar}),
                                   ReadInteger("decimals", decimals, {0, 6})};
  ReadSection(node, "figures", rules, {}, problems);
  if (!name || !policy || !metric || (!value && !recomputed))
    return problems.Add(node.line, "a figure needs name, policy, metric and published");
  std::vector<std::string> labels;
  for (const auto& choice : scenario.policies) labels.push_back(choice.label);
  if (std::find(labels.begin(), labels.end(), *policy) == labels.end())
    problems.Add(policy.line,
                 "policy \"" + *policy + "\" is not in policies" + SuggestionText(*policy, labels));
  if (const Status fine = sim::CheckMetric(*metric, scenario.cluster); !fine)
    problems.Add(metric.line, fine.error().Message());
  published.figures.push_back({*name, value.value, recomputed.value, *policy, *metric,
                               static_cast<int>(decimals.value_or(1))});
}

void ReadPublished(const Given<YamlNode>& node, Scenario& scenario, Problems& problems) {
  if (!node) return;
  sim::Published published;
  Given<std::string> source;
  const std::vector<KeyRule> rules{ReadText("source", source),
                                   ReadItems("figures", [&](const YamlNode& item, Problems& found) {
                                     ReadFigure(item, scenario, published, found);
                                   })};
  ReadSection(*node, "published", rules, {}, problems);
  published.source = source.value_or("");
  if (!source) problems.Add(node.line, "published needs a source: who published it, and where");
  scenario.published = std::move(published);
}

// The origin of dates in jobs: the only start date, if it is known before the jobs are read.
std::optional<Time> OriginOf(const ScenarioContext& context, const Given<YamlNode>& start_dates) {
  if (context.moment) return context.moment;
  if (!start_dates || start_dates.value->items.size() != 1) return std::nullopt;
  const auto time = ParseTime(start_dates.value->items.front().text);
  return time ? std::optional(*time) : std::nullopt;
}

std::vector<Time> StartDatesOf(const ScenarioContext& context, const Given<YamlNode>& section,
                               std::optional<Time> first_recorded, Problems& problems) {
  if (context.moment) return {*context.moment};
  if (section) return ReadStartDates(*section, first_recorded, problems);
  if (context.use == ScenarioUse::kSimulation)
    problems.Add(0, "start_dates is missing: when are the jobs submitted?");
  return {};
}

// Sets the publication lag of the traces that do not have their own.
void SetPublication(const Given<core::Publication>& publication, ScenarioFile& file,
                    Problems& problems) {
  if (!publication) return;
  bool has_trace = false;
  for (signals::SignalOptions& signal : file.signals) {
    has_trace = has_trace || signal.source == signals::SignalSource::kReplay;
    if (!signal.publication) signal.publication = *publication;
  }
  if (!has_trace)
    problems.Add(publication.line, "publication_lag is for traces only, and no site has one");
}

void ApplyTiers(const std::vector<core::Tier>& tiers, std::vector<core::Job>& jobs) {
  for (core::Job& job : jobs) {
    const core::Tier* tier = core::FindTier(tiers, job.tier);
    if (!tier) continue;
    if (!job.threshold) job.threshold = tier->threshold;
    if (!job.start_by && !job.finish_by) job.start_by = job.submitted + tier->max_delay;
    if (job.priority == 0) job.priority = tier->priority;
  }
}

ScenarioFile Resolve(const TopKeys& keys, const ScenarioContext& context, Problems& problems) {
  ScenarioFile file;
  Scenario& scenario = file.scenario;
  const std::string directory = FolderOf(context.path);
  scenario.name = keys.name.value_or(FileStem(context.path, "scenario"));
  scenario.description = keys.description.value_or("");
  Sites sites = ReadSites(keys.sites, directory, context.default_signal, problems);
  scenario.cluster = std::move(sites.cluster);
  scenario.unknown_idle = std::move(sites.unknown_idle);
  if (keys.idle_draw) scenario.idle_draw = *sim::IdleDrawFromName(*keys.idle_draw);
  file.signals = std::move(sites.signals);
  SetPublication(keys.publication_lag, file, problems);
  file.price_files = std::move(sites.price_files);
  file.operator_files = std::move(sites.operator_files);
  ReadForecast(keys.forecast, scenario, problems);
  JobList jobs;
  if (keys.jobs)
    jobs = ReadJobs(
        *keys.jobs,
        {scenario.cluster, OriginOf(context, keys.start_dates), directory, context.read_file},
        problems);
  else
    problems.Add(0, "jobs is missing: a list of jobs, or a csv file");
  scenario.jobs = std::move(jobs.jobs);
  ApplyTiers(context.tiers, scenario.jobs);
  file.notes = std::move(jobs.notes);
  scenario.start_dates = StartDatesOf(context, keys.start_dates, jobs.first_recorded, problems);
  scenario.policies = ReadPolicies(keys.policies, problems);
  scenario.makespan_limit = keys.makespan_limit.value;
  scenario.horizon = keys.horizon.value;
  ReadBootstrap(keys.bootstrap, scenario, problems);
  ReadPublished(keys.published, scenario, problems);
  return file;
}

// The forecast mode of a trace's feed. Perfect and noisy forecasts are made around that feed, by
// sim/foresight_feed.h, which also needs the true value of the current hour.
signals::ForecastMode ModeOf(ForecastSource source) {
  switch (source) {
    case ForecastSource::kOwn:
      return signals::ForecastMode::kHistory;
    case ForecastSource::kWeather:
      return signals::ForecastMode::kWeather;
    case ForecastSource::kArchived:
      return signals::ForecastMode::kArchived;
    case ForecastSource::kPerfect:
    case ForecastSource::kNoise:
      return signals::ForecastMode::kPerfect;
  }
  return signals::ForecastMode::kHistory;
}

Status LoadSiteOperators(ScenarioFile& file) {
  for (std::size_t site = 0; site < file.operator_files.size(); ++site) {
    if (file.operator_files[site].empty()) continue;
    EBB_ASSIGN_OR_RETURN(auto hours,
                         LoadOperators(file.operator_files[site], file.signals[site].zone));
    file.signals[site].operators =
        std::make_shared<const signals::OperatorForecast>(std::move(hours));
  }
  return {};
}

Status SetForecasts(ScenarioFile& file, const std::string& path) {
  for (signals::SignalOptions& signal : file.signals) {
    if (signal.source == signals::SignalSource::kReplay) {
      signal.forecast = ModeOf(file.scenario.forecast);
    } else if (file.scenario.forecast == ForecastSource::kArchived) {
      return Fail({ExitCode::kConfiguration,
                   "forecast: archived, but a site has no trace that could hold one", path,
                   "use forecast: own, or a trace with forecast_dK columns at every site"});
    }
  }
  return {};
}

}  // namespace

Status CheckIdleDraw(const sim::Scenario& scenario, const std::string& path) {
  if (scenario.idle_draw == sim::IdleDraw::kBeside || scenario.unknown_idle.empty()) return {};
  return Fail(
      {ExitCode::kConfiguration,
       "idle draw inside, but nobody knows what a free " + scenario.unknown_idle.front() + " draws",
       path, "give its idle_w, or leave the idle draw beside"});
}

Result<ScenarioFile> ParseScenario(const std::string& text, const ScenarioContext& context) {
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, context.path));
  if (root.kind == YamlNode::Kind::kNull)
    return Fail({ExitCode::kConfiguration, "the file is empty", context.path,
                 "configs/scenarios shows what belongs in it"});
  Problems problems(context.path);
  TopKeys keys;
  const std::vector<KeyRule> rules = TopRules(keys);
  ReadSection(root, "", rules, {}, problems);
  ScenarioFile file = Resolve(keys, context, problems);
  if (!problems.empty()) return Fail(problems.ToError());
  EBB_RETURN_IF_ERROR(SetForecasts(file, context.path));
  EBB_RETURN_IF_ERROR(CheckIdleDraw(file.scenario, context.path));
  return file;
}

Result<ScenarioFile> LoadScenario(ScenarioContext context) {
  context.path = platform::Shipped(context.path);
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(context.path));
  context.read_file = [](const std::string& path) { return platform::ReadFileMaybeGzip(path); };
  EBB_ASSIGN_OR_RETURN(ScenarioFile file, ParseScenario(text, context));
  EBB_RETURN_IF_ERROR(LoadSitePrices(file));
  EBB_RETURN_IF_ERROR(LoadSiteOperators(file));
  return file;
}

}  // namespace ebb::config
