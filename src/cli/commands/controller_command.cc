// ebb controller: holds back and releases objects of a Kubernetes cluster.

#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/jobs/service_place.h"
#include "app/options/flag_values.h"
#include "app/options/run_options.h"
#include "app/options/user_settings.h"
#include "base/text.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "config/kubeconfig.h"
#include "config/tiers.h"
#include "core/decision.h"
#include "engine/engine.h"
#include "kubernetes/cluster_executor.h"
#include "plan/make_policy.h"
#include "platform/program_output.h"
#include "platform/system.h"
#include "platform/system_clock.h"
#include "runtime/run_loop.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb controller --zone DE                            in a pod, or with the kubeconfig of kubectl
  ebb controller --kubeconfig admin.conf --context lab --zone US-CAL-CISO
  ebb controller --zone GB --namespace training --dry-run

It holds back objects that have the label ebb/wait=true, or lie in a namespace that has it: Job,
RayJob, RayCluster, JobSet, TrainJob and Kubeflow's training jobs. It releases each as a whole when
the grid is clean and devices are free, and writes on it why it waits: kubectl describe shows it.
docs/kubernetes.md has the annotations, and what the account must be allowed to do.)";

constexpr std::chrono::minutes kBeginsWithin{2};

struct ControllerRequest {
  app::FlagValues flags;
  std::string kubeconfig, context, name_space, policy = "planner", tiers, max_delay;
  bool dry_run = false, alone = false;
};

void Say(const std::string& text) { std::fprintf(stderr, "ebb controller: %s\n", text.c_str()); }

// A flag, what kubectl reads, or the pod that this runs in.
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

// Tells objects and the log what the engine decided.
class Teller final : public runtime::LoopObserver {
 public:
  explicit Teller(kubernetes::ClusterExecutor& executor) : executor_(executor) {}

  void OnRefused(const engine::Event& event, const Error& why) override {
    if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact))
      executor_.board().Refused(submitted->job.id, why);
  }
  void OnDecision(const engine::Decision& decision, const engine::Engine&) override {
    for (const engine::Explanation& explanation : decision.explanations) Tell(explanation);
    for (const engine::Explanation& explanation : decision.restated) Tell(explanation);
    for (const engine::Explanation& explanation : decision.explanations)
      if (engine::HasEnded(explanation.stage)) executor_.Forget(explanation.job);
  }
  void OnCommandFailed(const engine::Command& command, const Error& error) override {
    const core::JobId job = std::visit([](const auto& c) { return c.job; }, command);
    const kubernetes::GatedObject* object = executor_.board().Find(job);
    Say((object ? object->job.name + ": " : "") + error.Message());
  }

 private:
  void Tell(const engine::Explanation& explanation) {
    const kubernetes::GatedObject* object = executor_.board().Find(explanation.job);
    if (!object) return;
    const std::string stage(engine::Name(explanation.stage));
    const std::string sentence = engine::Sentence(explanation);
    if (std::exchange(stages_[object->uid], stage) != stage)
      Say(object->job.name + ": " + sentence);
    if (engine::HasEnded(explanation.stage)) stages_.erase(object->uid);
    const auto start = explanation.reason.start;
    executor_.board().Note(explanation.job, {stage, sentence, start ? FormatTime(*start) : ""});
  }

  kubernetes::ClusterExecutor& executor_;
  std::map<std::string, std::string> stages_;  // by uid, as last said
};

// Until somebody asks it to stop, which may be before it has begun.
Status Act(kubernetes::ClusterExecutor& executor, engine::Engine& engine,
           runtime::SignalFeed& feed) {
  const Status begun = executor.Begin(kBeginsWithin);
  if (executor.stop_signal()) return {};
  EBB_RETURN_IF_ERROR(begun);
  Teller teller(executor);
  feed.OnNews([&executor] { executor.Wake(); });
  const auto is_over = [&] { return executor.stop_signal() || executor.has_lost_lease(); };
  const runtime::LoopPorts ports{executor, {&feed}, executor, nullptr, &teller, is_over};
  const auto result = runtime::Run(engine, ports, {});
  feed.OnNews({});
  if (!result) return Fail(result.error());
  if (executor.stop_signal()) return {};
  return Fail({ExitCode::kTryLater, "the lease could not be renewed, and another may act by now",
               "", "start it again; what is released goes on"});
}

Result<int> Control(ControllerRequest request) {
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(request.flags, app::WithSettings(request.flags, app::SettingsFor::kQueue));
  EBB_RETURN_IF_ERROR(app::ApplyFlags(request.flags, options));
  EBB_RETURN_IF_ERROR(app::Validate(options));
  engine::Options engine_options;
  engine_options.admission = engine::Admission::kTakeAll;  // what is in the cluster is there
  if (!request.max_delay.empty()) {
    EBB_ASSIGN_OR_RETURN(engine_options.default_max_delay,
                         app::DurationOf("--max-delay", request.max_delay));
  }
  plan::PolicyOptions policy_options;
  policy_options.default_max_delay = engine_options.default_max_delay;
  EBB_ASSIGN_OR_RETURN(policy_options.tiers, config::LoadTiers(request.tiers));
  EBB_ASSIGN_OR_RETURN(
      auto policy,
      plan::MakePolicy(std::string(plan::PolicyNameOf(request.policy)), policy_options));

  platform::ProcessSignals signals;
  platform::SystemClock clock(signals);
  EBB_ASSIGN_OR_RETURN(kubernetes::ApiServer server, FindServer(request, clock));
  EBB_ASSIGN_OR_RETURN(const auto feed, signals::MakeFeed(options.scheduler.signal));
  kubernetes::ClusterOptions cluster;
  cluster.site = {"cluster", feed->identity().zone, options.metering.pue};
  cluster.name_space = request.name_space;
  cluster.say = Say;
  cluster.objects.dry_run = request.dry_run;
  cluster.objects.defaults.tiers = policy_options.tiers;
  if (!request.dry_run && !request.alone) {
    kubernetes::LeaseOptions lease;
    lease.name_space = server.name_space;
    lease.identity =
        platform::HostName() + "_" + std::to_string(clock.Now().time_since_epoch().count());
    cluster.lease = std::move(lease);
  }
  Say(server.url + ", " + signals::Describe(feed->identity()) +
      (request.dry_run ? ", dry run: nothing is held or released" : ""));
  if (const std::string& origin = options.scheduler.signal.zone_origin; !origin.empty())
    Say("zone of " + origin);
  EBB_ASSIGN_OR_RETURN(const auto executor, kubernetes::ClusterExecutor::Open(
                                                std::move(server), cluster, clock, signals));
  engine::Engine engine(engine_options, std::move(policy));
  EBB_RETURN_IF_ERROR(Act(*executor, engine, *feed));
  executor->ReleaseLease();
  Say("stopped; what is released goes on, and what waits stays held back until it runs again");
  return 0;
}

}  // namespace

void AddControllerCommand(Parser& parser) {
  Command& command =
      parser.Add("controller", "hold back and release jobs of a Kubernetes cluster", kExamples);
  auto request = std::make_shared<ControllerRequest>();
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
  command.Flag({"policy", "NAME", "planner (default), run-now, edf, tiers, lowest-window, ...",
                "When to start"},
               into(request->policy));
  command.Flag({"tiers", "FILE", "jobs' tiers (docs/config.md; default: the published three)",
                "When to start"},
               into(request->tiers));
  command.Flag(
      {"max-delay", "DURATION",
       "longest wait of objects without a deadline of their own (default 24h)", "When to start"},
      into(request->max_delay));
  AddFlags(command, app::FlagGroup::kSignal, request->flags);
  command.Action([request] { return Control(*request); });
}

}  // namespace ebb::cli
