#include "kubernetes/policies/chosen_namespaces.h"

#include <utility>

#include "kubernetes/api/json_reading.h"
#include "kubernetes/objects/annotation_keys.h"

namespace ebb::kubernetes {

void ChosenNamespaces::SayMistyped(const JsonNode& name_space) {
  std::set<std::string> mistyped;
  for (const char* where : {"/metadata/annotations", "/metadata/labels"})
    for (const auto& [key, value] : TextsAt(name_space, where))
      if (std::string why = WhyNotOnNamespace(key); !why.empty()) mistyped.insert(std::move(why));
  const std::string uid = TextAt(name_space, "/metadata/uid");
  const auto known = mistyped_.find(uid);
  for (const std::string& why : mistyped)
    if (known == mistyped_.end() || !known->second.contains(why))
      say_("namespace " + TextAt(name_space, "/metadata/name") + ": " + why);
  if (known != mistyped_.end()) mistyped_.erase(known);
  if (!mistyped.empty()) mistyped_.emplace(uid, std::move(mistyped));
}

ChosenNamespaces::Change ChosenNamespaces::Take(const JsonNode& name_space) {
  SayMistyped(name_space);
  const std::string name = TextAt(name_space, "/metadata/name");
  const bool is_chosen = TextAt(name_space, "/metadata/labels/ebb~1wait") == "true" ||
                         TextAt(name_space, "/metadata/annotations/ebb~1wait") == "true";
  if (!is_chosen) return chosen_.erase(name) == 0 ? Change::kNone : Change::kLeft;
  const bool is_new = chosen_.insert_or_assign(name, TextAt(name_space, "/metadata/uid")).second;
  return is_new ? Change::kChosen : Change::kNone;
}

void ChosenNamespaces::Drop(const std::string& uid) {
  std::erase_if(chosen_, [&](const auto& chosen) { return chosen.second == uid; });
  mistyped_.erase(uid);
}

}  // namespace ebb::kubernetes
