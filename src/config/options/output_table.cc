// Options of where a run and its figures are written.

#include <filesystem>

#include "config/options/option_groups.h"
#include "config/options/option_member.h"

namespace ebb::config {
namespace {

using core::OptionValue;

constexpr OptionGroup kOutput = OptionGroup::kOutput;
constexpr OptionGroup kTrackers = OptionGroup::kTrackers;

template <typename T>
OptionMember OfRun(T RunOptions::*member) {
  return Member([member](auto& o) -> auto& { return o.*member; });
}
OptionMember OfPlace(std::string core::Location::*member) {
  return Member([member](auto& o) -> auto& { return o.location.*member; });
}
OptionMember OfTracking(std::string core::Tracking::*member) {
  return Member([member](auto& o) -> auto& { return o.tracking.*member; });
}

// A stored path is absolute because a run may be continued from another directory.
std::optional<OptionValue> Absolute(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).string();
}

OptionMember Path(OptionMember member) {
  member.get = [get = member.get](const RunOptions& o) {
    return Absolute(std::get<std::string>(get(o).value()));
  };
  return member;
}

// A directory, or the address of a server.
OptionMember Mlflow() {
  OptionMember member = OfTracking(&core::Tracking::mlflow);
  member.get = [](const RunOptions& o) -> std::optional<OptionValue> {
    const std::string& target = o.tracking.mlflow;
    if (target.find("://") != std::string::npos) return target;
    return Absolute(target);
  };
  return member;
}

OptionMember Format() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            o.json = std::get<std::string>(value) == "json";
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            return std::string(o.json ? "json" : "text");
          }};
}

std::vector<RunOption> PlaceOptions() {
  return {
      {.group = kOutput,
       .field = core::NameField(),
       .member = OfRun(&RunOptions::name),
       .codecarbon = {"project_name"},
       .stored = Stored::kNever},
      {.group = kOutput,
       .field =
           Text(Flag("output-dir", "DIR"), "output_dir", "where run directories are made", "runs"),
       .member = OfRun(&RunOptions::output_dir),
       .stored = Stored::kNever},
      {.group = kOutput,
       .field = Text(Flag("run-dir", "DIR"), "run_dir", "this run's directory"),
       .member = OfRun(&RunOptions::run_dir),
       .stored = Stored::kNever},
      {.group = kOutput,
       .field = Text(Flag("group", "NAME"), "group",
                     "runs that belong together (default the name); experiment_id in "
                     "emissions.csv"),
       .member = OfRun(&RunOptions::group),
       .otherwise = "the name",
       .stored = Stored::kNever},
      {.group = kOutput,
       .field = Text(Flag("region", "NAME"), "region", "a label for emissions.csv", "the zone"),
       .member = OfPlace(&core::Location::region),
       .codecarbon = {"region"},
       .stored = Stored::kNever},
      {.group = kOutput,
       .field = Text(Flag("cloud-provider", "NAME"), "cloud_provider", "a label for emissions.csv"),
       .member = OfPlace(&core::Location::cloud_provider),
       .codecarbon = {"cloud_provider"},
       .stored = Stored::kNever},
      {.group = kOutput,
       .field = Text(Flag("cloud-region", "NAME"), "cloud_region", "a label for emissions.csv"),
       .member = OfPlace(&core::Location::cloud_region),
       .codecarbon = {"cloud_region"},
       .stored = Stored::kNever},
  };
}

std::vector<RunOption> FileOptions() {
  return {
      {.group = kOutput,
       .field = Text(Flag("emissions-file", "FILE"), "emissions_file",
                     "add the run to this emissions.csv, with CodeCarbon's 38 columns "
                     "(docs/codecarbon.md)"),
       .member = Path(OfRun(&RunOptions::emissions_file))},
      {.group = kOutput,
       .field = Choice(Flag("csv-write", "HOW"), "csv_write",
                       "append (default): add a row; update: replace the run's row",
                       core::CsvWriteNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.csv_write; }, core::CsvWriteFromName),
       .codecarbon = {"on_csv_write"},
       .otherwise = "append"},
      {.group = kOutput,
       .field = Text(Flag("prometheus-file", "FILE"), "prometheus_file",
                     "figures for Prometheus while the run lasts (for node_exporter's textfile "
                     "collector: *.prom)"),
       .member = Path(OfRun(&RunOptions::prometheus_file))},
      {.group = kOutput,
       .field = Text(Flag("prometheus-url", "URL"), "prometheus_url",
                     "push the same to a Pushgateway, e.g. http://localhost:9091"),
       .member = OfRun(&RunOptions::prometheus_url)},
      {.group = kOutput,
       .field = Choice(Flag("format", "FORMAT"), "format", "text (to stderr) or json (to stdout)",
                       {"text", "json"}),
       .member = Format(),
       .otherwise = "text",
       .stored = Stored::kNever},
      {.group = kOutput,
       .field =
           ByFlag(Flag("quiet", ""), {"quiet", core::Shape::kFlag, "no progress and no summary"}),
       .member = OfRun(&RunOptions::quiet),
       .otherwise = "false",
       .stored = Stored::kNever},
  };
}

std::vector<RunOption> TrackerOptions() {
  return {
      {.group = kTrackers,
       .field = AnyPath(core::TensorboardField()),
       .member = Path(OfTracking(&core::Tracking::tensorboard))},
      {.group = kTrackers, .field = core::MlflowField(), .member = Mlflow()},
      {.group = kTrackers,
       .field = WithDefault("the group of the run", core::MlflowExperimentField()),
       .member = OfTracking(&core::Tracking::mlflow_experiment)},
      {.group = kTrackers,
       .field = AnyPath(core::MlflowTokenFileField()),
       .member = Path(OfTracking(&core::Tracking::mlflow_token_file))},
  };
}

}  // namespace

std::vector<RunOption> OutputTable() {
  std::vector<RunOption> all;
  for (auto part : {PlaceOptions(), FileOptions(), TrackerOptions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace ebb::config
