// ebb doctor: checks this machine and reports what is wrong, what could be better, and how to fix
// it.
#include <algorithm>
#include <cstdio>

#include "app/setup/doctor.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/say.h"
#include "cli/service_flags.h"
#include "report/json_parts.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb doctor
  ebb doctor --zone GB --format json

It looks at the settings, the grid signal, RAPL, GPUs, control groups, the service, its store, the
disk, the clock and ebb-train. It writes nothing, and needs no network. Exit code 0: nothing is
wrong, though there may be advice; 1: there is a problem. Each line that is not fine says what to do.)";

constexpr int kProblemCode = 1;

using app::Finding;
using app::Health;

bool HasProblem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.health == Health::kProblem; });
}

std::string Text(const std::vector<Finding>& findings) {
  constexpr std::size_t kTopicColumns = 16;
  constexpr const char* kIndent = "                ";
  std::string text;
  for (const Finding& finding : findings) {
    const std::string health(finding.health == Health::kFine ? "" : Name(finding.health));
    std::string topic = finding.topic;
    topic.resize(std::max(topic.size(), kTopicColumns), ' ');
    // Each mistake of a file has its own line.
    const char* begin = "";
    for (const std::string_view line : Split(finding.text, '\n')) {
      text += *begin ? begin + Printable(line)
                     : topic + (health.empty() ? "" : health + ": ") + Printable(line);
      text += "\n";
      begin = kIndent;
    }
    if (!finding.remedy.empty()) text += std::string(kIndent) + "-> " + finding.remedy + "\n";
  }
  return text;
}

std::string Json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json json{{"schema", "ebb.doctor/1"},
                              {"fine", !HasProblem(findings)},
                              {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings) {
    json["findings"].push_back(
        {{"topic", finding.topic}, {"health", Name(finding.health)}, {"text", finding.text}});
    if (!finding.remedy.empty()) json["findings"].back()["remedy"] = finding.remedy;
  }
  return report::Document(json);
}

}  // namespace

void AddDoctorCommand(Parser& parser, const std::string& version) {
  Command& command = parser.Add(
      "doctor", "check this machine: what is wrong, what could be better, what to do", kExamples);
  auto request = std::make_shared<app::DoctorRequest>();
  request->version = version;
  auto service = std::make_shared<ServiceFlags>();
  AddServiceFlags(command, *service);
  AddFlags(command, app::FlagGroup::kSignal, request->flags);
  AddFlags(command, app::FlagGroup::kMetering, request->flags);
  command.Action([request, service]() -> Result<int> {
    request->place = *service;
    const std::vector<Finding> findings = app::Examine(*request);
    std::fputs((service->json ? Json(findings) : ForStdout(Text(findings))).c_str(), stdout);
    return HasProblem(findings) ? kProblemCode : 0;
  });
}

}  // namespace ebb::cli
