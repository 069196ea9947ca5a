#include "kubernetes/cluster_executor.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// A change of the clock is noticed within this time.
constexpr std::chrono::seconds kLongestWait{10};

constexpr int kOk = 200, kServerError = 500;
// Since 1.36, Kubernetes changes the requests of a suspended Job's Pods unless that is turned off;
// then it refuses the release with another width.
constexpr int kChangesRequestsFrom = 36;

// "36+" and the like come from distributions.
int MinorOf(const JsonNode& version) {
  const std::string minor = version.TextOf("minor");
  const auto end = minor.find_first_not_of("0123456789");
  return static_cast<int>(ParseInteger(minor.substr(0, end)).value_or(0));
}

std::string WhyRequestsStay(const ApiAnswer& answer) {
  const auto version =
      answer.status == kOk ? ParseJson(answer.body, "version") : Result<JsonNode>(JsonNode{});
  const std::string wanted = "the requests of a suspended Job's Pods; Kubernetes 1.36 does";
  if (!version || version->TextOf("minor").empty())
    return "the API server does not tell its version, and may not change " + wanted;
  if (version->TextOf("major") == "1" && MinorOf(*version) < kChangesRequestsFrom)
    return "this API server (" + version->TextOf("gitVersion") + ") does not change " + wanted;
  return "";
}

}  // namespace

Result<std::unique_ptr<ClusterExecutor>> ClusterExecutor::Open(ApiServer server,
                                                               ClusterOptions options,
                                                               const runtime::Clock& clock,
                                                               platform::ProcessSignals& signals) {
  EBB_ASSIGN_OR_RETURN(platform::HttpStreams streams, platform::HttpStreams::Open());
  std::unique_ptr<ClusterExecutor> executor(
      new ClusterExecutor(std::move(streams), std::move(options), clock, signals));
  const auto since_boot = [&clock] { return clock.SinceBoot(); };
  ClusterOptions& own = executor->options_;
  own.objects.since_boot = since_boot;
  executor->client_ =
      std::make_unique<ApiClient>(executor->streams_, std::move(server), since_boot, own.client);
  executor->slices_ = std::make_unique<DeviceSlices>();
  executor->claims_ = std::make_unique<DeviceClaims>(*executor->slices_);
  own.objects.defaults.needs_of = [claims = executor->claims_.get()](const std::string& name_space,
                                                                     const PodClaim& claim) {
    return claims->NeedsOf(name_space, claim);
  };
  own.objects.defaults.why_requests_stay = [self = executor.get()] {
    return self->why_requests_stay_.value_or("");
  };
  executor->capacity_ = std::make_unique<Capacity>(
      own.site, [reconciler = &executor->reconciler_](const PodOwner& owner) {
        return (*reconciler)->Holds(owner);
      });
  executor->capacity_->SetPublished(*executor->claims_);
  executor->MakeNodeGroups();
  const auto now = [watch = &executor->watch_] { return watch->Now(); };
  executor->recorder_ =
      std::make_unique<EventRecorder>(*executor->client_, now, since_boot, own.say, own.events);
  executor->MakePolicyWatch();
  PodGangOptions gang_options{own.objects.defaults, own.objects.dry_run, own.name_space};
  gang_options.late_release = own.objects.late_release;
  executor->gangs_ = std::make_unique<PodGangs>(
      *executor->client_,
      [reconciler = &executor->reconciler_](const PodOwner& owner) {
        return (*reconciler)->Holds(owner);
      },
      since_boot, own.say, std::move(gang_options));
  executor->reconciler_ = std::make_unique<ObjectReconciler>(
      *executor->client_, *executor->capacity_, *executor->recorder_, *executor->gangs_, now,
      own.say, own.objects);
  executor->pods_ = std::make_unique<PodDirectory>(
      [reconciler = executor->reconciler_.get()](const PodOwner& owner) {
        return reconciler->ObjectOf(owner);
      },
      since_boot);
  if (own.agents)
    executor->agents_ =
        std::make_unique<AgentReader>(executor->streams_, since_boot, own.say, *own.agents);
  executor->node_fit_ = std::make_unique<NodeFit>(
      [capacity = executor->capacity_.get()](const PodRequests& requests, int pool) {
        return capacity->RoomOnNodes(requests, pool);
      },
      [self = executor.get()](core::JobId job) {
        const GatedObject* object = self->reconciler_->Find(job);
        // An object that has ended has no pods, and needs no room.
        return !object || object->phase == ObjectPhase::kSucceeded ||
               object->phase == ObjectPhase::kFailed ||
               self->capacity_->HasPods(object->name_space, object->pods);
      });
  executor->AwaitNodes();
  if (!own.objects.dry_run) executor->MakeAdmissionCheckController();
  if (own.lease)
    executor->lease_ =
        std::make_unique<LeaderLease>(*executor->client_, now, since_boot, own.say, *own.lease);
  return executor;
}

ClusterExecutor::ClusterExecutor(platform::HttpStreams streams, ClusterOptions options,
                                 const runtime::Clock& clock, platform::ProcessSignals& signals)
    : streams_(std::move(streams)),
      options_(std::move(options)),
      clock_(clock),
      watch_(clock),
      signals_(signals) {}

// The reflectors stop their watches first.
ClusterExecutor::~ClusterExecutor() {
  reflectors_.clear();
  kueue_watch_.reset();
  device_watch_.reset();
  autoscalers_.reset();
  agents_.reset();
}

void ClusterExecutor::MakeAdmissionCheckController() {
  kueue_ = std::make_unique<AdmissionCheckController>(
      AdmissionCheckController::Ports{
          *client_, *capacity_, *reconciler_, [this] { return watch_.Now(); },
          [this] { return clock_.SinceBoot(); }, [this] { return MayAct(); }, options_.say},
      options_.objects.defaults, options_.kueue);
  reconciler_->SetGate(*kueue_);
}

void ClusterExecutor::MakeNodeGroups() {
  groups_ = std::make_unique<NodeGroups>(
      options_.node_groups, [this] { return clock_.SinceBoot(); }, options_.say);
  capacity_->SetGroups(*groups_);
}

void ClusterExecutor::AwaitNodes() {
  autoscalers_ = std::make_unique<AutoscalerWatch>(
      GroupWatch::Ports{*client_, [this] { return clock_.SinceBoot(); }, options_.say}, *groups_,
      options_.parse_autoscaler_status, options_.reflector);
  node_wait_ = std::make_unique<NodeWait>(NodeWait::Ports{
      *groups_, [this](core::JobId job) { return reconciler_->Find(job); },
      [this](core::JobId job) {
        reconciler_->HintChanged(job);
        ++node_wait_changes_;
      },
      [this](core::JobId job, const std::string& why) { reconciler_->TakeBack(job, why); },
      [this] { return clock_.SinceBoot(); }});
  reconciler_->SetHint([this](core::JobId job) { return node_wait_->Sentence(job); });
  timelines_ = std::make_unique<NodeTimelines>(NodeTimelines::Ports{
      *groups_, [this](const PodOwner& owner) { return reconciler_->ObjectOf(owner); },
      [this] { return Now(); }});
}

// Finds objects that an earlier controller has released and that have no pod on a node.
void ClusterExecutor::AwaitNodesAgain() {
  if (groups_->groups().empty() || options_.objects.dry_run) return;
  for (const engine::JobReport& report : reconciler_->Observe()) {
    const GatedObject* object = reconciler_->Find(report.job);
    if (report.phase != engine::JobPhase::kRunning || !object || object->by_kueue ||
        capacity_->HasPods(object->name_space, object->pods))
      continue;
    node_wait_->Begin(report.job,
                      node_fit_->Look(object->requests, report.pool, clock_.SinceBoot()).groups);
  }
}

void ClusterExecutor::MakePolicyWatch() {
  if (options_.policies.name.empty()) return;
  policies_ = std::make_unique<PolicyWatch>(
      PolicyWatch::Ports{*client_, *recorder_, [this] { return clock_.SinceBoot(); }, options_.say,
                         [this] {
                           gangs_->PoliciesChanged();
                           reconciler_->PoliciesChanged();
                         }},
      options_.policies, options_.reflector);
  options_.objects.defaults.policy_of = [watch = policies_.get()](const std::string& name_space) {
    return watch->registry().Of(name_space);
  };
}

std::string ClusterExecutor::InNamespace(const std::string& path) const {
  if (options_.name_space.empty()) return path;
  const auto slash = path.rfind('/');
  return path.substr(0, slash) + "/namespaces/" + options_.name_space + path.substr(slash);
}

void ClusterExecutor::Add(const std::string& path, ReflectorEvents events) {
  events.say = options_.say;
  reflectors_.push_back(std::make_unique<Reflector>(
      *client_, path, [this] { return clock_.SinceBoot(); }, std::move(events),
      options_.reflector));
}

void ClusterExecutor::AddReflectors() {
  ObjectReconciler& reconciler = *reconciler_;
  Capacity& capacity = *capacity_;
  for (const GatedKind& kind : GatedKinds())
    Add(InNamespace(kind.ListPath()),
        {[&reconciler, &kind](const JsonNode& object) { reconciler.TakeObject(kind, object); },
         [&reconciler](const std::string& uid) { reconciler.DropObject(uid); }});
  Add("/api/v1/nodes", {[&capacity, this](const JsonNode& node) {
                          capacity.TakeNode(node);
                          timelines_->TakeNode(node);
                        },
                        [&capacity, this](const std::string& uid) {
                          capacity.DropNode(uid);
                          timelines_->DropNode(uid);
                        }});
  AddPods();
  if (options_.name_space.empty())
    Add("/api/v1/namespaces",
        {[&reconciler](const JsonNode& name_space) { reconciler.TakeNamespace(name_space); },
         [&reconciler](const std::string& uid) { reconciler.DropNamespace(uid); }});
  const GroupWatch::Ports ports{*client_, [this] { return clock_.SinceBoot(); }, options_.say};
  device_watch_ =
      std::make_unique<GroupWatch>(ports, DeviceGroup(*slices_, *claims_), options_.reflector);
  if (!kueue_) return;
  kueue_watch_ = std::make_unique<GroupWatch>(
      ports, KueueGroup(*kueue_, [this](const std::string& path) { return InNamespace(path); }),
      options_.reflector);
}

void ClusterExecutor::AddPods() {
  Add("/api/v1/pods", {[this](const JsonNode& pod) {
                         gangs_->TakePod(pod);
                         const std::string gang = gangs_->GangOf(TextAt(pod, "/metadata/uid"));
                         capacity_->TakePod(pod, gang);
                         claims_->TakePod(pod, gang);
                         TakeBoundPod(pod, gang);
                         timelines_->TakePod(pod, gang);
                         if (!agents_) return;
                         pods_->TakePod(pod, gang);
                         agents_->TakePod(pod);
                       },
                       [this](const std::string& uid) {
                         gangs_->DropPod(uid);
                         capacity_->DropPod(uid);
                         claims_->DropPod(uid);
                         timelines_->DropPod(uid);
                         if (!agents_) return;
                         pods_->DropPod(uid);
                         agents_->DropPod(uid);
                       }});
}

void ClusterExecutor::TakeBoundPod(const JsonNode& pod, const std::string& gang) {
  if (node_wait_->empty() || TextAt(pod, "/spec/nodeName").empty()) return;
  PodOwner owner{TextAt(pod, "/metadata/namespace"), TextsAt(pod, "/metadata/labels")};
  if (!gang.empty()) owner.labels[kGangLabel] = gang;
  PodRequests requests;
  AddPod(*pod.Find("spec"), 1, requests);
  if (const auto object = reconciler_->ObjectOf(owner))
    node_wait_->SawPod(object->uid, requests.gpus > 0);
}

void ClusterExecutor::AskVersion() {
  if (why_requests_stay_ || clock_.SinceBoot() < version_due_) return;
  version_due_ = clock_.SinceBoot() + std::max(options_.client.timeout, Duration{1});
  client_->Get("/version", [this](const Result<ApiAnswer>& answer) {
    if (answer && answer->status < kServerError)
      why_requests_stay_ = WhyRequestsStay(*answer);
    else
      version_due_ = clock_.SinceBoot() + options_.client.first_wait;
  });
}

bool ClusterExecutor::IsSynced() const {
  return std::ranges::all_of(reflectors_, [](const auto& each) { return each->synced(); }) &&
         device_watch_->ready() && (!kueue_watch_ || kueue_watch_->ready()) &&
         (!policies_ || policies_->ready()) && autoscalers_->ready();
}

Status ClusterExecutor::Begin(Duration patience) {
  while (lease_ && !lease_->holds()) {
    if (HeardStop()) return Fail({ExitCode::kTryLater, "stopped before it began", "", ""});
    Tick();
    streams_.Poll(UntilDue(Time::max()), signals_.descriptor());
  }
  AddReflectors();
  // Each listed resource gives hope for the others, so the patience starts anew.
  Duration until = clock_.SinceBoot() + patience;
  std::ptrdiff_t listed = 0;
  while (!IsSynced() || !why_requests_stay_) {
    AskVersion();
    const auto now = std::ranges::count_if(reflectors_, [](auto& each) { return each->synced(); });
    if (std::exchange(listed, now) != now) until = clock_.SinceBoot() + patience;
    if (HeardStop()) return Fail({ExitCode::kTryLater, "stopped before it began", "", ""});
    if (clock_.SinceBoot() >= until)
      return Fail({ExitCode::kUnavailable, "the cluster cannot be listed", client_->server().url,
                   "check the address, and that the account may list and watch jobs, pods, nodes "
                   "and namespaces"});
    Tick();
    streams_.Poll(UntilDue(Time::max()), signals_.descriptor());
  }
  if (kueue_) {
    kueue_->Tick();
    kueue_->CountPools();
  }
  FollowDevices();
  // Objects were listed before the version was known.
  reconciler_->ReadAgainWhere([](const GatedObject& object) {
    return object.width.by_template || !object.width.told_in.empty();
  });
  reconciler_->Begin();
  FollowGangs();
  AwaitNodesAgain();
  offered_ = cluster();
  return {};
}

void ClusterExecutor::KeepPools(const core::Cluster& before) { capacity_->KeepPools(before); }

std::optional<engine::ClockSet> ClusterExecutor::TakeClockSet() {
  const auto step = watch_.TakeStep();
  if (!step) return std::nullopt;
  options_.say("the clock was set from " + FormatTime(step->from) + " to " + FormatTime(step->to));
  return engine::ClockSet{step->from, step->to};
}

core::Cluster ClusterExecutor::cluster() const { return capacity_->cluster(); }

bool ClusterExecutor::IsAway() const {
  const Duration before = clock_.SinceBoot() - options_.away_after;
  return std::ranges::any_of(reflectors_, [&](const auto& each) {
    return each->away_since() && *each->away_since() <= before;
  });
}

// After an outage of the API server, reports of that time still arrive. Placement of pods is judged
// only after that.
bool ClusterExecutor::KnowsPods() const {
  constexpr std::chrono::minutes kHeardWithin{1};
  return MayAct() && (!away_at_ || clock_.SinceBoot() - *away_at_ > kHeardWithin);
}

// While the server is away, free devices are unknown, and a release would come at an unplanned
// time.
Status ClusterExecutor::Start(const engine::StartJob& command) {
  if (IsAway())
    return Fail({ExitCode::kTryLater, "the API server does not answer", client_->server().url, ""});
  const GatedObject* object = reconciler_->Find(command.job);
  // Kueue places its pods on nodes itself.
  const bool on_nodes = object && !object->by_kueue;
  if (object && object->most_price)
    if (std::string why =
            options_.prices.WhyNot(*object, capacity_->StartUpOf(object->requests).longest, Now());
        !why.empty())
      return Fail({ExitCode::kTryLater, std::move(why), object->job.name, ""});
  const Duration now = clock_.SinceBoot();
  NodeFit::Answer fit;
  PodRequests requests;
  if (on_nodes) {
    // An earlier release of this job is over: somebody else may have held it back again.
    if (object->phase == ObjectPhase::kSuspended) node_fit_->Forget(command.job);
    const int devices = reconciler_->DevicesFor(command);
    requests = RequestsAt(object->requests, object->width, devices);
    fit = node_fit_->Look(requests, command.pool, now);
  }
  if (!fit.why_not.empty())
    return Fail({ExitCode::kTryLater, std::move(fit.why_not), object->job.name, ""});
  const std::int64_t before = reconciler_->counts().released;
  EBB_RETURN_IF_ERROR(reconciler_->Execute(command));
  // A repeated start has its place already.
  if (on_nodes && reconciler_->counts().released != before) {
    Duration bound_within{NodeFit::kBoundWithin};
    for (const int group : fit.groups)
      bound_within = std::max(bound_within, groups_->at(group).gives_up_after);
    node_fit_->Released(command.job, requests, command.pool, now, bound_within);
    if (!options_.objects.dry_run) node_wait_->Begin(command.job, std::move(fit.groups));
  }
  // Thousands may follow: the first changes do not wait for them.
  client_->Tick();
  streams_.Poll(Duration::zero());
  HeardStop();
  return {};
}

Status ClusterExecutor::Execute(const engine::Command& command) {
  if (!MayAct()) return Fail({ExitCode::kTryLater, "another controller may act by now", "", ""});
  if (const auto* start = std::get_if<engine::StartJob>(&command)) return Start(*start);
  node_fit_->Forget(std::visit([](const auto& any) { return any.job; }, command));
  return reconciler_->Execute(command);
}

// Changes that wait for their turn are left to the next controller.
void ClusterExecutor::ReleaseLease() {
  constexpr std::chrono::seconds kAtMost{2};
  if (!lease_) return;
  lease_->Release();
  agents_.reset();
  reflectors_.clear();
  if (policies_) policies_->Stop();
  autoscalers_->Stop();
  kueue_watch_.reset();
  device_watch_.reset();
  const Duration until = clock_.SinceBoot() + kAtMost;
  do {
    streams_.Poll(Duration{10});
  } while (streams_.under_way() > 0 && clock_.SinceBoot() < until);
}

void ClusterExecutor::Tick() {
  if (IsAway()) away_at_ = clock_.SinceBoot();
  if (lease_) lease_->Tick();
  for (const auto& reflector : reflectors_) reflector->Tick();
  if (policies_ && !reflectors_.empty()) policies_->Tick();
  if (!reflectors_.empty()) autoscalers_->Tick();
  groups_->Tick();
  if (KnowsPods()) node_wait_->Tick();
  if (reconciler_->begun()) FollowGangs();
  pods_->Tick();
  if (agents_ && reconciler_->begun() && MayAct()) agents_->Tick();
  FollowDevices();
  if (kueue_watch_) kueue_watch_->Tick();
  if (kueue_) kueue_->Tick();
  reconciler_->Tick();
  recorder_->Tick();
  client_->Tick();
}

Duration ClusterExecutor::UntilDue(Time deadline) const {
  const Duration now = clock_.SinceBoot();
  Duration wait = std::min<Duration>(
      kLongestWait, deadline == Time::max() ? Duration{kLongestWait} : deadline - Now());
  const auto consider = [&](const std::optional<Duration>& due) {
    if (due) wait = std::min(wait, *due - now);
  };
  for (const auto& reflector : reflectors_) consider(reflector->NextDue());
  if (!reflectors_.empty() && !why_requests_stay_) consider(version_due_);
  if (policies_ && !reflectors_.empty()) consider(policies_->NextDue());
  if (!reflectors_.empty()) consider(autoscalers_->NextDue());
  consider(groups_->NextDue());
  if (KnowsPods()) consider(node_wait_->NextDue());
  if (device_watch_) consider(device_watch_->NextDue());
  if (kueue_watch_) consider(kueue_watch_->NextDue());
  if (kueue_) consider(kueue_->NextDue());
  consider(reconciler_->NextDue());
  consider(recorder_->NextDue());
  if (reconciler_->begun()) consider(gangs_->NextDue());
  if (agents_ && reconciler_->begun() && MayAct()) consider(agents_->NextDue());
  consider(client_->NextDue());
  if (lease_) consider(lease_->NextDue());
  if (const auto over = timelines_->NextOver()) wait = std::min(wait, *over - Now());
  return std::max(wait, Duration::zero());
}

// Releases that still wait would come at an hour that nobody checks any more.
bool ClusterExecutor::HeardStop() {
  const bool known = stop_signal_.has_value();
  if (const auto stop = signals_.TakeAll()) stop_signal_ = stop;
  if (stop_signal_ && !known) reconciler_->TakeBackReleases();
  return stop_signal_.has_value();
}

// Gangs are read after all objects to which pods may belong.
void ClusterExecutor::FollowGangs() {
  PodGangs::News news = gangs_->TakeNews();
  for (const std::string& uid : news.gone) reconciler_->DropObject(uid);
  for (GatedObject& gang : news.changed) reconciler_->TakeObject(std::move(gang));
  gangs_->Tick();
}

void ClusterExecutor::FollowDevices() {
  if (!device_watch_) return;
  device_watch_->Tick();
  claims_->SetServed(device_watch_->served());
  claims_->SetComplete(device_watch_->complete());
  const ClaimChanges changes = claims_->TakeChanges();
  if (changes.empty()) return;
  gangs_->ClaimsChanged(changes);
  reconciler_->ReadAgainWhere([&](const GatedObject& object) {
    return changes.Concern(object.name_space, object.requests);
  });
}

// A job that was refused because no device fitted may fit now.
void ClusterExecutor::FollowCapacity() {
  if (kueue_) kueue_->CountPools();
  core::Cluster now = cluster();
  if (now == offered_) return;
  bool has_more = now.pools.size() > offered_.pools.size();
  const auto all = [](const core::DevicePool& pool) { return pool.count + pool.away; };
  for (std::size_t i = 0; i < std::min(now.pools.size(), offered_.pools.size()); ++i)
    has_more = has_more || now.pools[i].count > offered_.pools[i].count ||
               all(now.pools[i]) > all(offered_.pools[i]);
  offered_ = std::move(now);
  if (has_more) reconciler_->OfferAgain();
}

Result<std::vector<engine::JobReport>> ClusterExecutor::WaitForEvents(Time deadline) {
  if (kueue_) kueue_->Decided();
  for (;;) {
    Tick();
    FollowCapacity();
    // Checked first, because reports may come without end.
    if (HeardStop() || has_lost_lease()) break;
    if (reconciler_->has_reports() || reconciler_->has_events()) break;
    if (kueue_ && kueue_->wants_decision()) break;
    if (agents_ && agents_->has_records()) break;
    if (std::exchange(heard_node_wait_changes_, node_wait_changes_) != node_wait_changes_) break;
    if (const auto over = timelines_->NextOver(); over && *over <= Now()) break;
    if (watch_.Look()) break;
    if (Now() >= deadline || woken_.exchange(false)) break;
    const core::Cluster before = cluster();
    streams_.Poll(UntilDue(deadline), signals_.descriptor());
    if (cluster() != before) break;
  }
  FollowCapacity();
  return reconciler_->TakeReports();
}

void ClusterExecutor::Wake() {
  woken_ = true;
  streams_.Wake();
}

std::size_t ClusterExecutor::remembered() const {
  std::size_t sum = reconciler_->remembered() + capacity_->remembered() + pods_->remembered() +
                    claims_->remembered() + timelines_->remembered();
  for (const auto& reflector : reflectors_) sum += reflector->remembered();
  return sum;
}

}  // namespace ebb::kubernetes
