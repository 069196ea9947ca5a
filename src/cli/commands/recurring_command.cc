// ebb recurring: the recurring jobs of the queue service.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "cli/local_times.h"
#include "cli/service_flags.h"
#include "signals/http/web_request.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb submit --name nightly --cron "0 2 * * *" --flexibility 6h python retrain.py
  ebb recurring                     what comes again, and when
  ebb recurring --pause nightly     not due until --resume; what waits or runs goes on
  ebb recurring --remove nightly    no more of it; the same

Giving a job with a name that is known replaces its schedule and its command. What was due while it
was paused is left out.)";

struct RecurringFlags {
  ServiceFlags service;
  std::vector<std::pair<std::string, std::string>> changes;  ///< "pause", ... and of which
};

std::string NextText(const Json& job) {
  if (job.value("paused", false)) return "paused";
  const auto next = job.contains("next") && job["next"].is_string()
                        ? ParseTime(job["next"].get<std::string>())
                        : Fail(Error{});
  return next ? LocalTimes::Now().MomentAndDistance(*next) : "never";
}

Result<int> Recurring(const RecurringFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  for (const auto& [change, name] : flags.changes) {
    EBB_ASSIGN_OR_RETURN(
        const std::string answer,
        client.Post("/api/v1/recurring/" + change + "?name=" + signals::UrlEscape(name), ""));
    if (flags.service.json) std::fputs(answer.c_str(), stdout);
  }
  if (!flags.changes.empty()) return 0;
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/recurring"));
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  const Json list = Json::parse(answer, nullptr, false).value("recurring", Json::array());
  if (list.empty()) {
    std::printf("there are no recurring jobs; ebb submit --cron adds one\n");
    return 0;
  }
  report::TextTable table{{"name", "schedule", "next", "flexibility", "overlap"}, {}, true, {1}};
  for (const Json& job : list)
    table.rows.push_back({job.value("name", ""), job.value("cron", ""), NextText(job),
                          FormatDuration(DurationFromSeconds(job.value("flexibility_s", 0.0))),
                          job.value("overlap", "")});
  std::fputs(FittedText(std::move(table)).c_str(), stdout);
  return 0;
}

}  // namespace

void AddRecurringCommand(Parser& parser) {
  Command& command = parser.Add("recurring", "the recurring jobs of the queue service", kExamples);
  auto flags = std::make_shared<RecurringFlags>();
  const auto add = [&](const char* change, const char* help) {
    command.Flag({change, "NAME", help}, [flags, change](const std::string& name) {
      flags->changes.emplace_back(change, name);
    });
  };
  add("pause", "make it not due until it is resumed");
  add("resume", "make it due again");
  add("remove", "end this recurring job: no more instances");
  AddServiceFlags(command, flags->service);
  command.Action([flags] { return Recurring(*flags); });
}

}  // namespace ebb::cli
