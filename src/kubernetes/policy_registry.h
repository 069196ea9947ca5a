#pragma once
// The policies of namespaces that are in force, out of one ConfigMap: key NAMESPACE.yaml for a
// namespace, key _others.yaml for those that have none of their own. Where one is wrong, the last
// good one stays in force, over restarts too: it is kept in an annotation of the ConfigMap until
// the key is right again.
//
// Values.

#include <functional>
#include <map>
#include <string>

#include "base/json_node.h"
#include "kubernetes/namespace_policy.h"

namespace ebb::kubernetes {

/// The key for namespaces without one of their own. No namespace can have the name.
inline constexpr std::string_view kOtherNamespaces = "_others";
/// Annotations of the ConfigMap, written by Ebb.
inline constexpr std::string_view kStatusKey = "ebb/status";
inline constexpr std::string_view kLastGoodKey = "ebb/last-good";
inline constexpr std::string_view kUsedKey = "ebb/used";

class PolicyRegistry {
 public:
  /// `key`: for messages.
  using Parse =
      std::function<Result<NamespacePolicy>(const std::string& text, const std::string& key)>;
  explicit PolicyRegistry(Parse parse) : parse_(std::move(parse)) {}

  /// Whether other policies are in force now.
  bool Take(const JsonNode& config_map);
  /// The ConfigMap is gone, and so is all that was in it.
  bool Drop();

  /// nullptr: none.
  const NamespacePolicy* Of(const std::string& name_space) const;
  const std::map<std::string, NamespacePolicy>& policies() const { return policies_; }
  /// By key, what is wrong with it.
  const std::map<std::string, std::string>& wrong() const { return wrong_; }
  /// For people: what is in force, and what is wrong.
  std::string Status() const;
  /// As JSON, of keys that are wrong; empty: there is none.
  std::string LastGood() const;

 private:
  Parse parse_;
  std::map<std::string, NamespacePolicy> policies_;  // by namespace
  std::map<std::string, std::string> good_;          // texts of those in force, by key
  std::map<std::string, std::string> wrong_;
};

}  // namespace ebb::kubernetes
