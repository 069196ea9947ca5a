#pragma once
// Finds out whether the cluster serves a group of its API, and in which version, and follows its
// objects. If it is not served, looks again from time to time.
//
// Thread contract: that of the ApiClient.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/reflector.h"

namespace ebb::kubernetes {

/// A group of the API, and its resources with their handlers.
struct ApiGroup {
  std::string path;                   ///< "/apis/kueue.x-k8s.io"
  std::vector<std::string> versions;  ///< the first that is served is followed
  struct Resource {
    std::string path;  ///< "/apis/kueue.x-k8s.io/v1beta2/workloads"
    ReflectorEvents events;
  };
  std::function<std::vector<Resource>(const std::string& version)> resources;
};

class GroupWatch {
 public:
  struct Ports {
    ApiClient& client;
    std::function<Duration()> since_boot;
    std::function<void(const std::string&)> say;
  };
  GroupWatch(Ports ports, ApiGroup group, ReflectorOptions options);
  ~GroupWatch();

  void Tick();
  std::optional<Duration> NextDue() const;
  /// Tells that the group is served in a known version.
  bool served() const { return !version_.empty(); }
  /// Tells that everything the server lets the account read was reported.
  bool ready() const;
  /// Tells that everything was reported.
  bool complete() const;

 private:
  void Look();
  void TakeGroup(const Result<ApiAnswer>& answer);
  void Follow(const std::string& version);

  Ports ports_;
  ApiGroup group_;
  ReflectorOptions options_;
  std::string version_;  // the version that is followed; empty: none
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  bool looked_ = false, under_way_ = false;
  Duration due_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ebb::kubernetes
