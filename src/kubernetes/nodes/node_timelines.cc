#include "kubernetes/nodes/node_timelines.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// Agents that were away may report nodes this much later.
constexpr std::chrono::hours kRemembered{1};
constexpr std::chrono::seconds kResolvedEvery{5};

std::vector<StretchShare> SharesOf(const std::map<std::string, Duration>& busy,
                                   const std::map<std::string, int>& attempts) {
  double all = 0;
  for (const auto& [object, time] : busy) all += Seconds(time);
  std::vector<StretchShare> shares;
  for (const auto& [object, time] : busy) {
    const double part = all > 0 ? Seconds(time) / all : 1.0 / static_cast<double>(busy.size());
    shares.push_back({object, attempts.at(object), part});
  }
  return shares;
}

}  // namespace

NodeTimelines::Node* NodeTimelines::NodeNamed(const std::string& name) {
  const auto uid = uid_of_.find(name);
  return uid == uid_of_.end() ? nullptr : &nodes_.at(uid->second);
}

void NodeTimelines::TakeNode(const JsonNode& json) {
  const int group = ports_.groups.Of(json);
  const std::string uid = TextAt(json, "/metadata/uid");
  if (group < 0 || nodes_.contains(uid)) return;
  Node& node = nodes_[uid];
  node.name = TextAt(json, "/metadata/name");
  node.group = group;
  node.created = ParseTime(TextAt(json, "/metadata/creationTimestamp")).value_or(ports_.now());
  uid_of_[node.name] = uid;
}

void NodeTimelines::DropNode(const std::string& uid) {
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) return;
  Node& node = found->second;
  std::vector<std::string> gone;
  for (const auto& [pod, of_pod] : pods_)
    if (of_pod.node == node.name) gone.push_back(pod);
  for (const std::string& pod : gone) DropPod(pod);
  EndIdle(node, ports_.now());
  uid_of_.erase(node.name);
  nodes_.erase(found);
}

void NodeTimelines::Resolve(Pod& pod) {
  Node* node = pod.object ? nullptr : NodeNamed(pod.node);
  if (!node) return;
  pod.object = ports_.object_of(pod.owner);
  if (!pod.object) return;
  if (node->pods++ == 0) Begin(*node, pod.since);
  node->busy.try_emplace(pod.object->uid);
  node->attempts[pod.object->uid] = pod.object->attempt;
}

// The object of a pod may name its pods later, and a node may be reported after its pods.
void NodeTimelines::TakePod(const JsonNode& json, const std::string& gang) {
  const std::string uid = TextAt(json, "/metadata/uid"), node = TextAt(json, "/spec/nodeName");
  if (node.empty() || ports_.groups.groups().empty()) return;
  const std::string phase = TextAt(json, "/status/phase");
  const bool has_ended = phase == "Succeeded" || phase == "Failed";
  auto found = pods_.find(uid);
  if (found == pods_.end() && has_ended) return;
  if (found == pods_.end()) {
    Pod pod{node,
            {TextAt(json, "/metadata/namespace"), TextsAt(json, "/metadata/labels")},
            ports_.now(),
            {}};
    if (const auto started = ParseTime(TextAt(json, "/status/startTime"))) pod.since = *started;
    found = pods_.emplace(uid, std::move(pod)).first;
  }
  if (!gang.empty()) found->second.owner.labels[kGangLabel] = gang;
  Resolve(found->second);
  if (has_ended) DropPod(uid);
}

void NodeTimelines::DropPod(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Ended(found->second);
  pods_.erase(found);
}

void NodeTimelines::Ended(Pod& pod) {
  Resolve(pod);
  Node* node = NodeNamed(pod.node);
  if (!node || !pod.object) return;
  const Time now = ports_.now();
  node->busy[pod.object->uid] += std::max(Duration{}, now - pod.since);
  if (--node->pods == 0) BecomeIdle(*node, now);
}

void NodeTimelines::Begin(Node& node, Time at) {
  EndIdle(node, at);
  node.busy.clear();
  node.attempts.clear();
  node.first_pod = at;
}

// A node that existed for long before its first pod was not started for it.
void NodeTimelines::BecomeIdle(Node& node, Time at) {
  const NodeGroup& group = ports_.groups.at(node.group);
  const auto shares = SharesOf(node.busy, node.attempts);
  const bool is_new = *node.first_pod - node.created <= group.gives_up_after;
  if (!std::exchange(node.has_started, true) && is_new)
    stretches_.push_back({{node.name,
                           node.group,
                           true,
                           {*node.first_pod - group.start_up, *node.first_pod},
                           shares}});
  node.is_idle = true;
  stretches_.push_back(
      {{node.name, node.group, false, {at, at + ports_.groups.IdleTail(node.group)}, shares}});
}

void NodeTimelines::EndIdle(Node& node, Time at) {
  if (!std::exchange(node.is_idle, false)) return;
  for (Stretch& stretch : std::views::reverse(stretches_)) {
    if (stretch.told.node != node.name || stretch.told.is_start) continue;
    stretch.told.wall.end = std::clamp(at, stretch.told.wall.begin, stretch.told.wall.end);
    return;
  }
}

std::optional<Time> NodeTimelines::NextOver() const {
  std::optional<Time> next;
  for (const Stretch& stretch : stretches_)
    if (!stretch.taken && (!next || stretch.told.wall.end < *next)) next = stretch.told.wall.end;
  return next;
}

std::vector<NodeStretch> NodeTimelines::TakeOver() {
  const Time now = ports_.now();
  if (now >= resolve_at_ || now < resolve_at_ - kResolvedEvery) {
    resolve_at_ = now + kResolvedEvery;
    for (auto& [uid, pod] : pods_) Resolve(pod);
  }
  std::vector<NodeStretch> over;
  for (Stretch& stretch : stretches_) {
    if (stretch.taken || stretch.told.wall.end > now) continue;
    stretch.taken = true;
    if (stretch.told.wall.length() > Duration::zero()) over.push_back(stretch.told);
  }
  while (!stretches_.empty() && stretches_.front().told.wall.end + kRemembered < now)
    stretches_.pop_front();
  return over;
}

const NodeStretch* NodeTimelines::IdleAt(const std::string& node, Time moment) const {
  const auto found = std::ranges::find_if(stretches_, [&](const Stretch& stretch) {
    const NodeStretch& told = stretch.told;
    return !told.is_start && told.node == node && told.wall.begin <= moment &&
           moment < told.wall.end;
  });
  return found == stretches_.end() ? nullptr : &found->told;
}

}  // namespace ebb::kubernetes
