#include "config/scenario/job_csv_section.h"

#include "config/job_option_rules.h"
#include "config/yaml/file_names.h"
#include "config/yaml/list_reader.h"
#include "plan/feasibility/feasibility.h"
#include "sim/job_csv.h"

namespace ebb::config {
namespace {

constexpr double kMost = 1e9;

// The keys of the section: options that all of its jobs share (core/options/job_options.h), and how
// the trace is read.
struct CsvKeys {
  CsvKeys() { submission.job = sim::JobCsvOptions().job; }
  core::Submission submission;
  JobOptionKeys options{core::Place::kJobTrace, submission};
  Given<std::string> csv, how_to_get;
  Given<Duration> max_delay, shortest, longest;
  Given<std::int64_t> widest, most_jobs;
  Given<YamlNode> rules;
};

std::vector<KeyRule> CsvRules(CsvKeys& keys) {
  std::vector<KeyRule> rules = keys.options.Rules();
  for (KeyRule& rule : std::vector<KeyRule>{
           ReadText("csv", keys.csv), ReadText("how_to_get", keys.how_to_get),
           ReadDuration("max_delay", keys.max_delay, Duration::zero()),
           ReadDuration("shortest", keys.shortest, Duration::zero()),
           ReadDuration("longest", keys.longest, Duration{1}),
           ReadInteger("widest", keys.widest, {1, kMost}),
           ReadInteger("most_jobs", keys.most_jobs, {1, kMost}), ReadNode("rules", keys.rules)})
    rules.push_back(std::move(rule));
  return rules;
}

std::vector<sim::JobRule> ReadRules(const Given<YamlNode>& node, Problems& problems) {
  std::vector<sim::JobRule> rules;
  if (!node) return rules;
  ReadItems("rules", [&](const YamlNode& item, Problems& found) {
    Given<Duration> up_to, max_delay;
    Given<double> power_w;
    Given<std::string> tier;
    const std::vector<KeyRule> keys{
        Formerly("run_time_up_to", ReadDuration("duration_up_to", up_to, Duration{1})),
        ReadDuration("max_delay", max_delay, Duration::zero()),
        ReadNumber("power_w", power_w, {0, 1e7}), ReadText("tier", tier)};
    ReadSection(item, "rules", keys, {}, found);
    sim::JobRule rule{up_to.value, max_delay.value, std::nullopt, tier.value_or("")};
    if (power_w) rule.power = Power{*power_w};
    rules.push_back(std::move(rule));
  }).read(*node, problems);
  return rules;
}

sim::JobCsvOptions OptionsOf(const CsvKeys& keys, Problems& problems) {
  sim::JobCsvOptions options;
  options.job = keys.submission.job;
  options.max_delay = keys.max_delay.value;
  options.shortest = keys.shortest.value_or(Duration::zero());
  options.longest = keys.longest.value;
  if (keys.widest) options.widest = static_cast<int>(*keys.widest);
  if (keys.most_jobs) options.most_jobs = static_cast<int>(*keys.most_jobs);
  options.rules = ReadRules(keys.rules, problems);
  return options;
}

// Reports the first job that cannot run at all, and the number of such jobs.
void CheckJobs(const std::vector<core::Job>& jobs, const core::Cluster& cluster, int line,
               Problems& problems) {
  int bad = 0;
  std::string first;
  for (const core::Job& job : jobs) {
    const Status fine = plan::CheckJob(job, cluster);
    if (!fine && ++bad == 1) first = fine.error().Message();
  }
  if (bad > 0)
    problems.Add(line, std::to_string(bad) + " of " + std::to_string(jobs.size()) +
                           " jobs cannot run; the first: " + first +
                           " (widest, shortest and longest leave jobs out)");
}

}  // namespace

JobList ReadJobCsv(const YamlNode& section, const JobsContext& context, Problems& problems) {
  CsvKeys keys;
  const std::vector<KeyRule> rules = CsvRules(keys);
  ReadSection(section, "jobs", rules, {}, problems);
  const sim::JobCsvOptions options = OptionsOf(keys, problems);
  if (!keys.csv) {
    problems.Add(section.line, "jobs must be a list of jobs, or have a csv file");
    return {};
  }
  const std::string path = Beside(context.directory, *keys.csv);
  auto text = context.read_file(path);
  if (!text) {
    if (keys.how_to_get) text.error().next = *keys.how_to_get;
    problems.Add(keys.csv.line, text.error().Message());
    return {};
  }
  auto csv = sim::ParseJobCsv(*text, path, options);
  if (!csv) {
    problems.Add(keys.csv.line, csv.error().Message());
    return {};
  }
  if (!context.cluster.pools.empty()) CheckJobs(csv->jobs, context.cluster, section.line, problems);
  JobList list{std::move(csv->jobs), std::nullopt, {}};
  if (csv->first != Time{}) list.first_recorded = csv->first;
  if (csv->left_out > 0)
    list.notes.push_back(std::to_string(csv->left_out) +
                         " jobs of the trace are left out by shortest, longest or widest");
  return list;
}

}  // namespace ebb::config
