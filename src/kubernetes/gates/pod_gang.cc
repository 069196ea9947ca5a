#include "kubernetes/gates/pod_gang.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr int kOk = 200, kNotFound = 404, kUnprocessable = 422;
constexpr const char* kGangKey = "ebb/gang";
constexpr const char* kGangSizeKey = "ebb/gang-size";
// This character occurs neither in names and labels nor at the end of the service's keys.
constexpr char kGenerationMark = '~';
constexpr int kMostMembers = 100'000, kMostTries = 5;
constexpr std::chrono::hours kLateFollower{24};

std::optional<std::size_t> GateOf(const JsonNode& pod) {
  const JsonNode* gates = pod.At("/spec/schedulingGates");
  if (!gates) return std::nullopt;
  for (std::size_t i = 0; i < gates->items.size(); ++i)
    if (gates->items[i].TextOf("name") == kWaitKey) return i;
  return std::nullopt;
}

int CountAt(const std::map<std::string, std::string>& texts, std::string_view key) {
  const auto found = texts.find(std::string(key));
  const auto number = found == texts.end() ? std::nullopt : ParseInteger(found->second);
  return number ? static_cast<int>(std::clamp<long long>(*number, 0, kMostMembers)) : 0;
}

const JsonNode* OwnerOf(const JsonNode& pod) {
  const JsonNode* owners = pod.At("/metadata/ownerReferences");
  if (!owners) return nullptr;
  const auto found = std::ranges::find_if(
      owners->items, [](const JsonNode& owner) { return IsTrueAt(owner, "/controller"); });
  return found == owners->items.end() ? nullptr : &*found;
}

// Two processes write the same text, and a person's own keys stay.
Json GatePatch(const std::string& uid, std::size_t gate, const std::string& version,
               bool has_annotations, int attempt) {
  const std::string place = "/spec/schedulingGates/" + std::to_string(gate);
  const std::string number = std::to_string(attempt);
  Json patch{{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid}},
             {{"op", "test"}, {"path", place + "/name"}, {"value", kWaitKey}},
             {{"op", "remove"}, {"path", place}}};
  if (has_annotations) {
    patch.push_back(
        {{"op", "add"}, {"path", "/metadata/annotations/ebb~1attempt"}, {"value", number}});
  } else {
    patch.push_back({{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", version}});
    patch.push_back({{"op", "add"},
                     {"path", "/metadata/annotations"},
                     {"value", {{std::string(kAttemptKey), number}}}});
  }
  return patch;
}

std::string UidOf(const std::string& key, int generation) {
  return generation == 0 ? key : key + kGenerationMark + std::to_string(generation);
}
std::string KeyOf(const std::string& uid) { return uid.substr(0, uid.find(kGenerationMark)); }

}  // namespace

PodGangs::PodGangs(ApiClient& client, std::function<bool(const PodOwner&)> is_released,
                   std::function<Duration()> now, std::function<void(const std::string&)> say,
                   PodGangOptions options)
    : client_(client),
      is_released_(std::move(is_released)),
      now_(std::move(now)),
      say_(std::move(say)),
      options_(std::move(options)) {}

PodGangs::~PodGangs() { *alive_ = false; }

// Pods ----------------------------------------------------------------------------------------

std::optional<PodGangs::Member> PodGangs::ReadMember(const JsonNode& pod) const {
  Member member;
  member.uid = TextAt(pod, "/metadata/uid");
  member.gate = GateOf(pod);
  // Most pods are not Ebb's.
  if (!member.gate && !members_.contains(member.uid) &&
      TextAt(pod, "/metadata/annotations/ebb~1attempt").empty())
    return std::nullopt;
  member.annotations = TextsAt(pod, "/metadata/annotations");
  member.attempt = CountAt(member.annotations, kAttemptKey);
  const auto created = ParseTime(TextAt(pod, "/metadata/creationTimestamp"));
  const JsonNode* spec = pod.Find("spec");
  if (!created || !spec) return std::nullopt;
  member.created = *created;
  member.name = TextAt(pod, "/metadata/name");
  member.version = TextAt(pod, "/metadata/resourceVersion");
  member.owner = {TextAt(pod, "/metadata/namespace"), TextsAt(pod, "/metadata/labels")};
  const std::string phase = TextAt(pod, "/status/phase");
  member.succeeded = phase == "Succeeded";
  member.ended = member.succeeded || phase == "Failed";
  member.deleting = !TextAt(pod, "/metadata/deletionTimestamp").empty();
  const auto& labels = member.owner.labels;
  member.size = std::max(CountAt(member.annotations, kGangSizeKey), CountAt(labels, kGangSizeKey));
  if (const auto found = member.annotations.find(kFirstCreatedKey);
      found != member.annotations.end())
    if (const auto first = ParseTime(found->second)) member.first_created = *first;
  AddPod(*spec, 1, member.requests);
  member.gang_name = member.name;
  member.gang = "pod/" + member.uid;
  if (const auto found = labels.find(kGangKey); found != labels.end()) {
    member.gang_name = found->second;
    member.gang = "gang/" + member.owner.name_space + "/" + found->second;
  } else if (const JsonNode* owner = OwnerOf(pod)) {
    member.gang_name = owner->TextOf("name");
    member.gang = "owner/" + owner->TextOf("uid");
  }
  return member;
}

void PodGangs::TakePod(const JsonNode& pod) {
  if (!options_.name_space.empty() && TextAt(pod, "/metadata/namespace") != options_.name_space)
    return;
  auto read = ReadMember(pod);
  if (!read) return;
  Member& known = members_[read->uid];
  if (!known.gang.empty() && known.gang != read->gang) Leave(known);
  read->removal = known.removal;
  known = *std::move(read);
  Gang& gang = gangs_[known.gang];
  gang.name = known.gang_name;
  gang.name_space = known.owner.name_space;
  gang.members[known.name + "/" + known.uid] = known.uid;
  changed_.insert(known.gang);
}

void PodGangs::Leave(const Member& member) {
  const auto gang = gangs_.find(member.gang);
  if (gang == gangs_.end()) return;
  gang->second.members.erase(member.name + "/" + member.uid);
  changed_.insert(member.gang);
}

void PodGangs::DropPod(const std::string& uid) {
  const auto found = members_.find(uid);
  if (found == members_.end()) return;
  const Member member = std::move(found->second);
  members_.erase(found);
  to_pass_.erase(uid);
  Leave(member);
  if (member.removal.awaited) CountDown(gangs_.at(member.gang), false, ApiAnswer{kNotFound, ""});
}

std::string PodGangs::GangOf(const std::string& pod_uid) const {
  const auto found = members_.find(pod_uid);
  return found == members_.end() ? "" : found->second.gang;
}

// Gangs ---------------------------------------------------------------------------------------

PodGangs::Counts PodGangs::CountsOf(const Gang& gang) const {
  Counts counts;
  for (const auto& [name, uid] : gang.members) {
    const Member& member = members_.at(uid);
    if (member.gate)
      counts.gated += member.deleting ? 0 : 1;
    else if (member.ended)
      ++counts.ended;
    else
      ++counts.running;
    counts.succeeded += member.succeeded ? 1 : 0;
  }
  return counts;
}

PodGangs::News PodGangs::TakeNews() {
  News news;
  // Removes gangs that have had no pod for so long that none will be made anew.
  for (const std::string& key : std::set(empty_)) {
    const Gang& gang = gangs_.at(key);
    const Duration patience = gang.released ? options_.runs_on_for : options_.waits_on_for;
    if (!gang.members.empty() || now_() < *gang.empty_since + patience) continue;
    if (gang.told) news.gone.push_back(UidOf(key, gang.generation));
    changed_.erase(key);
    empty_.erase(key);
    gangs_.erase(key);
  }
  for (const std::string& key : std::exchange(changed_, {})) Judge(key, gangs_.at(key), news);
  std::ranges::stable_sort(news.changed, {}, &GatedObject::created);
  return news;
}

void PodGangs::Judge(const std::string& key, Gang& gang, News& news) {
  Counts counts = CountsOf(gang);
  NoteEmpty(key, gang);
  if (gang.ended && counts.gated + counts.running > 0) {
    BeginAnew(key, gang, news);
    counts = CountsOf(gang);
  }
  if (gang.ended || (!gang.told && !gang.released && counts.gated + counts.running == 0)) return;
  Remember(gang, counts);
  gang.with_owner = gang.with_owner || (!gang.told && IsReleasedWithOwner(gang));
  if (gang.with_owner) return LetThrough(gang);
  // released by an earlier process, or by hand
  if (counts.running > 0) gang.released = true;
  if (gang.released) {
    gang.attempt = std::max(gang.attempt, 1);
    LetThrough(gang);
    gang.ended = counts.running + counts.gated == 0 && counts.ended > 0;
    gang.succeeded = counts.succeeded >= gang.size || counts.succeeded == counts.ended;
  }
  gang.told = true;
  news.changed.push_back(ObjectOf(key, gang, counts));
}

void PodGangs::NoteEmpty(const std::string& key, Gang& gang) {
  if (!gang.members.empty()) {
    gang.empty_since.reset();
    empty_.erase(key);
    return;
  }
  if (!gang.empty_since) gang.empty_since = now_();
  if (gang.ended) gang.empty_since = now_() - options_.waits_on_for;  // nothing is waited for
  empty_.insert(key);
}

// Remembers facts of its pods for the time when some of them are gone.
void PodGangs::Remember(Gang& gang, const Counts& counts) {
  if (counts.gated > 0) gang.size = 0;
  for (const auto& [name, uid] : gang.members) {
    const Member& member = members_.at(uid);
    if (member.ended) continue;
    const Time first = std::min(member.created, member.first_created.value_or(member.created));
    gang.first_created = std::min(gang.first_created.value_or(first), first);
    gang.attempt = std::max(gang.attempt, member.attempt);
    if (member.gate && !member.deleting) gang.size = std::max(gang.size, member.size);
  }
}

// After the end of a gang nothing counts any more, except how long failed work has waited.
void PodGangs::BeginAnew(const std::string& key, Gang& gang, News& news) {
  news.gone.push_back(UidOf(key, gang.generation++));
  std::erase_if(gang.members, [&](const auto& entry) {
    const bool ended = members_.at(entry.second).ended;
    if (ended) members_.erase(entry.second);
    return ended;
  });
  if (gang.succeeded) gang.first_created.reset();
  gang.released = gang.ended = gang.succeeded = gang.told = false;
  gang.attempt = gang.size = 0;
}

bool PodGangs::IsReleasedWithOwner(const Gang& gang) const {
  return std::ranges::any_of(gang.members, [&](const auto& entry) {
    return is_released_(members_.at(entry.second).owner);
  });
}

void PodGangs::LetThrough(Gang& gang) {
  if (options_.dry_run) return;
  for (const auto& [name, uid] : gang.members) {
    const Member& member = members_.at(uid);
    if (member.gate && !member.deleting && !member.removal.under_way) to_pass_.insert(uid);
  }
}

GatedObject PodGangs::ObjectOf(const std::string& key, const Gang& gang,
                               const Counts& counts) const {
  GatedObject object;
  object.kind = &PodGangKind();
  object.name = gang.name;
  object.name_space = gang.name_space;
  object.uid = UidOf(key, gang.generation);
  object.created = *gang.first_created;
  object.attempt = gang.attempt;
  object.pods = std::string(kGangLabel) + "=" + key;
  object.phase = gang.ended      ? gang.succeeded ? ObjectPhase::kSucceeded : ObjectPhase::kFailed
                 : gang.released ? ObjectPhase::kReleased
                                 : ObjectPhase::kSuspended;
  const int size = std::max(gang.size, 1);
  if (!gang.released && counts.gated < size)
    object.lacks = "waiting: " + std::to_string(counts.gated) + " of the " + std::to_string(size) +
                   " pods of its gang are there";
  std::map<std::string, std::string> texts;
  for (const auto& [name, uid] : gang.members) {
    const Member& member = members_.at(uid);
    if (member.ended || (member.gate && member.deleting)) continue;
    object.parts.push_back({member.name, member.uid, OursOf(member.annotations)});
    AddRequests(member.requests, object.requests);
    texts.insert(member.annotations.begin(), member.annotations.end());
  }
  object.width.why_not = "pods that a gate held back cannot be paused";
  ReadAnnotations(std::move(texts), options_.defaults, object);
  object.chosen = true;
  if (gang.size == 0 && !key.starts_with("pod/"))
    object.problems.push_back(std::string(kGangSizeKey) +
                              ": is not given, so that the pods that are there are the gang");
  if (std::exchange(object.job.checkpointable, false))
    object.problems.push_back(
        "ebb/checkpointable: a gate cannot be put back, so that pods that it "
        "held back cannot be paused");
  return object;
}

void PodGangs::PoliciesChanged() {
  for (const auto& [key, gang] : gangs_) changed_.insert(key);
}

void PodGangs::ClaimsChanged(const ClaimChanges& changes) {
  for (const auto& [uid, member] : members_)
    if (changes.Concern(member.owner.name_space, member.requests)) changed_.insert(member.gang);
}

// Gates ---------------------------------------------------------------------------------------

bool PodGangs::IsWhole(const std::string& uid) const {
  const auto found = gangs_.find(KeyOf(uid));
  return found != gangs_.end() && CountsOf(found->second).gated >= std::max(found->second.size, 1);
}

void PodGangs::Release(const std::string& uid, int attempt, ApiClient::Done done) {
  Gang& gang = gangs_.at(KeyOf(uid));
  const int attempt_before = std::exchange(gang.attempt, attempt);
  gang.released = true;
  gang.releasing = Releasing{std::move(done), attempt_before};
  for (const auto& [name, pod] : gang.members) {
    Member& member = members_.at(pod);
    if (!member.gate || member.removal.under_way) continue;
    member.removal.tries = 0;
    member.removal.awaited = true;
    ++gang.releasing->left;
  }
  for (const auto& [name, pod] : gang.members)
    if (Member& member = members_.at(pod); member.removal.awaited)
      RemoveGate(member, options_.late_release);
}

void PodGangs::Tick() {
  for (const std::string& uid : std::set(to_pass_)) {
    Member& member = members_.at(uid);
    if (!member.gate) to_pass_.erase(uid);
    if (!member.gate || member.removal.under_way || member.removal.due > now_()) continue;
    to_pass_.erase(uid);
    RemoveGate(member, kLateFollower);
  }
}

std::optional<Duration> PodGangs::NextDue() const {
  std::optional<Duration> due;
  const auto consider = [&](Duration at) { due = std::min(due.value_or(at), at); };
  for (const std::string& uid : to_pass_)
    if (const Member& member = members_.at(uid); !member.removal.under_way)
      consider(member.removal.due);
  for (const std::string& key : empty_) {
    const Gang& gang = gangs_.at(key);
    consider(*gang.empty_since + (gang.released ? options_.runs_on_for : options_.waits_on_for));
  }
  return due;
}

void PodGangs::RemoveGate(Member& member, Duration patience) {
  member.removal.under_way = true;
  const int attempt = std::max(gangs_.at(member.gang).attempt, 1);
  ApiClient::Change change;
  change.path = PodGangKind().ObjectPath(member.owner.name_space, member.name);
  change.content_type = "application/json-patch+json";
  change.body =
      GatePatch(member.uid, *member.gate, member.version, !member.annotations.empty(), attempt)
          .dump();
  change.key = member.uid + "/gate";
  change.patience = patience;
  client_.Make(std::move(change), [this, alive = alive_, uid = member.uid](const auto& answer) {
    if (*alive) TakeRemoved(uid, answer);
  });
}

// Status 422: the pod has changed since it was read.
void PodGangs::TakeRemoved(const std::string& uid, const Result<ApiAnswer>& answer) {
  const auto found = members_.find(uid);
  if (found == members_.end()) return;
  Removal& removal = found->second.removal;
  if (!answer) removal.unsure = answer.error();
  if (!answer || (answer->status == kUnprocessable && ++removal.tries < kMostTries))
    return ReadAgain(found->second);
  Settle(uid, answer);
}

void PodGangs::ReadAgain(const Member& member) {
  ApiClient::Change question;
  question.method = "GET";
  question.path = PodGangKind().SelectPath(member.owner.name_space, member.name);
  question.key = member.uid + "/gate";
  client_.Make(std::move(question), [this, alive = alive_, uid = member.uid](const auto& answer) {
    if (*alive) TakeRead(uid, answer);
  });
}

void PodGangs::TakeRead(const std::string& uid, const Result<ApiAnswer>& answer) {
  if (const auto known = members_.find(uid); known == members_.end()) return;
  const auto unsure = std::exchange(members_.at(uid).removal.unsure, std::nullopt);
  if (!answer || answer->status != kOk) return Settle(uid, answer);
  const auto list = ParseJson(answer->body, "pods");
  if (const JsonNode* items = list ? list->Find("items") : nullptr)
    for (const JsonNode& pod : items->items)
      if (TextAt(pod, "/metadata/uid") == uid) TakePod(pod);
  const auto found = members_.find(uid);
  // Somebody has removed the gate, or the pod.
  if (found == members_.end() || !found->second.gate) return Settle(uid, answer);
  if (unsure) return Settle(uid, Fail(*unsure));
  RemoveGate(found->second, options_.late_release);
}

void PodGangs::Settle(const std::string& uid, const Result<ApiAnswer>& answer) {
  const bool done = answer && (answer->status == kOk || answer->status == kNotFound);
  const auto found = members_.find(uid);
  if (found == members_.end()) return;
  Member& member = found->second;
  member.removal.under_way = false;
  if (done)
    member.gate.reset();
  else
    member.removal.due = now_() + options_.again_after;
  Gang& gang = gangs_.at(member.gang);
  changed_.insert(member.gang);
  if (!done)
    say_(gang.name_space + "/" + member.name + ": its gate cannot be removed: " +
         (answer ? MessageOf(answer->status, answer->body) : answer.error().Message()));
  if (std::exchange(member.removal.awaited, false)) CountDown(gang, done, answer);
}

void PodGangs::CountDown(Gang& gang, bool done, const Result<ApiAnswer>& answer) {
  gang.releasing->any = gang.releasing->any || done;
  if (--gang.releasing->left > 0) return;
  const Releasing released = *std::exchange(gang.releasing, std::nullopt);
  if (!released.any) {
    gang.released = false;
    gang.attempt = released.attempt_before;
  }
  released.done(released.any ? Result<ApiAnswer>(ApiAnswer{kOk, ""}) : answer);
}

}  // namespace ebb::kubernetes
