#pragma once
// The namespaces whose label or annotation `ebb/wait` lets Ebb hold back all their objects. A
// mistyped key of Ebb's on a namespace is told to people, because the namespace may have no object
// on which it could be noted.
//
// Values; told by the reflector of namespaces.

#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/json_node.h"

namespace ebb::kubernetes {

class ChosenNamespaces {
 public:
  enum class Change { kNone, kChosen, kLeft };

  /// `say` reports something about a namespace to people.
  explicit ChosenNamespaces(std::function<void(const std::string&)> say) : say_(std::move(say)) {}

  /// Takes a namespace as it is now, and tells if Ebb may hold back its objects from now on, or may
  /// not any more.
  Change Take(const JsonNode& name_space);
  /// Call it when the namespace is gone, and its objects with it.
  void Drop(const std::string& uid);
  bool Contains(const std::string& name) const { return chosen_.contains(name); }
  std::size_t remembered() const { return chosen_.size() + mistyped_.size(); }

 private:
  void SayMistyped(const JsonNode& name_space);

  std::function<void(const std::string&)> say_;
  std::map<std::string, std::string> chosen_;              // name -> uid
  std::map<std::string, std::set<std::string>> mistyped_;  // what was said, by uid
};

}  // namespace ebb::kubernetes
