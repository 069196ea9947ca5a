#pragma once
// The answers of an agent: its records for the controller (GET /records), its metrics for
// Prometheus (/metrics), and its health for probes (/healthz).

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "app/agent/node_agent.h"
#include "app/agent/record_spool.h"
#include "web/http/http_server.h"

namespace ebb::app {

struct PodName {
  std::string name_space, name;
};
/// The names, by uid, of the pods that the kubelet keeps logs of
/// (/var/log/pods/NAMESPACE_NAME_UID); empty if the directory cannot be read.
std::map<std::string, PodName> PodNames(const std::filesystem::path& logs);

struct AgentAnswersOptions {
  std::string node;
  /// A request without this token gets 401; empty if anybody may ask.
  std::string token;
  std::filesystem::path pod_logs;
  Duration alive_within{std::chrono::minutes{3}};  ///< unhealthy if the newest record is older
  std::function<Time()> now{};
};

web::HttpHandler AgentAnswers(AgentAnswersOptions options, const NodeAgent& agent,
                              const RecordSpool& spool);

/// The metrics of the agent for Prometheus (docs/metrics.md).
std::string AgentMetrics(const std::string& node, const NodeFigures& figures,
                         const RecordSpool::Counts& counts,
                         const std::map<std::string, PodName>& names);

}  // namespace ebb::app
