// ebb recurring: the recurring jobs of the queue service.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/service_client.h"
#include "report/text_table.h"
#include "signals/web_request.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb submit --name nightly --cron "0 2 * * *" --flexibility 6h -- python retrain.py
  ebb recurring                     what comes again, and when
  ebb recurring --remove nightly    no more of it; what waits or runs goes on

Giving a job with a name that is known replaces its schedule and its command.)";

struct RecurringFlags {
  ServiceFlags service;
  std::string remove;
};

Result<int> Recurring(const RecurringFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const ServiceClient client, ServiceClient::Find(flags.service));
  if (!flags.remove.empty()) {
    EBB_ASSIGN_OR_RETURN(
        const std::string answer,
        client.Post("/api/v1/recurring/remove?name=" + signals::UrlEscape(flags.remove), ""));
    if (flags.service.json) std::fputs(answer.c_str(), stdout);
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/recurring"));
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  const Json list = Json::parse(answer, nullptr, false).value("recurring", Json::array());
  if (list.empty()) {
    std::printf("no job comes again; ebb submit --cron gives one\n");
    return 0;
  }
  report::TextTable table{{"name", "schedule", "next", "flexibility", "overlap"}, {}, true};
  for (const Json& job : list)
    table.rows.push_back({job.value("name", ""), job.value("cron", ""), job.value("next", ""),
                          FormatDuration(DurationFromSeconds(job.value("flexibility_s", 0.0))),
                          job.value("overlap", "")});
  std::fputs(report::AlignedTable(table).c_str(), stdout);
  return 0;
}

}  // namespace

void AddRecurringCommand(Parser& parser) {
  Command& command = parser.Add("recurring", "the recurring jobs of the queue service", kExamples);
  auto flags = std::make_shared<RecurringFlags>();
  command.Flag({"remove", "NAME", "no more instances of this one"},
               [flags](const std::string& text) { flags->remove = text; });
  AddServiceFlags(command, flags->service);
  command.Action([flags] { return Recurring(*flags); });
}

}  // namespace ebb::cli
