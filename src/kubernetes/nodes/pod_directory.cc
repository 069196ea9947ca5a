#include "kubernetes/nodes/pod_directory.h"

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// An agent that was away may report pods this much later; a pod without an object is useless then.
constexpr std::chrono::hours kRemembered{1};
constexpr std::chrono::minutes kOthersRemembered{5};
constexpr std::chrono::minutes kTidiedEvery{1};
constexpr std::size_t kMostStatic = 100'000;

}  // namespace

void PodDirectory::Resolve(Pod& pod) {
  if (pod.origin) return;
  if (const auto object = lookup_(pod.owner)) pod.origin = PodOrigin{object->uid, object->attempt};
}

void PodDirectory::TakePod(const JsonNode& json, const std::string& gang) {
  const std::string node = TextAt(json, "/spec/nodeName");
  if (node.empty()) return;  // the pod uses no device yet
  // The API server shows another uid of a static pod.
  const std::string hash = TextAt(json, "/metadata/annotations/kubernetes.io~1config.hash");
  if (!hash.empty() && static_pods_.size() < kMostStatic) static_pods_.insert(hash);
  const auto [found, is_new] = pods_.try_emplace(TextAt(json, "/metadata/uid"));
  Pod& pod = found->second;
  if (is_new) {
    pod.owner = {TextAt(json, "/metadata/namespace"), TextsAt(json, "/metadata/labels")};
    pod.node = node;
    named_.insert_or_assign(pod.owner.name_space + "/" + TextAt(json, "/metadata/name"),
                            found->first);
  }
  if (!gang.empty()) pod.owner.labels[kGangLabel] = gang;
  Resolve(pod);
}

void PodDirectory::DropPod(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.gone_at) return;
  Resolve(found->second);
  found->second.gone_at = now_();
}

std::optional<PodOrigin> PodDirectory::OriginOf(const std::string& pod) {
  const auto named = named_.find(pod);
  const auto found = pods_.find(named == named_.end() ? pod : named->second);
  if (found == pods_.end()) return std::nullopt;
  if (!found->second.gone_at) Resolve(found->second);
  return found->second.origin;
}

std::set<std::string> PodDirectory::NodesOf(const std::string& object) const {
  std::set<std::string> nodes;
  for (const auto& [uid, pod] : pods_)
    if (pod.origin && pod.origin->object == object) nodes.insert(pod.node);
  return nodes;
}

void PodDirectory::Tick() {
  const Duration now = now_();
  if (now - tidied_at_ < kTidiedEvery) return;
  tidied_at_ = now;
  std::erase_if(pods_, [&](const auto& entry) {
    const Pod& pod = entry.second;
    const Duration kept = pod.origin ? Duration{kRemembered} : Duration{kOthersRemembered};
    return pod.gone_at && now - *pod.gone_at > kept;
  });
  std::erase_if(named_, [&](const auto& named) { return !pods_.contains(named.second); });
}

}  // namespace ebb::kubernetes
