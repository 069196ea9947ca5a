// ebb config show: every setting with its value and where it comes from.
#include <cstdio>

#include "app/setup/shown_settings.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "cli/service_flags.h"
#include "report/json_parts.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb config show                 every setting, its value, and where that comes from
  ebb config show --zone FR       the same with flags
  ebb config path                 the file that ebb init writes

Each value comes from the first of these that says something: a flag, a run's own file, the
environment, ~/.config/ebb/config.yaml, /etc/ebb/config.yaml, a default or a guess. Secrets are
never printed. If a settings file has mistakes, the exit code is 3. docs/config.md has all keys.)";

struct ConfigRequest {
  std::string action = "show";
  app::FlagValues flags;
  ServiceFlags service;
};

// "/home/ada/x" -> "~/x": a path with a home directory in front fits no table.
std::string FromHome(const std::string& text) {
  const char* home = std::getenv("HOME");
  const std::string front = home && *home ? std::string(home) + "/" : "";
  if (front.empty() || !text.starts_with(front)) return text;
  return "~/" + text.substr(front.size());
}

std::string OriginOf(const app::ShownSetting& shown) {
  const std::string name(Name(shown.from));
  if (shown.from == app::SettingFrom::kGuess) return name + ": " + shown.where;
  return shown.where.empty() ? name : FromHome(shown.where);
}

std::string FilesText(const app::UserSettings& settings) {
  std::string text;
  for (const app::SettingsFile& file : settings.files) {
    text += file.path + ": ";
    text += file.problem    ? "has mistakes, so none of it is used"
            : file.is_there ? "read"
                            : "not there";
    text += "\n";
  }
  return text.empty() ? "EBB_CONFIG is none: no settings file is read\n" : text;
}

std::string Text(const app::UserSettings& settings, const std::vector<app::ShownSetting>& all) {
  report::TextTable table;
  table.headers = {"setting", "value", "from"};
  table.ends_in_text = true;
  table.texts = {1};
  for (const app::ShownSetting& shown : all)
    table.rows.push_back({shown.key, FromHome(shown.value), OriginOf(shown)});
  return FittedText(std::move(table)) + "\n" + FilesText(settings);
}

std::string Json(const app::UserSettings& settings, const std::vector<app::ShownSetting>& all) {
  nlohmann::ordered_json json{{"schema", "ebb.config/1"},
                              {"files", nlohmann::ordered_json::array()},
                              {"settings", nlohmann::ordered_json::array()}};
  for (const app::SettingsFile& file : settings.files) {
    json["files"].push_back({{"path", file.path}, {"is_there", file.is_there}});
    json["files"].back()["problem"] =
        file.problem ? nlohmann::ordered_json(file.problem->Message()) : nlohmann::ordered_json();
  }
  for (const app::ShownSetting& shown : all) {
    nlohmann::ordered_json row{{"key", shown.key}, {"value", nullptr}, {"from", Name(shown.from)}};
    if (shown.from != app::SettingFrom::kNothing) row["value"] = shown.value;
    if (!shown.where.empty()) row["where"] = shown.where;
    json["settings"].push_back(std::move(row));
  }
  return report::Document(json);
}

Result<int> Config(const ConfigRequest& request) {
  const store::Variables variable = app::SourcesOfMachine().variable;
  if (request.action == "path") {
    EBB_ASSIGN_OR_RETURN(const std::string path, app::UserSettingsPath(variable));
    std::printf("%s\n", path.c_str());
    return 0;
  }
  if (request.action != "show") {
    const std::vector<std::string> actions{"show", "path"};
    return Fail(
        {ExitCode::kUsage,
         "unknown action " + Quoted(request.action) + SuggestionText(request.action, actions), "",
         "use ebb config show or ebb config path"});
  }
  const app::UserSettings& settings = app::SettingsOfUser();
  const auto all = app::ShowSettings(settings, variable, request.flags, request.service);
  std::fputs((request.service.json ? Json(settings, all) : Text(settings, all)).c_str(), stdout);
  EBB_RETURN_IF_ERROR(settings.Check());
  return 0;
}

}  // namespace

void AddConfigCommand(Parser& parser) {
  Command& command =
      parser.Add("config", "every setting and where its value comes from", kExamples);
  auto request = std::make_shared<ConfigRequest>();
  command.OptionalPositional("ACTION", "show (default) or path", &request->action);
  AddPlaceOfService(command, request->service);
  command.Flag({"format", "text|json", "output format", "Output"},
               [request](const std::string& text) { request->service.json = text == "json"; });
  AddFlags(command, app::FlagGroup::kSignal, request->flags);
  AddFlags(command, app::FlagGroup::kMetering, request->flags);
  command.Action([request] { return Config(*request); });
}

}  // namespace ebb::cli
