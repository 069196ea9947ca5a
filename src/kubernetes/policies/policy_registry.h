#pragma once
// The policies of namespaces that are in force, out of one ConfigMap: key NAMESPACE.yaml for a
// namespace, key _others.yaml for namespaces without one of their own. If a policy is wrong, the
// last good one stays in force, also after restarts: it is kept in an annotation of the ConfigMap
// until the key is right again.
//
// Values.

#include <functional>
#include <map>
#include <string>

#include "base/json_node.h"
#include "kubernetes/objects/namespace_policy.h"

namespace ebb::kubernetes {

/// Key for namespaces without a policy of their own. No namespace can have this name.
inline constexpr std::string_view kOtherNamespaces = "_others";
/// Annotations of the ConfigMap, written by Ebb.
inline constexpr std::string_view kStatusKey = "ebb/status";
inline constexpr std::string_view kLastGoodKey = "ebb/last-good";
inline constexpr std::string_view kUsedKey = "ebb/used";

class PolicyRegistry {
 public:
  /// Parses a policy. `key` is for messages.
  using Parse =
      std::function<Result<NamespacePolicy>(const std::string& text, const std::string& key)>;
  explicit PolicyRegistry(Parse parse) : parse_(std::move(parse)) {}

  /// Takes the ConfigMap; tells if other policies are in force now.
  bool Take(const JsonNode& config_map);
  /// Takes that the ConfigMap is gone, with all policies in it.
  bool Drop();

  /// Returns nullptr if there is none.
  const NamespacePolicy* Of(const std::string& name_space) const;
  const std::map<std::string, NamespacePolicy>& policies() const { return policies_; }
  /// Mistakes by key.
  const std::map<std::string, std::string>& wrong() const { return wrong_; }
  /// Text for people: the policies in force, and the mistakes.
  std::string Status() const;
  /// The last good texts of wrong keys, as JSON; empty: there is none.
  std::string LastGood() const;

 private:
  Parse parse_;
  std::map<std::string, NamespacePolicy> policies_;  // by namespace
  std::map<std::string, std::string> good_;          // texts of those in force, by key
  std::map<std::string, std::string> wrong_;
};

}  // namespace ebb::kubernetes
