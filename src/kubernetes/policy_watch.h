#pragma once
// Follows the ConfigMap with the policies of namespaces (policy_registry.h), and writes on it what
// became of them: what is in force, what is wrong, and what each namespace has used.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api_client.h"
#include "kubernetes/event_recorder.h"
#include "kubernetes/policy_registry.h"
#include "kubernetes/reflector.h"

namespace ebb::kubernetes {

struct PolicyOptions {
  std::string name_space, name;  ///< of the ConfigMap; an empty name: there are no policies
  PolicyRegistry::Parse parse{};
};

class PolicyWatch {
 public:
  struct Ports {
    ApiClient& client;
    EventRecorder& recorder;
    std::function<Duration()> since_boot;  ///< a clock that nobody sets
    std::function<void(const std::string&)> say;
    /// Other policies are in force.
    std::function<void()> changed;
  };
  PolicyWatch(Ports ports, PolicyOptions options, ReflectorOptions reflector);

  /// Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;
  /// Follows it no more.
  void Stop() { reflector_.reset(); }
  /// The ConfigMap is known, or it cannot be read, which is said.
  bool ready() const;

  const PolicyRegistry& registry() const { return registry_; }
  /// What namespaces have used, as KeepUsed has it; empty: nothing is kept. An earlier controller's
  /// until the first KeepUsed.
  const std::string& used() const { return used_; }
  void KeepUsed(std::string used);
  /// On the ConfigMap, for people.
  void Tell(EventReason reason, const std::string& message);

 private:
  void TakeMap(const JsonNode& config_map);
  void DropMap();
  void Write();

  Ports ports_;
  PolicyOptions options_;
  PolicyRegistry registry_;
  std::string uid_;                             // empty: it is not there
  std::map<std::string, std::string> written_;  // annotations of ours as they are
  std::string used_;
  bool has_used_ = false;  // used_ is of this controller
  std::string said_;
  std::unique_ptr<Reflector> reflector_;
};

}  // namespace ebb::kubernetes
