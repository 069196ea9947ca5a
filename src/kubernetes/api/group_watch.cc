#include "kubernetes/api/group_watch.h"

#include <algorithm>
#include <utility>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200, kNotFound = 404;
constexpr std::chrono::minutes kLookAgain{5};

}  // namespace

GroupWatch::GroupWatch(Ports ports, ApiGroup group, ReflectorOptions options)
    : ports_(std::move(ports)), group_(std::move(group)), options_(options) {}

GroupWatch::~GroupWatch() { *alive_ = false; }

void GroupWatch::Tick() {
  const bool is_there =
      !version_.empty() &&
      std::ranges::none_of(reflectors_, [](const auto& each) { return each->absent(); });
  if (!is_there && !under_way_ && ports_.since_boot() >= due_) Look();
  for (const auto& reflector : reflectors_) reflector->Tick();
}

std::optional<Duration> GroupWatch::NextDue() const {
  std::optional<Duration> due;
  if (version_.empty() && !under_way_) due = due_;
  for (const auto& reflector : reflectors_)
    if (const auto next = reflector->NextDue(); next && (!due || *next < *due)) due = next;
  return due;
}

// A resource that the account may not read is reported, and not waited for any longer.
bool GroupWatch::ready() const {
  return looked_ && std::ranges::all_of(reflectors_, [](const auto& each) {
           return each->synced() || each->away_since();
         });
}

bool GroupWatch::complete() const {
  return !reflectors_.empty() &&
         std::ranges::all_of(reflectors_, [](const auto& each) { return each->synced(); });
}

void GroupWatch::Look() {
  under_way_ = true;
  ports_.client.Get(group_.path, [this, alive = alive_](const Result<ApiAnswer>& answer) {
    if (*alive) TakeGroup(answer);
  });
}

void GroupWatch::TakeGroup(const Result<ApiAnswer>& answer) {
  under_way_ = false;
  due_ = ports_.since_boot() + (answer ? Duration{kLookAgain} : options_.first_wait);
  if (!answer) return;
  looked_ = true;
  if (answer->status == kNotFound) return;
  const auto group =
      answer->status == kOk ? ParseJson(answer->body, group_.path) : Result<JsonNode>(JsonNode{});
  if (answer->status != kOk || !group)
    return ports_.say(group_.path + ": " + MessageOf(answer->status, answer->body));
  const JsonNode* versions = group->Find("versions");
  for (const std::string& known : group_.versions)
    if (versions && std::ranges::any_of(versions->items, [&](const JsonNode& version) {
          return version.TextOf("version") == known;
        }))
      return Follow(known);
}

void GroupWatch::Follow(const std::string& version) {
  if (std::exchange(version_, version) == version) return;
  reflectors_.clear();
  for (ApiGroup::Resource& resource : group_.resources(version)) {
    resource.events.say = ports_.say;
    reflectors_.push_back(std::make_unique<Reflector>(
        ports_.client, resource.path, ports_.since_boot, std::move(resource.events), options_));
  }
}

}  // namespace ebb::kubernetes
