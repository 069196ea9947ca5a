#pragma once
// Every key of a scenario file, described once: a table for each section, whose keys set members of
// the struct that it is for. The readers of the sections (scenario_config.h, scenario_sites.h,
// scenario_jobs.h ...) and docs/scenario-options.md follow the tables. The options of a job have
// their own table (core/options/job_options.h), and here only those that need more than their value
// or that only a scenario has.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/section_table.h"
#include "config/yaml/list_reader.h"
#include "core/jobs/submission.h"
#include "core/signal/publication.h"
#include "signals/signal_options.h"
#include "sim/job_csv.h"
#include "sim/scenario.h"

namespace ebb::config {

inline constexpr double kMostSeed = 9e15;

// The file, its forecast, its intervals, published figures: file_table.cc -------------------------

/// The top level. Sections are kept until everything is read that they refer to.
struct ScenarioSections {
  sim::Scenario scenario;
  std::optional<core::Publication> publication_lag;
  std::optional<YamlNode> sites, devices, forecast, jobs, policies, start_dates, bootstrap,
      published;
};
/// The section `start_dates` as a rule.
struct StartRule {
  std::optional<Time> from, to;
  std::optional<Duration> every;
  Duration local_time{};
  double utc_offset_hours = 0;
};
struct PublishedSection {
  sim::Published published;
  std::optional<YamlNode> figures;
};

const SectionTable<ScenarioSections>& ScenarioTable();
const SectionTable<StartRule>& StartRuleTable();
const SectionTable<sim::Scenario>& ForecastTable();
const SectionTable<sim::Bootstrap>& BootstrapTable();
const SectionTable<PublishedSection>& PublishedTable();
const SectionTable<sim::PublishedFigure>& FigureTable();

// Sites and devices: site_table.cc ----------------------------------------------------------------

/// A site. Paths are as the file gives them.
struct SiteSection {
  core::Site site;
  signals::SignalOptions signal;
  std::string profile;
  std::string neo_time_zone;
  std::string prices, operators;
};
/// A pool of devices, with the name of its site.
struct PoolSection {
  core::DevicePool pool;
  std::string site;
  std::optional<Power> idle;
};

const SectionTable<SiteSection>& SiteTable();
const SectionTable<PoolSection>& PoolTable();
/// Speed and power of a pool, or of a job on a model.
core::Field SpeedField();
core::Field PowerFactorField();

// Jobs: job_table.cc ------------------------------------------------------------------------------

/// A job or a group of like jobs.
struct JobSection {
  core::Submission submission;
  std::int64_t count = 1;
  Duration submit_every{};
  Moment submit;
  std::optional<Moment> start_by, finish_by;
  std::optional<Duration> max_delay;
  std::optional<double> energy_kwh;
  std::optional<YamlNode> overrides;
};
/// A file of jobs, and values that it does not give.
struct JobTraceSection {
  core::Submission submission;
  sim::JobCsvOptions options;
  std::string csv, how_to_get;
  std::optional<YamlNode> rules;
};

const SectionTable<JobSection>& JobTable();
const SectionTable<core::ModelOverride>& OverrideTable();
const SectionTable<JobTraceSection>& JobTraceTable();
const SectionTable<sim::JobRule>& JobRuleTable();

// Policies: policy_table.cc -----------------------------------------------------------------------

struct PolicyKey {
  SectionKey<sim::PolicyChoice> key;
  std::vector<std::string> policies{};  ///< those that use it; empty: all
};

const std::vector<PolicyKey>& PolicyKeys();
/// The keys that a policy may have.
SectionTable<sim::PolicyChoice> PolicyTable(std::string_view policy);

}  // namespace ebb::config
