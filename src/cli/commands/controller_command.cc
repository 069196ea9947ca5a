// ebb controller: holds back and releases objects of a Kubernetes cluster.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/cluster/cluster_jobs.h"
#include "app/cluster/zone_feeds.h"
#include "app/jobs/service_place.h"
#include "app/options/flag_values.h"
#include "app/options/run_options.h"
#include "app/options/user_settings.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/admission_webhook.h"
#include "cli/command_line.h"
#include "cli/serving.h"
#include "config/cluster/kubeconfig.h"
#include "config/cluster/namespace_policy.h"
#include "config/cluster/node_groups.h"
#include "config/prices/price_file.h"
#include "config/tiers.h"
#include "kubernetes/cluster_executor.h"
#include "plan/make_policy.h"
#include "platform/program_output.h"
#include "platform/system.h"
#include "platform/system_clock.h"
#include "platform/temporary_directory.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb controller --zone DE                            in a pod, or with the kubeconfig of kubectl
  ebb controller --kubeconfig admin.conf --context lab --zone US-CAL-CISO
  ebb controller --zone GB --namespace training --dry-run
  ebb controller --zone DE --dispatcher ebb/clean-power     in the manager of Kueue's MultiKueue

It holds back objects that have the label ebb/wait=true, or lie in a namespace that has it: Job,
RayJob, RayCluster, JobSet, TrainJob and Kubeflow's training jobs; and pods that have the scheduling
gate ebb/wait. It releases each as a whole when the grid is clean and devices are free, and writes on
it why it waits: kubectl describe shows it.
docs/kubernetes.md has the annotations, and what the account must be allowed to do.)";

constexpr const char* kCommand = "ebb controller";
constexpr const char* kAgentToken = "EBB_AGENT_TOKEN";
constexpr std::chrono::minutes kBeginsWithin{2};
// Most starts in one decision. More would exceed what the API server is asked for at once.
constexpr int kMostStarts = 200;
// How far prices reach. Later hours have no price.
constexpr std::chrono::hours kPriceReach{24 * 400};

struct ControllerRequest {
  app::FlagValues flags;
  ServingFlags serving;
  std::string version;  // of Ebb
  std::string store, kubeconfig, context, name_space,
      policy = "planner", tiers, node_groups, prices, max_delay, threshold, kueue_every,
      policies = "ebb-policies", agents_every, agents_ca, dispatcher, dispatch_within;
  std::vector<std::string> agents;
  WebhookFlags webhook;
  bool dry_run = false, alone = false;
};

// Finds the API server by a flag, by the configuration of kubectl, or by the pod that this process
// runs in.
Result<kubernetes::ApiServer> FindServer(const ControllerRequest& request,
                                         const runtime::Clock& clock) {
  const auto variable = app::SourcesOfMachine().variable;
  const auto since_boot = [&clock] { return clock.SinceBoot(); };
  const config::KubeconfigPorts ports{since_boot, [&clock] { return clock.Now(); },
                                      [](const auto& command, const auto& environment) {
                                        return platform::OutputOf(command, environment);
                                      }};
  if (!request.kubeconfig.empty())
    return config::LoadKubeconfig(request.kubeconfig, request.context, ports);
  if (const char* file = variable("KUBECONFIG"); file && *file)
    return config::LoadKubeconfig(file, request.context, ports);
  if (auto pod = kubernetes::ServerOfPod(variable, since_boot); pod || request.context.empty()) {
    const char* home = variable("HOME");
    const std::filesystem::path usual =
        std::filesystem::path(home ? home : "") / ".kube" / "config";
    std::error_code ignored;
    if (pod || !home || !std::filesystem::exists(usual, ignored)) return pod;
    return config::LoadKubeconfig(usual.string(), request.context, ports);
  }
  return Fail({ExitCode::kUsage, "--context needs a kubeconfig", "",
               "name it with --kubeconfig, or set KUBECONFIG"});
}

Result<kubernetes::DispatchOptions> DispatchOf(const ControllerRequest& request) {
  kubernetes::DispatchOptions dispatch;
  dispatch.name = request.dispatcher;
  if (dispatch.name.starts_with("kueue.x-k8s.io/"))
    return Fail({ExitCode::kUsage, Quoted(dispatch.name) + " is a dispatcher of Kueue's own",
                 "--dispatcher", "write ebb/clean-power here and into Kueue's configuration"});
  if (request.dispatch_within.empty()) return dispatch;
  if (dispatch.name.empty())
    return Fail({ExitCode::kUsage, "nothing is dispatched", "--dispatch-within",
                 "add --dispatcher ebb/clean-power"});
  EBB_ASSIGN_OR_RETURN(dispatch.admits_within,
                       app::DurationOf("--dispatch-within", request.dispatch_within));
  dispatch.full_for = 2 * dispatch.admits_within;
  return dispatch;
}

Result<std::optional<Intensity>> ThresholdOf(const ControllerRequest& request) {
  if (request.threshold.empty()) return std::nullopt;
  const std::string policy(plan::PolicyNameOf(request.policy));
  if (std::ranges::count(plan::PoliciesByThreshold(), policy) == 0)
    return Fail({ExitCode::kUsage, "the policy " + policy + " has no use for it", "--threshold",
                 "add --policy threshold"});
  const auto number = ParseNumber(request.threshold);
  if (number && *number >= 0) return Intensity{*number};
  return Fail({ExitCode::kUsage, Quoted(request.threshold) + " is not an intensity in g/kWh",
               "--threshold", "write it like 200"});
}

// Runs the queue service over a cluster, from the command line to its end.
class Control {
 public:
  Control(ControllerRequest request, app::RunOptions options, ServingPlace place)
      : request_(std::move(request)), options_(std::move(options)), place_(std::move(place)) {
    serving_.command = kCommand;
    serving_.version = request_.version;
    serving_.zone_origin = options_.scheduler.signal.zone_origin;
    serving_.listens_before = true;
    service_.policy = plan::PolicyNameOf(request_.policy);
    service_.engine.admission = engine::Admission::kTakeAll;  // objects there cannot be refused
    service_.engine.most_starts = kMostStarts;
    service_.engine.changes_widths = true;
    service_.log = Sayer(kCommand);
  }

  Result<int> Run();

 private:
  Status Prepare();
  Status ChooseStore();
  void FollowZones();
  Result<kubernetes::ClusterOptions> OptionsOfCluster(const kubernetes::ApiServer& server);
  Result<std::unique_ptr<service::Service>> Open(web::StartupHandler& door);
  Result<std::unique_ptr<local::JobExecutor>> Begin(service::ExecutorPorts ports);

  ControllerRequest request_;
  app::RunOptions options_;
  ServingPlace place_;
  Serving serving_;
  std::optional<Intensity> threshold_;  // for objects without a threshold
  std::optional<Duration> kueue_every_;
  kubernetes::DispatchOptions dispatch_;
  std::vector<kubernetes::NodeGroup> node_groups_;
  std::shared_ptr<const core::PriceSeries> prices_;  // nothing if no prices are known
  std::optional<platform::TemporaryDirectory> directory_;
  service::ServiceOptions service_;
  platform::ProcessSignals signals_;
  platform::SystemClock wall_{signals_};
  std::optional<runtime::GridClock> clock_;
  std::unique_ptr<runtime::SignalFeed> feed_;
  std::unique_ptr<kubernetes::ClusterExecutor> cluster_;
  std::optional<app::ZoneFeeds> zone_feeds_;  // ends before the cluster that it wakes
  std::function<void(const engine::Decision&)> tell_;
  std::function<void(const service::JobCard&)> tell_figures_;
  web::StartupHandler* door_ = nullptr;  // set while it waits for its lease
};

// Chooses the store. Without a file of its own, the controller remembers only the facts that are on
// the objects.
Status Control::ChooseStore() {
  if (request_.store.empty()) {
    EBB_ASSIGN_OR_RETURN(auto made, platform::TemporaryDirectory::Make("ebb-controller"));
    directory_.emplace(std::move(made));
    serving_.store = (directory_->path() / "controller.db").string();
  } else {
    EBB_ASSIGN_OR_RETURN(serving_.store, app::StorePathOf(request_.store));
  }
  service_.store = serving_.store;
  service_.jobs_directory = std::filesystem::path(serving_.store).parent_path() / "jobs";
  return {};
}

Status Control::Prepare() {
  if (!request_.max_delay.empty()) {
    EBB_ASSIGN_OR_RETURN(service_.engine.default_max_delay,
                         app::DurationOf("--max-delay", request_.max_delay));
  }
  service_.policy_options.default_max_delay = service_.engine.default_max_delay;
  if (!request_.kueue_every.empty()) {
    EBB_ASSIGN_OR_RETURN(kueue_every_, app::DurationOf("--kueue-every", request_.kueue_every));
  }
  EBB_ASSIGN_OR_RETURN(serving_.tiers, config::LoadTiers(request_.tiers));
  EBB_ASSIGN_OR_RETURN(node_groups_, config::LoadNodeGroups(request_.node_groups));
  EBB_ASSIGN_OR_RETURN(threshold_, ThresholdOf(request_));
  EBB_ASSIGN_OR_RETURN(dispatch_, DispatchOf(request_));
  if (!request_.prices.empty()) {
    EBB_ASSIGN_OR_RETURN(const prices::PriceSource source, config::LoadPrices(request_.prices));
    prices_ = std::make_shared<const core::PriceSeries>(
        source.Over({wall_.Now() - kPriceReach, wall_.Now() + kPriceReach}));
  }
  service_.policy_options.tiers = serving_.tiers;
  EBB_RETURN_IF_ERROR(plan::MakePolicy(service_.policy, service_.policy_options));
  const signals::SignalOptions& signal = options_.scheduler.signal;
  const bool sends = !dispatch_.name.empty();
  EBB_ASSIGN_OR_RETURN(feed_, signals::MakeFeed(sends ? app::OfZone(signal, signal.zone) : signal));
  if (sends)
    FollowZones();  // their feeds read the keys when a cluster is first seen; no job inherits them
  else
    ForgetSecrets(signal, request_.serving.notify);
  serving_.signal = signals::Describe(feed_->identity());
  for (const std::string& note : feed_->TakeNotes()) Sayer(serving_.command)("note: " + note);
  service_.executor.cluster.sites = {{"cluster", feed_->identity().zone, options_.metering.pue}};
  clock_.emplace(wall_, core::GridClockSettings{});
  return ChooseStore();
}

// Worker clusters have zones of their own, which are known once the cluster has listed them.
void Control::FollowZones() {
  zone_feeds_.emplace(options_.scheduler.signal,
                      app::ZoneFeeds::Ports{[this] { return clock_->Now(); },
                                            [this] {
                                              if (cluster_) cluster_->Wake();
                                            },
                                            service_.log});
  service_.feed_of = [this](const core::Site& site) { return zone_feeds_->Of(site.zone); };
  dispatch_.expected = [this](const std::string& zone, Duration ahead) {
    return zone_feeds_->Expected(zone, ahead);
  };
}

Result<kubernetes::ClusterOptions> Control::OptionsOfCluster(const kubernetes::ApiServer& server) {
  kubernetes::ClusterOptions cluster;
  cluster.site = service_.executor.cluster.sites.front();
  cluster.name_space = request_.name_space;
  cluster.say = [this](const std::string& text) {
    if (door_) door_->SayWhy(text);
    service_.log(text);
  };
  cluster.objects.dry_run = request_.dry_run;
  if (kueue_every_) cluster.kueue.show_every = *kueue_every_;
  cluster.kueue.dispatch = dispatch_;
  cluster.objects.defaults.tiers = serving_.tiers;
  cluster.objects.defaults.threshold = threshold_;
  cluster.policies = {server.name_space, request_.policies,
                      [rules = cluster.objects.defaults](const auto& text, const auto& key) {
                        return config::ParseNamespacePolicy(text, key, rules);
                      }};
  cluster.objects.defaults.knows_prices = prices_ != nullptr;
  cluster.prices = {prices_, service_.engine.default_max_delay};
  cluster.node_groups = node_groups_;
  cluster.parse_autoscaler_status = config::ParseAutoscalerStatus;
  kubernetes::AgentOptions agents;
  agents.name_space = server.name_space;
  agents.urls = request_.agents;
  if (const char* token = std::getenv(kAgentToken)) agents.token = token;
  if (!request_.agents_ca.empty()) {
    agents.authority = kubernetes::TextFromFile(request_.agents_ca, platform::SinceBoot);
    EBB_RETURN_IF_ERROR(agents.authority());
  }
  if (!request_.agents_every.empty()) {
    EBB_ASSIGN_OR_RETURN(agents.every, app::DurationOf("--agents-every", request_.agents_every));
  }
  cluster.agents = std::move(agents);
  if (request_.dry_run || request_.alone) return cluster;
  kubernetes::LeaseOptions lease;
  lease.name_space = server.name_space;
  lease.identity =
      platform::HostName() + "_" + std::to_string(wall_.Now().time_since_epoch().count());
  cluster.lease = std::move(lease);
  return cluster;
}

// Objects of an earlier life of the controller get their numbers before the cluster is looked at.
Result<std::unique_ptr<local::JobExecutor>> Control::Begin(service::ExecutorPorts ports) {
  cluster_->KeepPools(ports.before);
  const Status begun = cluster_->Begin(kBeginsWithin);
  door_ = nullptr;
  EBB_RETURN_IF_ERROR(begun);
  app::ClusterJobsOptions options;
  options.default_max_delay = service_.engine.default_max_delay;
  options.say = service_.log;
  options.pue = options_.metering.pue;
  options.with_budgets = !request_.dry_run;
  auto jobs = std::make_unique<app::ClusterJobs>(*cluster_, std::move(ports), std::move(options));
  tell_ = [told = jobs.get()](const engine::Decision& decision) { told->Tell(decision); };
  tell_figures_ = [told = jobs.get()](const service::JobCard& card) { told->TellFigures(card); };
  return jobs;
}

Result<std::unique_ptr<service::Service>> Control::Open(web::StartupHandler& door) {
  door_ = &door;
  if (!cluster_) {
    EBB_ASSIGN_OR_RETURN(kubernetes::ApiServer server, FindServer(request_, wall_));
    service_.log(server.url + ", " + serving_.signal +
                 (request_.dry_run ? ", dry run: nothing is held or released" : ""));
    EBB_ASSIGN_OR_RETURN(auto options, OptionsOfCluster(server));
    EBB_ASSIGN_OR_RETURN(cluster_, kubernetes::ClusterExecutor::Open(
                                       std::move(server), std::move(options), wall_, signals_));
  }
  service_.make_executor = [this](service::ExecutorPorts ports) { return Begin(std::move(ports)); };
  service_.on_decision = [this](const engine::Decision& decision) { tell_(decision); };
  service_.on_figures = [this](const service::JobCard& card) { tell_figures_(card); };
  return service::Service::Open(service_, *feed_, *clock_, signals_);
}

// A request to stop may come before it has begun.
Result<int> Control::Run() {
  EBB_RETURN_IF_ERROR(Prepare());
  kubernetes::AdmissionOptions admission{{}, request_.dry_run};
  admission.defaults.tiers = serving_.tiers;
  admission.defaults.knows_prices = prices_ != nullptr;
  // The webhook answers whether or not this controller is the active one.
  EBB_ASSIGN_OR_RETURN(const auto webhook,
                       ServeAdmission(request_.webhook, std::move(admission), service_.log));
  serving_.open = [this](web::StartupHandler& door) { return Open(door); };
  const auto stopped = RunService(serving_, std::move(place_), signals_);
  const bool asked = cluster_ && cluster_->stop_signal();
  if (!asked && !stopped) return Fail(stopped.error());
  if (!asked)
    return Fail({ExitCode::kTryLater, "the lease could not be renewed, and another may act by now",
                 "", "start it again; what is released goes on"});
  cluster_->ReleaseLease();
  service_.log(
      "stopped; what is released goes on, and what waits stays held back until it runs again");
  return 0;
}

Result<int> RunController(ControllerRequest request) {
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(request.flags, app::WithSettings(request.flags, app::SettingsFor::kQueue));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.flags, options));
  EBB_RETURN_IF_ERROR(app::Validate(options));
  EBB_ASSIGN_OR_RETURN(ServingPlace place, CheckServing(request.serving));
  return Control(std::move(request), std::move(options), std::move(place)).Run();
}

}  // namespace

void AddControllerCommand(Parser& parser, const std::string& version) {
  Command& command =
      parser.Add("controller", "hold back and release jobs of a Kubernetes cluster", kExamples);
  auto request = std::make_shared<ControllerRequest>();
  request->version = version;
  const auto into = [request](std::string& field) {
    return [request, &field](const std::string& text) { field = text; };
  };
  command.Flag({"kubeconfig", "FILE",
                "where the cluster is (default: $KUBECONFIG, the pod that this runs in, "
                "~/.kube/config)",
                "Cluster"},
               into(request->kubeconfig));
  command.Flag(
      {"context", "NAME", "context of the kubeconfig (default: its current one)", "Cluster"},
      into(request->context));
  command.Flag({"namespace", "NAME", "only objects of this namespace (default: all)", "Cluster"},
               into(request->name_space));
  command.Switch({"dry-run", "", "write on objects what would be done, and do nothing", "Cluster"},
                 [request] { request->dry_run = true; });
  command.Switch({"alone", "", "act without a lease: there is no other controller", "Cluster"},
                 [request] { request->alone = true; });
  command.Flag(
      {"kueue-every", "DURATION",
       "what waits is shown to Kueue so often, for quota to borrow (default 10m)", "Cluster"},
      into(request->kueue_every));
  command.Flag({"dispatcher", "NAME",
                "nominate worker clusters for Kueue's MultiKueue; Kueue's configuration has the "
                "same name, e.g. ebb/clean-power",
                "Cluster"},
               into(request->dispatcher));
  command.Flag({"dispatch-within", "DURATION",
                "a worker cluster that has not admitted a workload by then counts as full (default "
                "5m)",
                "Cluster"},
               into(request->dispatch_within));
  command.Flag({"policies", "NAME",
                "ConfigMap with policies of namespaces, in the namespace of the lease (default "
                "ebb-policies; \"\": none)",
                "Cluster"},
               into(request->policies));
  command.Flag(
      {"node-groups", "FILE",
       "groups of nodes that an autoscaler adds (docs/kubernetes.md; default: none)", "Cluster"},
      into(request->node_groups));
  command.List(
      {"agent", "URL",
       "an agent beside those of the controller's namespace, e.g. http://10.0.0.7:8735", "Cluster"},
      &request->agents);
  command.Flag({"agents-every", "DURATION",
                "what agents of nodes have measured is fetched so often (default 1m)", "Cluster"},
               into(request->agents_every));
  command.Flag(
      {"agents-ca", "FILE",
       "ask agents by HTTPS, and trust certificates for ebb-agent by these authorities", "Cluster"},
      into(request->agents_ca));
  command.Flag(
      {"webhook-port", "PORT",
       "answer the API server here (HTTPS), so that jobs are created suspended", "Webhook"},
      into(request->webhook.port));
  command.Flag({"webhook-cert", "FILE",
                "certificate in PEM, with its chain; read again when it is replaced", "Webhook"},
               into(request->webhook.certificate));
  command.Flag({"webhook-key", "FILE", "its key in PEM, without a passphrase", "Webhook"},
               into(request->webhook.key));
  command.Flag({"policy", "NAME", "planner (default), run-now, edf, tiers, lowest-window, ...",
                "When to start"},
               into(request->policy));
  command.Flag({"tiers", "FILE", "jobs' tiers (docs/config.md; default: the published three)",
                "When to start"},
               into(request->tiers));
  command.Flag({"threshold", "G_PER_KWH",
                "threshold of objects without one of their own (policies threshold and tiers)",
                "When to start"},
               into(request->threshold));
  command.Flag({"prices", "FILE",
                "what electricity costs (docs/prices.md), for objects with a price-threshold",
                "When to start"},
               into(request->prices));
  command.Flag(
      {"max-delay", "DURATION",
       "longest wait of objects without a deadline of their own (default 24h)", "When to start"},
      into(request->max_delay));
  command.Flag({"store", "FILE",
                "where to keep decisions and ended jobs (default: nowhere; what is needed to go on "
                "is on the objects)",
                "Service"},
               into(request->store));
  AddServingFlags(command, std::shared_ptr<ServingFlags>(request, &request->serving));
  AddFlags(command, app::FlagGroup::kSignal, request->flags);
  command.Action([request] { return RunController(*request); });
}

}  // namespace ebb::cli
