#include "kubernetes/nodes/node_group.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/times_in_text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr std::chrono::minutes kFirstBackOff{5}, kLongestBackOff{30};
constexpr std::chrono::minutes kUsualIdleTail{10};
constexpr int kMostNodes = 1 << 20;

// The Cluster Autoscaler may name a group by an address that ends in its name.
bool IsNamed(const std::string& published, const std::string& name) {
  return published == name || published.ends_with("/" + name);
}

int NodesWithin(double most, double of_one) {
  return static_cast<int>(std::clamp(std::floor(most / of_one), 0.0, 1.0 * kMostNodes));
}

}  // namespace

NodeGroups::NodeGroups(std::vector<NodeGroup> groups, std::function<Duration()> since_boot,
                       std::function<void(const std::string&)> say)
    : groups_(std::move(groups)),
      states_(groups_.size()),
      since_boot_(std::move(since_boot)),
      say_(std::move(say)) {}

int NodeGroups::Of(const JsonNode& node) const {
  if (groups_.empty()) return -1;
  const auto labels = TextsAt(node, "/metadata/labels");
  const auto found = std::ranges::find_if(groups_, [&](const NodeGroup& group) {
    return std::ranges::all_of(group.labels, [&](const auto& label) {
      const auto has = labels.find(label.first);
      return has != labels.end() && has->second == label.second;
    });
  });
  return found == groups_.end() ? -1 : static_cast<int>(found - groups_.begin());
}

int NodeGroups::MostNodes(int group) const {
  const NodeGroup& of = at(group);
  const PublishedGroup& published = StateOf(group).published;
  // Without any limit it is unknown if a node would come.
  std::optional<int> most = of.most_nodes;
  const auto limit = [&](int nodes) { most = std::min(most.value_or(nodes), nodes); };
  if (published.most_nodes) limit(*published.most_nodes);
  for (const auto& [resource, amount] : published.most) {
    if (IsGpu(resource) && of.gpus > 0) limit(NodesWithin(amount, of.gpus));
    if (resource == "cpu" && of.cores > 0) limit(NodesWithin(amount, of.cores));
  }
  return most.value_or(0);
}

Duration NodeGroups::IdleTail(int group) const {
  if (at(group).idle_tail) return *at(group).idle_tail;
  return StateOf(group).published.idle_tail.value_or(Duration{kUsualIdleTail});
}

const std::string& NodeGroups::PublishedStuck(int group) const {
  return StateOf(group).published.stuck;
}

std::string NodeGroups::WhyStuck(int group) const {
  const State& state = StateOf(group);
  if (!state.published.stuck.empty()) return state.published.stuck;
  return state.alone_until ? state.why : "";
}

void NodeGroups::Publish(Autoscaler autoscaler, const std::vector<PublishedGroup>& published) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].autoscaler != autoscaler) continue;
    const std::string& name = groups_[i].name;
    const auto found = std::ranges::find_if(
        published, [&](const PublishedGroup& each) { return IsNamed(each.name, name); });
    PublishedGroup now = found == published.end() ? PublishedGroup{} : *found;
    PublishedGroup& before = states_[i].published;
    if (before == now) continue;
    if (before.stuck != now.stuck)
      say_("node group " + name + ": " + (now.stuck.empty() ? "nodes can come again" : now.stuck));
    before = std::move(now);
    ++version_;
  }
}

void NodeGroups::Came(int group) {
  State& state = StateOf(group);
  state.came_at = since_boot_();
  state.failures = 0;
  if (!std::exchange(state.alone_until, std::nullopt)) return;
  say_("node group " + at(group).name + ": a node has come");
  ++version_;
}

std::optional<Duration> NodeGroups::came_at(int group) const { return StateOf(group).came_at; }

void NodeGroups::NeverCame(int group, const std::string& why) {
  State& state = StateOf(group);
  if (state.alone_until) return;
  const int doublings = std::min(state.failures++, 3);
  const Duration wait = std::min<Duration>(kFirstBackOff * (1 << doublings), kLongestBackOff);
  state.alone_until = since_boot_() + wait;
  state.why = why;
  say_("node group " + at(group).name + ": " + why + "; it counts for nothing for " +
       RoundDurationText(wait));
  ++version_;
}

void NodeGroups::Tick() {
  for (State& state : states_)
    if (state.alone_until && since_boot_() >= *state.alone_until) {
      state.alone_until.reset();
      ++version_;
    }
}

std::optional<Duration> NodeGroups::NextDue() const {
  std::optional<Duration> due;
  for (const State& state : states_)
    if (state.alone_until && (!due || *state.alone_until < *due)) due = state.alone_until;
  return due;
}

}  // namespace ebb::kubernetes
