#pragma once
// Finds out whether the cluster serves a group of its API, and in which version, and follows what
// it has there. Looks again now and then where it is not served.
//
// Thread contract: that of the ApiClient.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api_client.h"
#include "kubernetes/reflector.h"

namespace ebb::kubernetes {

/// A group, and what to do with its objects.
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
  /// In a version that is known here.
  bool served() const { return !version_.empty(); }
  /// What there is of it has been told, as far as the server tells it.
  bool ready() const;
  /// All of it has been told.
  bool complete() const;

 private:
  void Look();
  void TakeGroup(const Result<ApiAnswer>& answer);
  void Follow(const std::string& version);

  Ports ports_;
  ApiGroup group_;
  ReflectorOptions options_;
  std::string version_;  // that is followed; empty: none
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  bool looked_ = false, under_way_ = false;
  Duration due_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ebb::kubernetes
