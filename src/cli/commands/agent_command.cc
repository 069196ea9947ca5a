// ebb agent: measures a node of a Kubernetes cluster, and assigns its energy to pods.

#include <cstdlib>
#include <memory>
#include <set>

#include "app/agent/agent_answers.h"
#include "app/agent/node_agent.h"
#include "app/agent/record_spool.h"
#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/serving.h"
#include "platform/process_signals.h"
#include "platform/system.h"
#include "platform/system_clock.h"
#include "web/http/http_server.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  EBB_AGENT_TOKEN=... ebb agent --address 0.0.0.0 --state /var/lib/ebb-agent     in a DaemonSet
  ebb agent                                                                      on this machine alone
  ebb agent --dcgm-exporter http://10.0.0.7:9400/metrics                         GPUs by dcgm-exporter
  ebb agent --kepler http://10.0.0.7:28282/metrics                               processors by Kepler
  curl localhost:8735/metrics

It reads the node's meters (RAPL, NVML, models) and the control groups of its pods, and keeps who
used what until a controller fetches it: ebb controller adds it to the jobs. It asks nothing of
Kubernetes and needs no rights there.
docs/kubernetes.md, Measuring, has the DaemonSet and says what it needs of a node.)";

constexpr const char* kTokenVariable = "EBB_AGENT_TOKEN";
constexpr int kHighestPort = 65'535;
constexpr Duration kShortest{100}, kLongest{std::chrono::minutes{5}};
constexpr long long kMostKept = 4096;  // MiB
constexpr int kThreads = 8;
constexpr std::chrono::minutes kPatience{1};  // with exporters, at the start
// Other flags of metering would mean another scope, or are about a job.
const std::set<std::string> kMeteringFlags{
    "cpu-tdp", "ram-power", "rapl", "cpu-idle-power", "cpu-model", "gpu-ids", "device-profiles"};

struct AgentRequest {
  app::FlagValues flags;
  std::string node, state, address = "127.0.0.1", port = "8735", interval = "2s", record = "30s",
                           kept_mib = "16", sys = "/sys", proc = "/proc", pod_logs, certificate,
                           key, dcgm, kepler;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<Duration> ShortDuration(const char* flag, const std::string& text) {
  EBB_ASSIGN_OR_RETURN(const Duration value, app::DurationOf(flag, text));
  if (value < kShortest || value > kLongest)
    return Fail({ExitCode::kUsage, std::string(flag) + ": \"" + text + "\" is not accepted", "",
                 "give a duration from 100ms to 5m"});
  return value;
}

Result<app::NodeAgentOptions> OptionsOf(AgentRequest& request) {
  app::NodeAgentOptions agent;
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(request.flags, app::WithSettings(request.flags, app::SettingsFor::kSignal));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.flags, options));
  options.metering.scope = core::MeterScope::kMachine;
  agent.meters = app::MeterOptionsFor(options.metering);
  if (!request.kepler.empty() && agent.meters.use_psys)
    return Fail({ExitCode::kUsage, "--kepler and --rapl psys would count the processors twice", "",
                 "leave one of them out"});
  agent.meters.proc_root = request.proc;
  agent.meters.rapl_root = request.sys + "/class/powercap";
  agent.cgroup_root = request.sys + "/fs/cgroup";
  EBB_ASSIGN_OR_RETURN(agent.interval, ShortDuration("--interval", request.interval));
  EBB_ASSIGN_OR_RETURN(agent.record, ShortDuration("--record", request.record));
  agent.record = std::max(agent.record, agent.interval);
  agent.say = Sayer("ebb agent");
  return agent;
}

Result<app::SpoolOptions> SpoolOf(const AgentRequest& request) {
  app::SpoolOptions spool;
  spool.node = request.node;
  spool.directory = request.state;
  spool.say = Sayer("ebb agent");
  const auto mib = ParseInteger(request.kept_mib);
  if (!mib || *mib < 1 || *mib > kMostKept)
    return Fail({ExitCode::kUsage, "--keep-mib: \"" + request.kept_mib + "\" is not accepted", "",
                 "give megabytes, 1 to 4096"});
  spool.most_bytes = static_cast<std::size_t>(*mib) << 20;
  return spool;
}

// The figures of a node reveal what runs on it, so requests from other machines need the token.
Result<web::HttpServerOptions> ServerOf(const AgentRequest& request, const std::string& token) {
  web::HttpServerOptions server;
  const auto port = ParseInteger(request.port);
  if (!port || *port < 0 || *port > kHighestPort)
    return Fail({ExitCode::kUsage, "--port needs a port, 0 to 65535", request.port, ""});
  const bool is_local =
      request.address == "127.0.0.1" || request.address == "::1" || request.address == "localhost";
  if (!is_local && token.empty())
    return Fail({ExitCode::kUsage, "others could read what this node does", request.address,
                 std::string("set ") + kTokenVariable + " to the token that they have to show"});
  server.address = request.address;
  server.port = static_cast<int>(*port);
  if (request.certificate.empty() != request.key.empty())
    return Fail({ExitCode::kUsage, "--tls-cert and --tls-key go together", "", ""});
  if (!request.key.empty())
    server.tls = web::TlsFiles{request.certificate, request.key, Sayer("ebb agent")};
  server.longest_body = 1 << 10;
  server.threads = kThreads;
  return server;
}

// An exporter may begin after the agent. If the agent did not wait for it, its figures would be
// left out for good.
template <typename Exporter>
Result<std::shared_ptr<Exporter>> Await(const char* flag, const std::string& url, const char* else_,
                                        platform::ProcessSignals& signals) {
  if (url.empty()) return nullptr;
  const auto exporter = std::make_shared<Exporter>(typename Exporter::Ports{meter::MetricsAt(url)});
  const auto patience = Exporter::Clock::now() + kPatience;
  for (bool has_said = false;; has_said = true) {
    Status looked = exporter->Look();
    if (looked) return exporter;
    if (!has_said)
      Sayer("ebb agent")(std::string(flag) + ": waiting for " + url +
                         ", at most a minute: " + looked.error().what);
    if (signals.WaitForStop(std::chrono::seconds{1}))
      return Fail({ExitCode::kTryLater, "stopped before it began", "", ""});
    if (Exporter::Clock::now() > patience)
      return Fail({ExitCode::kUnavailable, std::string(flag) + ": " + looked.error().what,
                   looked.error().where.empty() ? url : looked.error().where,
                   looked.error().next.empty()
                       ? std::string("see whether it runs on this node; without the flag ") + else_
                       : looked.error().next});
  }
}

Result<int> RunAgent(AgentRequest request) {
  if (request.node.empty()) request.node = Variable("NODE_NAME");
  if (request.node.empty()) request.node = platform::HostName();
  const std::string token = Variable(kTokenVariable);
  platform::ForgetVariable(kTokenVariable);
  EBB_ASSIGN_OR_RETURN(app::NodeAgentOptions options, OptionsOf(request));
  EBB_ASSIGN_OR_RETURN(app::SpoolOptions of_spool, SpoolOf(request));
  EBB_ASSIGN_OR_RETURN(const web::HttpServerOptions of_server, ServerOf(request, token));
  platform::ProcessSignals signals;
  EBB_ASSIGN_OR_RETURN(
      options.meters.dcgm,
      Await<meter::DcgmExporter>("--dcgm-exporter", request.dcgm, "NVML is asked", signals));
  EBB_ASSIGN_OR_RETURN(options.kepler,
                       Await<meter::KeplerExporter>("--kepler", request.kepler,
                                                    "RAPL is read, or the CPU modelled", signals));
  options.meters.use_cpu = !options.kepler;
  EBB_ASSIGN_OR_RETURN(const auto spool, app::RecordSpool::Open(std::move(of_spool)));
  const auto say = options.say;
  app::AgentAnswersOptions answers{request.node, token, request.pod_logs};
  answers.alive_within = std::max<Duration>(answers.alive_within, 4 * options.record);
  answers.now = platform::WallNow;
  app::NodeAgent agent(std::move(options), *spool);
  EBB_ASSIGN_OR_RETURN(
      const auto server,
      web::HttpServer::Start(of_server, app::AgentAnswers(answers, agent, *spool)));
  say("node " + request.node + ", listens at " + request.address + ":" +
      std::to_string(server.port()));
  while (!signals.WaitForStop(std::chrono::hours{1})) {
  }
  agent.Stop();
  say("stopped; " + std::to_string(spool->counts().kept) + " records are kept" +
      (request.state.empty() ? " no longer: there is no --state" : " in " + request.state));
  return 0;
}

}  // namespace

void AddAgentCommand(Parser& parser) {
  Command& command =
      parser.Add("agent", "measure a node of a Kubernetes cluster, by pod", kExamples);
  auto request = std::make_shared<AgentRequest>();
  const auto into = [request](std::string& field) {
    return [request, &field](const std::string& text) { field = text; };
  };
  command.Flag(
      {"node", "NAME", "the node's name in the cluster (default: $NODE_NAME, the host's)", "Node"},
      into(request->node));
  command.Flag({"sys", "DIR", "where the node's /sys is seen (default /sys)", "Node"},
               into(request->sys));
  command.Flag({"proc", "DIR", "where the node's /proc is seen (default /proc)", "Node"},
               into(request->proc));
  command.Flag(
      {"pod-logs", "DIR",
       "the kubelet's folder of logs (/var/log/pods), for names of pods in metrics", "Node"},
      into(request->pod_logs));
  command.Flag({"interval", "DURATION", "time between samples (default 2s)", "Measuring"},
               into(request->interval));
  command.Flag({"record", "DURATION", "time that a record is made of (default 30s)", "Measuring"},
               into(request->record));
  command.Flag({"dcgm-exporter", "URL",
                "NVIDIA's GPUs, and the pods that hold them, as the node's dcgm-exporter tells of "
                "them, in place of NVML",
                "Measuring"},
               into(request->dcgm));
  command.Flag({"kepler", "URL",
                "the processors, and what pods had of them, as the node's Kepler tells of them, in "
                "place of RAPL",
                "Measuring"},
               into(request->kepler));
  AddFlags(command, app::FlagGroup::kMetering, request->flags, kMeteringFlags);
  command.Flag(
      {"state", "DIR", "where to keep records over restarts (default: nowhere)", "Records"},
      into(request->state));
  command.Flag(
      {"keep-mib", "MIB", "most megabytes of records that are kept (default 16)", "Records"},
      into(request->kept_mib));
  command.Flag({"address", "ADDRESS",
                "listen here (default 127.0.0.1); others than this machine need $EBB_AGENT_TOKEN",
                "Service"},
               into(request->address));
  command.Flag(
      {"port", "PORT", "listen at this port (default 8735; 0: any that is free)", "Service"},
      into(request->port));
  command.Flag({"tls-cert", "FILE",
                "answer by HTTPS: certificate in PEM for the name ebb-agent, with its chain; read "
                "again when it is replaced",
                "Service"},
               into(request->certificate));
  command.Flag({"tls-key", "FILE", "its key in PEM, without a passphrase", "Service"},
               into(request->key));
  command.Action([request] { return RunAgent(*request); });
}

}  // namespace ebb::cli
