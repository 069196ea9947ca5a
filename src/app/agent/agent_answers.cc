#include "app/agent/agent_answers.h"

#include "base/exposition.h"
#include "base/text.h"
#include "web/api/access.h"

namespace ebb::app {
namespace {

using enum Exposition::Type;

constexpr std::size_t kMostBytes = 1 << 20;  // most bytes of records in one answer

web::HttpResponse Say(int status, const std::string& text) {
  return {.status = status, .content_type = "text/plain", .body = text + "\n"};
}

web::HttpResponse Records(const web::HttpRequest& request, const RecordSpool& spool) {
  const auto query = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  const auto number = [&](const char* name) {
    return query(name).empty() ? std::optional(0LL) : ParseInteger(query(name));
  };
  const auto after = number("after"), since_ms = number("since_ms");
  if (!after || !since_ms || *after < 0 || *since_ms < 0)
    return Say(400, "after is the number of a record, since_ms a time");
  return {.content_type = "application/x-ndjson",
          .body = spool.After(query("epoch"), *after, Time{Duration{*since_ms}}, kMostBytes)};
}

void WriteEnergy(const std::string& node, const NodeFigures& figures, Exposition& out) {
  out.Metric("ebb_node_energy_joules_total", kCounter,
             "Energy of the node: of pods, idle, and of nobody known; without PUE.");
  for (const auto& [component, sums] : figures.by_component) {
    const auto value = [&](const char* whose, Energy energy) {
      out.Value(ExpositionLabels(
                    {{"node", node}, {"component", core::Name(component)}, {"whose", whose}}),
                energy.joules());
    };
    value("pods", sums.pods);
    value("idle", sums.idle);
    value("unattributed", sums.unattributed);
  }
}

}  // namespace

std::map<std::string, PodName> PodNames(const std::filesystem::path& logs) {
  std::map<std::string, PodName> names;
  if (logs.empty()) return names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(logs, error), end; !error && at != end;
       at.increment(error)) {
    const std::string folder = at->path().filename().string();
    const auto parts = Split(folder, '_');
    if (parts.size() == 3)
      names[std::string(parts[2])] = {std::string(parts[0]), std::string(parts[1])};
  }
  return names;
}

std::string AgentMetrics(const std::string& node, const NodeFigures& figures,
                         const RecordSpool::Counts& counts,
                         const std::map<std::string, PodName>& names) {
  Exposition out;
  WriteEnergy(node, figures, out);
  out.Metric("ebb_pod_energy_joules_total", kCounter,
             "Energy of a pod that is there, or was 10 minutes ago; without PUE.");
  for (const auto& [pod, components] : figures.by_pod) {
    const auto found = names.find(pod);
    const auto slash = pod.find('/');  // dcgm-exporter may report a pod's name without its
                                       // namespace
    const bool has_uid = slash == std::string::npos;
    const PodName name = !has_uid ? PodName{pod.substr(0, slash), pod.substr(slash + 1)}
                         : found == names.end() ? PodName{}
                                                : found->second;
    for (const auto& [component, energy] : components)
      out.Value(ExpositionLabels({{"node", node},
                                  {"namespace", name.name_space},
                                  {"pod", name.name},
                                  {"uid", has_uid ? pod : ""},
                                  {"component", core::Name(component)}}),
                energy.joules());
  }
  const auto single = [&](const char* metric, Exposition::Type type, const char* help,
                          double value) {
    out.Metric(metric, type, help);
    out.Value(ExpositionLabels({{"node", node}}), value);
  };
  single("ebb_agent_lost_cpu_seconds_total", kCounter,
         "CPU time of pods that began and were gone between two samples: unattributed.",
         figures.lost_cpu_s);
  single("ebb_agent_records_total", kCounter, "Records written since the start.",
         static_cast<double>(counts.written));
  single("ebb_agent_records_kept", kGauge, "Records that can be fetched.",
         static_cast<double>(counts.kept));
  single("ebb_agent_records_dropped_total", kCounter,
         "Records that went because there were too many, fetched or not.",
         static_cast<double>(counts.dropped));
  single("ebb_agent_last_record_timestamp_seconds", kGauge, "End of the newest record.",
         1e-3 * static_cast<double>(counts.newest.time_since_epoch().count()));
  return out.Take();
}

web::HttpHandler AgentAnswers(AgentAnswersOptions options, const NodeAgent& agent,
                              const RecordSpool& spool) {
  return [options = std::move(options), &agent, &spool](const web::HttpRequest& request) {
    const web::AccessOptions access{options.token, !options.token.empty(), {}};
    if (request.method != "GET") return Say(405, "GET only");
    if (request.path == "/healthz") {
      const bool alive = options.now() - spool.counts().newest < options.alive_within;
      return alive ? Say(200, "ok") : Say(503, "no record for too long");
    }
    if (!options.token.empty())
      if (auto refusal = web::RefusalOfToken(request, access)) return *std::move(refusal);
    if (request.path == "/records") return Records(request, spool);
    if (request.path == "/metrics")
      return web::HttpResponse{.content_type = kExpositionContentType,
                               .body = AgentMetrics(options.node, agent.figures(), spool.counts(),
                                                    PodNames(options.pod_logs))};
    return Say(404, "there is /records, /metrics and /healthz");
  };
}

}  // namespace ebb::app
