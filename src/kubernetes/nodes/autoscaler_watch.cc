#include "kubernetes/nodes/autoscaler_watch.h"

#include <algorithm>
#include <utility>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr const char* kStatusName = "cluster-autoscaler-status";
constexpr const char* kStatusPath =
    "/api/v1/namespaces/kube-system/configmaps?fieldSelector=metadata.name%3D"
    "cluster-autoscaler-status";
constexpr int kMostNodes = 1 << 20;
// Without the right to read it, the watch reports that after this time and goes on.
constexpr std::chrono::seconds kUnreadableAfter{10};

}  // namespace

AutoscalerWatch::AutoscalerWatch(GroupWatch::Ports ports, NodeGroups& groups, ParseStatus parse,
                                 ReflectorOptions options)
    : ports_(std::move(ports)), groups_(groups), parse_(std::move(parse)) {
  const auto is_used = [&](Autoscaler autoscaler) {
    return std::ranges::count(groups_.groups(), autoscaler, &NodeGroup::autoscaler) > 0;
  };
  if (is_used(Autoscaler::kClusterAutoscaler))
    status_ = std::make_unique<Reflector>(
        ports_.client, kStatusPath, ports_.since_boot,
        ReflectorEvents{[this](const JsonNode& config_map) { TakeStatus(config_map); },
                        [this](const std::string& uid) {
                          if (uid == status_uid_) DropStatus();
                        },
                        ports_.say},
        options);
  if (!is_used(Autoscaler::kKarpenter)) return;
  const auto resources = [this](const std::string& version) {
    return std::vector<ApiGroup::Resource>{{"/apis/karpenter.sh/" + version + "/nodepools",
                                            {[this](const JsonNode& pool) { TakePool(pool); },
                                             [this](const std::string& uid) {
                                               if (pools_.erase(uid) > 0) PublishPools();
                                             }}}};
  };
  karpenter_ = std::make_unique<GroupWatch>(
      ports_, ApiGroup{"/apis/karpenter.sh", {"v1"}, resources}, options);
}

void AutoscalerWatch::Tick() {
  if (status_) status_->Tick();
  if (karpenter_) karpenter_->Tick();
}

std::optional<Duration> AutoscalerWatch::NextDue() const {
  std::optional<Duration> due = status_ ? status_->NextDue() : std::nullopt;
  const auto other = karpenter_ ? karpenter_->NextDue() : std::nullopt;
  return due && other ? std::min(*due, *other) : due ? due : other;
}

bool AutoscalerWatch::ready() const {
  const auto away = status_ ? status_->away_since() : std::nullopt;
  const bool has_status =
      !status_ || status_->synced() || (away && ports_.since_boot() - *away >= kUnreadableAfter);
  return has_status && (!karpenter_ || karpenter_->ready());
}

// A server that ignores the selector lists all ConfigMaps.
void AutoscalerWatch::TakeStatus(const JsonNode& config_map) {
  if (TextAt(config_map, "/metadata/name") != kStatusName) return;
  status_uid_ = TextAt(config_map, "/metadata/uid");
  const auto published = parse_(TextAt(config_map, "/data/status"), kStatusName);
  const std::string wrong = published ? "" : published.error().Message();
  if (std::exchange(said_, wrong) != wrong && !wrong.empty()) ports_.say(wrong);
  groups_.Publish(Autoscaler::kClusterAutoscaler,
                  published ? *published : std::vector<PublishedGroup>{});
}

void AutoscalerWatch::DropStatus() {
  status_uid_.clear();
  groups_.Publish(Autoscaler::kClusterAutoscaler, {});
}

void AutoscalerWatch::TakePool(const JsonNode& pool) {
  pools_[TextAt(pool, "/metadata/uid")] = ReadNodePool(pool);
  PublishPools();
}

void AutoscalerWatch::PublishPools() {
  std::vector<PublishedGroup> published;
  for (const auto& [uid, pool] : pools_) published.push_back(pool);
  groups_.Publish(Autoscaler::kKarpenter, published);
}

// A NodePool of fixed size (`replicas`, alpha) adds no node for pods.
PublishedGroup ReadNodePool(const JsonNode& pool) {
  PublishedGroup group;
  group.name = TextAt(pool, "/metadata/name");
  if (const JsonNode* limits = pool.At("/spec/limits"))
    for (const JsonMember& limit : limits->members) {
      const auto amount = QuantityOf(limit.value);
      if (!amount) continue;
      if (limit.name == "nodes")
        group.most_nodes = static_cast<int>(std::clamp(*amount, 0.0, 1.0 * kMostNodes));
      else
        group.most[limit.name] = *amount;
    }
  if (const auto replicas = NumberAt(pool, "/spec/replicas"))
    group.most_nodes = static_cast<int>(std::clamp<std::int64_t>(*replicas, 0, kMostNodes));
  if (const auto after = ParseDuration(TextAt(pool, "/spec/disruption/consolidateAfter")))
    group.idle_tail = *after;
  if (const JsonNode* conditions = pool.At("/status/conditions"))
    for (const JsonNode& condition : conditions->items) {
      const std::string type = condition.TextOf("type");
      const bool matters = type == "Ready" || type == "NodeRegistrationHealthy";
      if (!matters || condition.TextOf("status") != "False") continue;
      const std::string message = condition.TextOf("message");
      group.stuck = "Karpenter: " + type + " is False" + (message.empty() ? "" : ": " + message);
    }
  return group;
}

}  // namespace ebb::kubernetes
