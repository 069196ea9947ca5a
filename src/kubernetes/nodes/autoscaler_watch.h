#pragma once
// Follows the state that autoscalers publish about their groups of nodes (node_group.h), if the
// configuration names one: the ConfigMap cluster-autoscaler-status in kube-system (Cluster
// Autoscaler, from version 1.30 on), and NodePools (Karpenter, karpenter.sh/v1).
//
// Thread contract: that of ApiClient.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/group_watch.h"
#include "kubernetes/api/reflector.h"
#include "kubernetes/nodes/node_group.h"

namespace ebb::kubernetes {

class AutoscalerWatch {
 public:
  /// Parses the status of the Cluster Autoscaler; `name` is for messages.
  using ParseStatus = std::function<Result<std::vector<PublishedGroup>>(const std::string& text,
                                                                        const std::string& name)>;
  AutoscalerWatch(GroupWatch::Ports ports, NodeGroups& groups, ParseStatus parse,
                  ReflectorOptions options);

  /// Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;
  /// Ends the watches.
  void Stop() {
    status_.reset();
    karpenter_.reset();
  }
  /// Tells that the state is known, or cannot be read, which is reported.
  bool ready() const;

 private:
  void TakeStatus(const JsonNode& config_map);
  void DropStatus();
  void TakePool(const JsonNode& pool);
  void PublishPools();

  GroupWatch::Ports ports_;
  NodeGroups& groups_;
  ParseStatus parse_;
  std::string status_uid_, said_;
  std::map<std::string, PublishedGroup> pools_;  // by uid
  std::unique_ptr<Reflector> status_;            // null: not needed
  std::unique_ptr<GroupWatch> karpenter_;
};

/// Reads a NodePool (karpenter.sh/v1).
PublishedGroup ReadNodePool(const JsonNode& pool);

}  // namespace ebb::kubernetes
