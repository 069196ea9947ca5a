#include "kubernetes/policies/policy_watch.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// Without the right to read it, the watch reports that after this time and goes on without
// policies.
constexpr std::chrono::seconds kUnreadableAfter{10};
constexpr int kForbidden = 403;

std::string ListPath(const PolicyOptions& options) {
  return "/api/v1/namespaces/" + options.name_space + "/configmaps?fieldSelector=metadata.name%3D" +
         options.name;
}

}  // namespace

PolicyWatch::PolicyWatch(Ports ports, PolicyOptions options, ReflectorOptions reflector)
    : ports_(std::move(ports)),
      options_(std::move(options)),
      registry_(options_.parse),
      reflector_(std::make_unique<Reflector>(
          ports_.client, ListPath(options_), ports_.since_boot,
          ReflectorEvents{[this](const JsonNode& config_map) { TakeMap(config_map); },
                          [this](const std::string& uid) {
                            if (uid == uid_) DropMap();
                          },
                          ports_.say},
          reflector)) {}

void PolicyWatch::Tick() {
  if (reflector_) reflector_->Tick();
}

std::optional<Duration> PolicyWatch::NextDue() const {
  return reflector_ ? reflector_->NextDue() : std::nullopt;
}

bool PolicyWatch::ready() const {
  if (!reflector_) return true;
  const auto away = reflector_->away_since();
  return reflector_->synced() || (away && ports_.since_boot() - *away >= kUnreadableAfter);
}

// A server that ignores the selector lists all ConfigMaps.
void PolicyWatch::TakeMap(const JsonNode& config_map) {
  if (TextAt(config_map, "/metadata/name") != options_.name) return;
  uid_ = TextAt(config_map, "/metadata/uid");
  written_ = OursOf(TextsAt(config_map, "/metadata/annotations"));
  if (!has_used_) used_ = written_[std::string(kUsedKey)];
  const bool is_news = registry_.Take(config_map);
  Write();
  if (const std::string status = registry_.Status(); std::exchange(said_, status) != status) {
    ports_.say(options_.name + ": " + status);
    Tell(registry_.wrong().empty() ? EventReason::kPoliciesInForce : EventReason::kBadPolicy,
         status);
  }
  if (is_news) ports_.changed();
}

void PolicyWatch::DropMap() {
  ports_.recorder.Drop(std::exchange(uid_, {}));
  written_.clear();
  said_.clear();
  ports_.say(options_.name + ": the ConfigMap is gone; no policy is in force");
  if (registry_.Drop()) ports_.changed();
}

void PolicyWatch::KeepUsed(std::string used) {
  has_used_ = true;
  used_ = std::move(used);
  Write();
}

void PolicyWatch::Tell(EventReason reason, const std::string& message) {
  if (!uid_.empty())
    ports_.recorder.Tell({"v1", "ConfigMap", options_.name_space, options_.name, uid_}, reason,
                         message);
}

void PolicyWatch::Write() {
  if (uid_.empty()) return;
  nlohmann::json changed = nlohmann::json::object();
  const auto put = [&](std::string_view key, const std::string& text) {
    std::string& there = written_[std::string(key)];
    if (std::exchange(there, text) == text) return;
    changed[std::string(key)] = text.empty() ? nlohmann::json() : nlohmann::json(text);
  };
  put(kStatusKey, registry_.Status());
  put(kLastGoodKey, registry_.LastGood());
  if (has_used_) put(kUsedKey, used_);
  if (changed.empty()) return;
  ApiClient::Change change;
  change.path = "/api/v1/namespaces/" + options_.name_space + "/configmaps/" + options_.name;
  change.body = nlohmann::json{{"metadata", {{"annotations", changed}}}}.dump();
  change.urgent = false;
  ports_.client.Make(std::move(change), [this](const Result<ApiAnswer>& answer) {
    if (answer && answer->status == kForbidden)
      ports_.say(options_.name + ": " + MessageOf(answer->status, answer->body));
  });
}

}  // namespace ebb::kubernetes
