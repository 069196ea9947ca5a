// ebb drain: running jobs end, and the queue service starts none until the drain is over.

#include <cstdio>

#include "cli/command_line.h"
#include "cli/drain_text.h"
#include "cli/job_values.h"
#include "cli/service_flags.h"
#include "signals/http/web_request.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb drain --until 18:00 --why "new disks"   what runs ends; jobs start again at six
  ebb drain                                   until you end it
  ebb drain --end                             jobs start again
  ebb drain --status                          what still runs, and whose deadline is lost

It lasts over a restart of the service and of the machine. docs/operating.md)";

struct DrainFlags {
  ServiceFlags service;
  std::optional<std::string> until;  // as it was given
  std::string why;
  bool end = false, status = false;
};

Result<std::string> PathOf(const DrainFlags& flags) {
  if (flags.end) return "/api/v1/drain/end";
  std::string path = "/api/v1/drain?why=" + signals::UrlEscape(flags.why);
  if (!flags.until) return path;
  EBB_ASSIGN_OR_RETURN(const std::string until, WhenForService("--until", *flags.until));
  return path + "&until=" + signals::UrlEscape(until);
}

Result<int> DrainQueue(const DrainFlags& flags) {
  const bool begins = flags.until || !flags.why.empty();
  if ((flags.end && flags.status) || ((flags.end || flags.status) && begins))
    return Fail({ExitCode::kUsage,
                 "--until and --why begin a drain, --end ends it, --status only looks", "",
                 "give one of the three"});
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  std::string answer;
  if (flags.status) {
    EBB_ASSIGN_OR_RETURN(answer, client.Get("/api/v1/drain"));
  } else {
    EBB_ASSIGN_OR_RETURN(const std::string path, PathOf(flags));
    EBB_ASSIGN_OR_RETURN(answer, client.Post(path, ""));
  }
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  const std::string lines = DrainLines(answer, LocalTimes::Now());
  std::fputs(lines.empty() ? "the service does not drain: jobs start as planned\n" : lines.c_str(),
             stdout);
  return 0;
}

}  // namespace

void AddDrainCommand(Parser& parser) {
  Command& command =
      parser.Add("drain", "let what runs end and start nothing new, for maintenance", kExamples);
  auto flags = std::make_shared<DrainFlags>();
  command.Flag({"until", "WHEN", "it ends by itself: 18:00, 2h from now, \"tomorrow 6am\""},
               [flags](const std::string& text) { flags->until = text; });
  command.Flag({"why", "TEXT", "the reason that others see"},
               [flags](const std::string& text) { flags->why = text; });
  command.Switch({"end", "", "start jobs again"}, [flags] { flags->end = true; });
  command.Switch({"status", "", "only show whether the service drains, and what that means"},
                 [flags] { flags->status = true; });
  AddServiceFlags(command, flags->service);
  command.Action([flags] { return DrainQueue(*flags); });
}

}  // namespace ebb::cli
