#pragma once
// Follows the ConfigMap with the policies of namespaces (policy_registry.h), and writes the result
// on it: the policies in force, the mistakes, and the energy that each namespace has used.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/event_recorder.h"
#include "kubernetes/api/reflector.h"
#include "kubernetes/policies/policy_registry.h"

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
    /// Called when other policies are in force.
    std::function<void()> changed;
  };
  PolicyWatch(Ports ports, PolicyOptions options, ReflectorOptions reflector);

  /// Call it before each wait.
  void Tick();
  std::optional<Duration> NextDue() const;
  /// Ends the watch.
  void Stop() { reflector_.reset(); }
  /// Tells that the ConfigMap is known, or cannot be read, which is reported.
  bool ready() const;

  const PolicyRegistry& registry() const { return registry_; }
  /// The energy that namespaces have used, in the text of KeepUsed; empty: nothing is kept. Until
  /// the first KeepUsed it is that of an earlier controller.
  const std::string& used() const { return used_; }
  void KeepUsed(std::string used);
  /// Records an Event on the ConfigMap, for people.
  void Tell(EventReason reason, const std::string& message);

 private:
  void TakeMap(const JsonNode& config_map);
  void DropMap();
  void Write();

  Ports ports_;
  PolicyOptions options_;
  PolicyRegistry registry_;
  std::string uid_;                             // empty: it does not exist
  std::map<std::string, std::string> written_;  // Ebb's annotations on it
  std::string used_;
  bool has_used_ = false;  // used_ comes from this controller
  std::string said_;
  std::unique_ptr<Reflector> reflector_;
};

}  // namespace ebb::kubernetes
