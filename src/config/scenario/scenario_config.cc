#include "config/scenario/scenario_config.h"

#include <algorithm>

#include "config/prices/operator_file.h"
#include "config/scenario/scenario_dates.h"
#include "config/scenario/scenario_jobs.h"
#include "config/scenario/scenario_policies.h"
#include "config/scenario/scenario_prices.h"
#include "config/scenario/scenario_sites.h"
#include "config/scenario/scenario_table.h"
#include "config/yaml/file_names.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"
#include "platform/shipped_files.h"
#include "sim/published.h"

namespace ebb::config {
namespace {

using sim::ForecastSource;
using sim::Scenario;

// Reads the name of a forecast, or a section with it and, for noise, its size and memory.
void ReadForecast(const std::optional<YamlNode>& node, Scenario& scenario, Problems& problems) {
  if (!node) return;
  if (node->kind == YamlNode::Kind::kScalar) {
    ForecastTable().front().read(*node, scenario, problems);
    return;
  }
  const auto given = ReadByTable(*node, "forecast", ForecastTable(), scenario, problems);
  const bool has_noise =
      given.Has("sigma_percent") || given.Has("hourly_correlation") || given.Has("seed");
  if (has_noise && scenario.forecast != ForecastSource::kNoise)
    problems.Add(node->line, "sigma_percent, hourly_correlation and seed are for source: noise");
}

void ReadFigure(const YamlNode& node, const Scenario& scenario, sim::Published& published,
                Problems& problems) {
  sim::PublishedFigure figure;
  const auto given = ReadByTable(node, "figures", FigureTable(), figure, problems);
  const bool has_value = figure.published || figure.recomputed;
  if (!given.Has("name") || !given.Has("policy") || !given.Has("metric") || !has_value)
    return problems.Add(node.line, "a figure needs name, policy, metric and published");
  std::vector<std::string> labels;
  for (const auto& choice : scenario.policies) labels.push_back(choice.label);
  if (std::find(labels.begin(), labels.end(), figure.policy) == labels.end())
    problems.Add(given.LineOf("policy"), "policy \"" + figure.policy + "\" is not in policies" +
                                             SuggestionText(figure.policy, labels));
  if (const Status fine = sim::CheckMetric(figure.metric, scenario.cluster); !fine)
    problems.Add(given.LineOf("metric"), fine.error().Message());
  published.figures.push_back(std::move(figure));
}

void ReadPublished(const std::optional<YamlNode>& node, Scenario& scenario, Problems& problems) {
  if (!node) return;
  PublishedSection section;
  const auto given = ReadByTable(*node, "published", PublishedTable(), section, problems);
  if (section.figures)
    ReadEach("figures", *section.figures, problems, [&](const YamlNode& item, Problems& found) {
      ReadFigure(item, scenario, section.published, found);
    });
  if (!given.Has("source"))
    problems.Add(node->line, "published needs a source: who published it, and where");
  scenario.published = std::move(section.published);
}

// The origin of dates in jobs: the only start date, if it is known before the jobs are read.
std::optional<Time> OriginOf(const ScenarioContext& context,
                             const std::optional<YamlNode>& start_dates) {
  if (context.moment) return context.moment;
  if (!start_dates || start_dates->items.size() != 1) return std::nullopt;
  const auto time = ParseTime(start_dates->items.front().text);
  return time ? std::optional(*time) : std::nullopt;
}

std::vector<Time> StartDatesOf(const ScenarioContext& context,
                               const std::optional<YamlNode>& section,
                               std::optional<Time> first_recorded, Problems& problems) {
  if (context.moment) return {*context.moment};
  if (section) return ReadStartDates(*section, first_recorded, problems);
  if (context.use == ScenarioUse::kSimulation)
    problems.Add(0, "start_dates is missing: when are the jobs submitted?");
  return {};
}

// Sets the publication lag of the traces that do not have their own.
void SetPublication(const std::optional<core::Publication>& publication, int line,
                    ScenarioFile& file, Problems& problems) {
  if (!publication) return;
  bool has_trace = false;
  for (signals::SignalOptions& signal : file.signals) {
    has_trace = has_trace || signal.source == signals::SignalSource::kReplay;
    if (!signal.publication) signal.publication = *publication;
  }
  if (!has_trace) problems.Add(line, "publication_lag is for traces only, and no site has one");
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

// Reads the sections of the file in the order in which they refer to each other.
ScenarioFile Resolve(ScenarioSections sections, int publication_line,
                     const ScenarioContext& context, Problems& problems) {
  ScenarioFile file;
  file.scenario = std::move(sections.scenario);
  Scenario& scenario = file.scenario;
  const std::string directory = FolderOf(context.path);
  if (scenario.name.empty()) scenario.name = FileStem(context.path, "scenario");
  Sites sites = ReadSites(sections, directory, context.default_signal, problems);
  scenario.cluster.sites = std::move(sites.cluster.sites);
  scenario.cluster.pools = std::move(sites.cluster.pools);
  scenario.unknown_idle = std::move(sites.unknown_idle);
  file.signals = std::move(sites.signals);
  SetPublication(sections.publication_lag, publication_line, file, problems);
  file.price_files = std::move(sites.price_files);
  file.operator_files = std::move(sites.operator_files);
  ReadForecast(sections.forecast, scenario, problems);
  JobList jobs;
  if (sections.jobs)
    jobs = ReadJobs(
        *sections.jobs,
        {scenario.cluster, OriginOf(context, sections.start_dates), directory, context.read_file},
        problems);
  else
    problems.Add(0, "jobs is missing: a list of jobs, or a csv file");
  scenario.jobs = std::move(jobs.jobs);
  ApplyTiers(context.tiers, scenario.jobs);
  file.notes = std::move(jobs.notes);
  scenario.start_dates = StartDatesOf(context, sections.start_dates, jobs.first_recorded, problems);
  scenario.policies = ReadPolicies(sections.policies, problems);
  if (sections.bootstrap)
    ReadByTable(*sections.bootstrap, "bootstrap", BootstrapTable(), scenario.bootstrap, problems);
  ReadPublished(sections.published, scenario, problems);
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
  ScenarioSections sections;
  const GivenKeys given = ReadByTable(root, "", ScenarioTable(), sections, problems);
  ScenarioFile file =
      Resolve(std::move(sections), given.LineOf("publication_lag"), context, problems);
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
