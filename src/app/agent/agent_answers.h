#pragma once
// What an agent answers: its records for the controller (GET /records), itself for Prometheus
// (/metrics) and for probes (/healthz).

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
/// Of the pods that the kubelet keeps logs of (/var/log/pods/NAMESPACE_NAME_UID), by uid; empty
/// where that cannot be read.
std::map<std::string, PodName> PodNames(const std::filesystem::path& logs);

struct AgentAnswersOptions {
  std::string node;
  /// Who does not show it gets 401; empty: anybody may ask.
  std::string token;
  std::filesystem::path pod_logs;
  Duration alive_within{std::chrono::minutes{3}};  ///< a record that is older: not healthy
  std::function<Time()> now{};
};

web::HttpHandler AgentAnswers(AgentAnswersOptions options, const NodeAgent& agent,
                              const RecordSpool& spool);

/// The agent as Prometheus sees it (docs/metrics.md).
std::string AgentMetrics(const std::string& node, const NodeFigures& figures,
                         const RecordSpool::Counts& counts,
                         const std::map<std::string, PodName>& names);

}  // namespace ebb::app
