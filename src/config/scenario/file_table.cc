// The keys of a scenario file itself, and of its smaller sections.

#include "config/publication_key.h"
#include "config/scenario/scenario_table.h"
#include "core/jobs/move.h"
#include "core/options/field_builders.h"

namespace ebb::config {
namespace {

using core::Shape;
using sim::Scenario;

constexpr double kMostSamples = 100'000;
constexpr double kFar = 1e12;
constexpr double kHour = 3600;
constexpr double kMostTransferKwh = 1000;
constexpr double kJoulesPerByteOfKwhPerGb = 3.6e6 / 1e9;

MemberAccess<ScenarioSections> Transfer() {
  return {[](const core::OptionValue& value, ScenarioSections& s) -> Status {
            s.scenario.cluster.joules_per_byte = std::get<double>(value) * kJoulesPerByteOfKwhPerGb;
            return {};
          },
          [](const ScenarioSections& s) -> std::optional<core::OptionValue> {
            const auto& given = s.scenario.cluster.joules_per_byte;
            return given ? *given / kJoulesPerByteOfKwhPerGb : core::kTransferKwhPerGb;
          }};
}

// A section that is read later; `example` shows it as YAML in one line.
SectionKey<ScenarioSections> Later(std::string key, std::string type, std::string meaning,
                                   std::string default_text, std::string example,
                                   std::optional<YamlNode> ScenarioSections::*member) {
  core::Field field{std::move(key), Shape::kTextOrObject, std::move(meaning),
                    std::move(default_text), std::move(example)};
  return KeyByRule<ScenarioSections>(std::move(field), std::move(type), ReadNode, member);
}

template <typename Find>
SectionKey<ScenarioSections> OfScenario(core::Field field, Find find) {
  return Key<ScenarioSections>(std::move(field), find);
}

SectionTable<ScenarioSections> ClusterKeys() {
  using S = ScenarioSections;
  return {OfScenario(
              TextField("name", "what the reports call it", "the file's name", R"("sweep")"),
              [](auto& s) -> auto& { return s.scenario.name; }),
          OfScenario(
              TextField("description", "a sentence for the reports", "", R"("21 jobs on 8 GPUs")"),
              [](auto& s) -> auto& { return s.scenario.description; }),
          Later("sites", "list of sections", "the grids that supply the devices", "",
                "[{profile: DE}]", &S::sites),
          Later("devices", "list of sections", "pools of like devices", "",
                "[{model: A5000, count: 2}]", &S::devices),
          Later("forecast", "`own`, `weather`, `archived`, `perfect`, or a section",
                "which forecast decides", "own", "perfect", &S::forecast),
          KeyByRule<S>(TextField("publication_lag",
                                 "how long after its end an interval of a measured trace was "
                                 "published, for sites that do not say it; `none`: known when it "
                                 "begins",
                                 "1h where it was measured", "2h"),
                       "duration, or `none`", ReadPublicationLag, &S::publication_lag),
          KeyWith<S>(core::In("kWh/GB",
                              core::Number("transfer_kwh_per_gb",
                                           "energy of the network per GB that moves between sites "
                                           "([simulate](simulate.md#moves-between-sites))",
                                           "0.06", "0.002", 0, kMostTransferKwh)),
                     Transfer()),
          Later("jobs", "list of sections, or a section with `csv`",
                "jobs and groups of like jobs, or a file of them", "",
                "[{duration: 1h, power_w: 300}]", &S::jobs),
          Later("policies", "list of names and sections",
                "what is compared; `run-now` and `edf` are added as references", "the planner",
                "[planner, {policy: threshold, percentile: 20}]", &S::policies)};
}

SectionTable<ScenarioSections> TimeKeys() {
  using S = ScenarioSections;
  return {Later("start_dates", "list of times, a section, or `recorded`",
                "when the jobs are submitted; `recorded`: as a file of jobs with dates says", "",
                "[2023-05-01T17:00Z]", &S::start_dates),
          OfScenario(
              DurationField("makespan_limit",
                            "every job must end within this time after the start date", "", "48h",
                            kHour),
              [](auto& s) -> auto& { return s.scenario.makespan_limit; }),
          OfScenario(
              DurationField("horizon", "how far forecasts reach", "as far as the latest deadline",
                            "4d", kHour),
              [](auto& s) -> auto& { return s.scenario.horizon; }),
          NamedKey<S>(
              core::Choice("idle_draw",
                           "whether the power of free devices is stated beside the savings, or "
                           "counts in them",
                           "beside", "inside", {"beside", "inside"}),
              [](auto& s) -> auto& { return s.scenario.idle_draw; }, sim::IdleDrawFromName),
          Later("bootstrap", "section", "the intervals around the means over start dates", "",
                "{seed: 2, samples: 500}", &S::bootstrap),
          Later("published", "section", "figures from a publication to compare with ours", "",
                "{source: a paper}", &S::published)};
}

}  // namespace

const SectionTable<ScenarioSections>& ScenarioTable() {
  static const SectionTable<ScenarioSections> table = Joined(ClusterKeys(), TimeKeys());
  return table;
}

const SectionTable<StartRule>& StartRuleTable() {
  static const SectionTable<StartRule> table{
      KeyByRule<StartRule>(core::Required(TextField("from", "the first date", "", "2023-01-01")),
                           "time", ReadTime, &StartRule::from),
      KeyByRule<StartRule>(
          core::Required(TextField("to", "no date is later than this", "", "2023-12-31")), "time",
          ReadTime, &StartRule::to),
      Key<StartRule>(
          core::Required(DurationField("every", "from one date to the next", "", "7d", kHour)),
          &StartRule::every),
      KeyByRule<StartRule>(
          TextField("local_time", "time of day of each date", "00:00", R"("17:00")"), "time of day",
          ReadClockTime, &StartRule::local_time),
      Key<StartRule>(core::Number("utc_offset_hours",
                                  "the local standard time, in hours ahead of UTC, all year", "0",
                                  "-8", -14, 14),
                     &StartRule::utc_offset_hours)};
  return table;
}

const SectionTable<Scenario>& ForecastTable() {
  static const SectionTable<Scenario> table{
      NamedKey<Scenario>(
          core::Choice("source", "which forecast decides ([simulate](simulate.md), Forecasts)",
                       "own", "noise", {"own", "archived", "perfect", "noise", "weather"}),
          &Scenario::forecast, sim::ForecastSourceFromName),
      PercentKey<Scenario>(
          core::Number("sigma_percent",
                       "noise: standard deviation of the error, in percent of the "
                       "truth",
                       "10", "5", 0, 100),
          [](auto& s) -> auto& { return s.noise.sigma; }),
      Key<Scenario>(
          core::Number("hourly_correlation",
                       "noise: correlation of the errors of neighbouring hours", "0.9", "0.5", 0,
                       0.9999),
          [](auto& s) -> auto& { return s.noise.hourly_correlation; }),
      Key<Scenario>(
          core::Whole("seed", "noise: seed of its random numbers", "1", "7", 0, kMostSeed),
          [](auto& s) -> auto& { return s.noise.seed; })};
  return table;
}

const SectionTable<sim::Bootstrap>& BootstrapTable() {
  using sim::Bootstrap;
  static const SectionTable<Bootstrap> table{
      Key<Bootstrap>(core::Whole("seed", "seed of the draws", "1", "7", 0, kMostSeed),
                     &Bootstrap::seed),
      Key<Bootstrap>(core::Whole("samples", "draws of start dates; 0: no intervals", "2000", "500",
                                 0, kMostSamples),
                     &Bootstrap::samples)};
  return table;
}

const SectionTable<PublishedSection>& PublishedTable() {
  using S = PublishedSection;
  static const SectionTable<S> table{
      Key<S>(
          core::Required(TextField("source", "who published them, and where", "",
                                   R"("Doe et al. 2024, table 2")")),
          [](auto& s) -> auto& { return s.published.source; }),
      KeyByRule<S>(
          core::Field{"figures", Shape::kObjects, "the figures", "",
                      "[{name: mean, policy: planner, metric: emissions_g, published: 5}]"},
          "list of sections", ReadNode, &S::figures)};
  return table;
}

const SectionTable<sim::PublishedFigure>& FigureTable() {
  using Figure = sim::PublishedFigure;
  static const SectionTable<Figure> table{
      Key<Figure>(
          core::Required(TextField("name", "what the reports call it", "", R"("emitted, g")")),
          &Figure::name),
      Key<Figure>(core::Required(
                      TextField("policy", "label of the policy that corresponds", "", "planner")),
                  &Figure::policy),
      Key<Figure>(core::Required(TextField("metric",
                                           "our figure to compare with ([simulate](simulate.md), "
                                           "Published figures)",
                                           "", "emissions_g")),
                  &Figure::metric),
      Key<Figure>(
          core::Number("published", "as its authors state it; this or `recomputed` is required", "",
                       "1234.5", -kFar, kFar),
          &Figure::published),
      Key<Figure>(core::Number("recomputed", "computed again from the raw data of its authors", "",
                               "1230", -kFar, kFar),
                  &Figure::recomputed),
      Key<Figure>(core::Whole("decimals", "decimals that the reports show", "1", "2", 0, 6),
                  &Figure::decimals)};
  return table;
}

}  // namespace ebb::config
