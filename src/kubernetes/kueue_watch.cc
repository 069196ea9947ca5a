#include "kubernetes/kueue_watch.h"

#include <algorithm>
#include <utility>

#include "kubernetes/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200, kNotFound = 404;
constexpr std::chrono::minutes kLookAgain{5};

}  // namespace

KueueWatch::KueueWatch(Ports ports, ReflectorOptions options)
    : ports_(std::move(ports)), options_(options) {}

KueueWatch::~KueueWatch() { *alive_ = false; }

void KueueWatch::Tick() {
  const bool is_there =
      kind_ && std::ranges::none_of(reflectors_, [](const auto& each) { return each->absent(); });
  if (!is_there && !under_way_ && ports_.since_boot() >= due_) Look();
  for (const auto& reflector : reflectors_) reflector->Tick();
}

std::optional<Duration> KueueWatch::NextDue() const {
  std::optional<Duration> due;
  if (!kind_ && !under_way_) due = due_;
  for (const auto& reflector : reflectors_)
    if (const auto next = reflector->NextDue(); next && (!due || *next < *due)) due = next;
  return due;
}

// One that the account may not read is said, and waited for no longer.
bool KueueWatch::ready() const {
  return looked_ && std::ranges::all_of(reflectors_, [](const auto& each) {
           return each->synced() || each->away_since();
         });
}

void KueueWatch::Look() {
  under_way_ = true;
  ports_.client.Get(kKueueGroupPath, [this, alive = alive_](const Result<ApiAnswer>& answer) {
    if (*alive) TakeGroup(answer);
  });
}

void KueueWatch::TakeGroup(const Result<ApiAnswer>& answer) {
  under_way_ = false;
  due_ = ports_.since_boot() + (answer ? Duration{kLookAgain} : options_.first_wait);
  if (!answer) return;
  looked_ = true;
  if (answer->status == kNotFound) return;
  const auto group = answer->status == kOk ? ParseJson(answer->body, kKueueGroupPath)
                                           : Result<JsonNode>(JsonNode{});
  if (answer->status != kOk || !group)
    return ports_.say(std::string(kKueueGroupPath) + ": " +
                      MessageOf(answer->status, answer->body));
  const JsonNode* versions = group->Find("versions");
  for (const char* known : {"v1beta2", "v1beta1"})
    if (versions && std::ranges::any_of(versions->items, [&](const JsonNode& version) {
          return version.TextOf("version") == known;
        }))
      return Follow(*WorkloadKind(known));
}

void KueueWatch::Add(const std::string& path, ReflectorEvents events) {
  events.say = ports_.say;
  reflectors_.push_back(std::make_unique<Reflector>(ports_.client, path, ports_.since_boot,
                                                    std::move(events), options_));
}

void KueueWatch::Follow(const GatedKind& kind) {
  if (kind_ == &kind) return;
  kind_ = &kind;
  reflectors_.clear();
  KueueBoard& board = ports_.board;
  const std::string root = "/apis/" + kind.ApiVersion() + "/";
  Add(root + "admissionchecks",
      {[&board, &kind](const JsonNode& check) { board.TakeCheck(kind, check); },
       [&board](const std::string& uid) { board.DropCheck(uid); }});
  Add(root + "clusterqueues", {[&board](const JsonNode& queue) { board.TakeClusterQueue(queue); },
                               [&board](const std::string& uid) { board.DropClusterQueue(uid); }});
  Add(ports_.in_namespace(root + "localqueues"),
      {[&board](const JsonNode& queue) { board.TakeLocalQueue(queue); },
       [&board](const std::string& uid) { board.DropLocalQueue(uid); }});
  Add(ports_.in_namespace(kind.ListPath()),
      {[&board, &kind](const JsonNode& workload) { board.TakeWorkload(kind, workload); },
       [&board](const std::string& uid) { board.DropWorkload(uid); }});
}

}  // namespace ebb::kubernetes
