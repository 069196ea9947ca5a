#include "cli/queue_sweeps.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units_text.h"
#include "cli/fitted_text.h"
#include "core/ledger/work.h"
#include "signals/http/web_request.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

Result<Json> Asked(const app::ServiceClient& client, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get(path));
  Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object())
    return Fail({ExitCode::kUnavailable, "the service's answer is not JSON", "", ""});
  return json;
}

// The path of a sweep in the API: "/api/v1/sweeps/3".
Result<std::string> PathOf(const app::ServiceClient& client, const std::string& sweep) {
  const std::string base = "/api/v1/sweeps";
  EBB_ASSIGN_OR_RETURN(const Json named,
                       Asked(client, base + "?limit=1&name=" + signals::UrlEscape(sweep)));
  if (!named["sweeps"].empty()) return base + "/" + named["sweeps"][0]["sweep"].dump();
  if (const auto number = ParseInteger(sweep); number && *number > 0)
    return base + "/" + std::to_string(*number);
  EBB_ASSIGN_OR_RETURN(const Json all, Asked(client, base));
  std::vector<std::string> names;
  for (const Json& one : all["sweeps"]) names.push_back(one.value("name", ""));
  return Fail({ExitCode::kUsage,
               "there is no sweep \"" + sweep + "\"" + SuggestionText(sweep, names), "",
               "ebb queue --sweeps lists them"});
}

std::string CellOf(const Json& json, const char* key, int digits) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? FormatFixed(found->get<double>(), digits) : "";
}

std::string EnergyCell(const Json& row) {
  return EnergyText(Energy::Joules(row.value("energy_kwh", 0.0) * 3.6e6));
}

std::string EmissionsCell(const Json& row) {
  if (row["emissions_g"].is_number()) return EmissionsText({row["emissions_g"]});
  return row.value("attempts", 0) > 0 ? "unknown" : "";
}

// The energy of the finest unit of work that the program reports.
std::string PerUnitCell(const Json& row) {
  for (const core::WorkUnit unit : core::kWorkUnits)
    if (const auto found = row.find(core::EnergyPerKey(unit));
        found != row.end() && found->is_number())
      return core::EnergyPerText(unit, found->get<double>());
  return "";
}

std::string SavedText(const Json& json) {
  const int stopped = json.value("stopped_early", 0);
  if (stopped == 0) return "";
  return std::to_string(stopped) + " stopped early: about " +
         EmissionsText({json.value("estimated_saved_g", 0.0)}) + " and " +
         EnergyText(Energy::Joules(json.value("estimated_saved_kwh", 0.0) * 3.6e6)) +
         " not spent, by estimate; whether the best configuration was among them cannot be known";
}

constexpr std::size_t kBeforeParameters = 4;

report::TextTable ExperimentsTable(const Json& sweep) {
  report::TextTable table;
  const bool with_work = std::ranges::any_of(
      sweep["experiments"], [](const Json& row) { return !PerUnitCell(row).empty(); });
  table.headers = {"rank", "job", "experiment", "outcome", "loss", "epoch", "energy", "emitted"};
  if (with_work) table.headers.emplace_back("per unit");
  table.headers.emplace_back();
  table.ends_in_text = true;
  table.texts = {2};
  for (const Json& row : sweep["experiments"]) {
    const bool told = row["loss"].is_number();
    table.rows.push_back(
        {CellOf(row, "rank", 0), CellOf(row, "job", 0), row.value("name", ""),
         row.value("outcome", ""), told ? FormatSignificant(row["loss"].get<double>(), 4) : "",
         told ? CellOf(row, "epochs", 0) : "", EnergyCell(row), EmissionsCell(row)});
    if (with_work) table.rows.back().push_back(PerUnitCell(row));
    table.rows.back().push_back(row.value("note", ""));
  }
  return table;
}

void AddParameters(const Json& sweep, const std::vector<std::string>& parameters,
                   report::TextTable& table) {
  const auto insert = [](std::vector<std::string>& cells, const std::vector<std::string>& more) {
    cells.insert(cells.begin() + kBeforeParameters, more.begin(), more.end());
  };
  insert(table.headers, parameters);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> values;
    for (const std::string& name : parameters)
      values.push_back(sweep["experiments"][i]["parameters"].value(name, ""));
    insert(table.rows[i], values);
  }
}

// Each parameter in which experiments differ has a column, as far as there is room.
void PrintExperiments(const Json& sweep) {
  const std::vector<std::string> parameters = sweep["varied_parameters"];
  report::TextTable table = ExperimentsTable(sweep);
  AddParameters(sweep, parameters, table);
  std::fputs(FittedText(std::move(table), kBeforeParameters, parameters.size()).c_str(), stdout);
}

}  // namespace

Result<int> PrintSweep(const ServiceFlags& flags, const std::string& name,
                       const std::string& rank_by) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags));
  EBB_ASSIGN_OR_RETURN(std::string path, PathOf(client, name));
  if (!rank_by.empty()) path += "?rank_by=" + signals::UrlEscape(rank_by);
  if (flags.json) {
    EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get(path));
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const Json sweep, Asked(client, path));
  std::printf("%s (sweep %s): %s, %s\n", sweep.value("name", "").c_str(),
              CellOf(sweep, "sweep", 0).c_str(),
              EnergyText(Energy::Joules(sweep.value("energy_kwh", 0.0) * 3.6e6)).c_str(),
              sweep["emissions_g"].is_number() ? EmissionsText({sweep["emissions_g"]}).c_str()
                                               : "emissions unknown");
  PrintExperiments(sweep);
  if (sweep["best"].is_string())
    std::printf("%s: %s\n", sweep.value("over", false) ? "winner" : "best of the complete ones",
                sweep["best"].get<std::string>().c_str());
  if (const std::string saved = SavedText(sweep); !saved.empty()) std::puts(saved.c_str());
  return 0;
}

Result<int> PrintSweeps(const ServiceFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags));
  if (flags.json) {
    EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/sweeps"));
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const Json json, Asked(client, "/api/v1/sweeps"));
  if (json["sweeps"].empty()) {
    std::puts("there are no sweeps; ebb submit SWEEP.yaml adds one");
    return 0;
  }
  report::TextTable table{{"sweep", "name", "submitted", "jobs"}, {}, true, {1}};
  for (const Json& sweep : json["sweeps"]) {
    std::vector<std::string> jobs;
    for (const auto& [stage, count] : sweep["jobs"].items())
      jobs.push_back(count.dump() + " " + stage);
    table.rows.push_back({CellOf(sweep, "sweep", 0), sweep.value("name", ""),
                          sweep.value("submitted", ""), Join(jobs, ", ")});
  }
  std::fputs(FittedText(std::move(table)).c_str(), stdout);
  return 0;
}

Result<int> CancelSweep(const ServiceFlags& flags, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags));
  EBB_ASSIGN_OR_RETURN(const std::string path, PathOf(client, name));
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Post(path + "/cancel", ""));
  if (flags.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  const Json json = Json::parse(answer, nullptr, false);
  std::fprintf(stderr, "%s jobs cancelled\n", CellOf(json, "cancelled", 0).c_str());
  return 0;
}

}  // namespace ebb::cli
