#include "kubernetes/reconciler/object_notes.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/times_in_text.h"
#include "engine/decision.h"
#include "kubernetes/gates/pod_gang.h"

namespace ebb::kubernetes {
namespace {

constexpr const char* kStageKey = "ebb/stage";
constexpr const char* kReasonKey = "ebb/reason";
constexpr const char* kExpectedStartKey = "ebb/expected-start";
constexpr const char* kClusterKey = "ebb/cluster";
constexpr const char* kAtSubmissionKey = "ebb/intensity-at-submission";
constexpr const char* kAtStartKey = "ebb/intensity-at-start";

std::string WrittenAt(const ObjectPart& part, const std::string& key) {
  const auto found = part.written.find(key);
  return found == part.written.end() ? "" : found->second;
}

// Annotations of a gang are on its first pod.
std::string WrittenOn(const GatedObject* object, const std::string& key) {
  return !object || object->parts.empty() ? "" : WrittenAt(object->parts.front(), key);
}

std::set<std::string> UidsOf(const std::vector<ObjectPart>& parts) {
  std::set<std::string> uids;
  for (const ObjectPart& part : parts) uids.insert(part.uid);
  return uids;
}

// The Event for a stage; for other stages the cluster has Events of its own.
std::optional<EventReason> ReasonOf(const std::string& stage) {
  if (stage == "waiting") return EventReason::kWaiting;
  if (stage == "starting") return EventReason::kReleased;
  if (stage == "paused") return EventReason::kPaused;
  if (stage == "refused") return EventReason::kRefused;
  return std::nullopt;
}

}  // namespace

// Notes in force --------------------------------------------------------------------------------

void ObjectNotes::Put(const GatedObject& object, ObjectNote note) {
  Record& record = records_[object.uid];
  note.reason = InUtc(note.reason);
  record.wanted = std::move(note);
  TellStage(object, record);
  if (record.wanted != record.noted) due_.insert(object.uid);
}

void ObjectNotes::PutNews(const GatedObject& object, ObjectNote note) {
  Record& record = records_[object.uid];
  if (record.wanted.reason == InUtc(note.reason)) return;
  record.noted = {};
  Put(object, std::move(note));
}

void ObjectNotes::WriteAgain(const std::string& uid) {
  const auto found = records_.find(uid);
  if (found == records_.end()) return;
  found->second.noted = {};
  if (found->second.wanted != ObjectNote{}) due_.insert(uid);
}

void ObjectNotes::Forget(const std::string& uid) {
  const auto found = records_.find(uid);
  if (found != records_.end()) found->second.noted = found->second.wanted = {};
}

void ObjectNotes::Remove(const GatedObject& object) {
  due_.erase(object.uid);
  records_.erase(object.uid);
  const GatedObject* told = ToldOn(object);
  if (!told) return;
  for (const ObjectPart& part : told->parts)
    Annotate(*told, part,
             {{kStageKey, ""}, {kReasonKey, ""}, {kExpectedStartKey, ""}, {kClusterKey, ""}});
}

void ObjectNotes::Drop(const GatedObject& object) {
  for (const ObjectPart& part : object.parts) ports_.recorder.Drop(part.uid);
  due_.erase(object.uid);
  records_.erase(object.uid);
}

void ObjectNotes::FollowParts(const GatedObject& object, const std::vector<ObjectPart>& before) {
  const std::set<std::string> now = UidsOf(object.parts);
  if (now == UidsOf(before)) return;
  for (const ObjectPart& part : before)
    if (!now.contains(part.uid)) ports_.recorder.Drop(part.uid);
  WriteAgain(object.uid);
}

const ObjectNote* ObjectNotes::Of(const std::string& uid) const {
  const auto found = records_.find(uid);
  const bool has_one = found != records_.end() && !found->second.wanted.stage.empty();
  return has_one ? &found->second.wanted : nullptr;
}

// Events ---------------------------------------------------------------------------------------

// People look at the object that Kueue made the Workload for; the answer to Kueue has the same
// text.
const GatedObject* ObjectNotes::ToldOn(const GatedObject& object) const {
  return object.by_kueue ? ports_.find(object.made_for) : &object;
}

void ObjectNotes::Tell(const GatedObject& object, EventReason reason, const std::string& message,
                       const std::optional<std::string>& told_before) {
  if (ports_.dry_run && reason != EventReason::kBadAnnotation) reason = EventReason::kDryRun;
  const GatedObject* told = ToldOn(object);
  if (!told) return;
  const auto before = told_before ? std::optional(InUtc(*told_before)) : std::nullopt;
  for (const ObjectPart& part : told->parts)
    ports_.recorder.Tell({told->kind->ApiVersion(), std::string(told->kind->kind), told->name_space,
                          part.name, part.uid},
                         reason, InUtc(message), before);
}

void ObjectNotes::Say(const GatedObject& object, EventReason reason, const std::string& message) {
  ports_.say(object.job.name + ": " + message);
  Tell(object, reason, message);
}

void ObjectNotes::TellProblems(const GatedObject& object, const std::vector<std::string>& before) {
  for (const std::string& problem : object.problems)
    if (std::ranges::count(before, problem) == 0) ports_.say(object.job.name + ": " + problem);
  const GatedObject* told = ToldOn(object);
  const std::string problems = Join(object.problems, "; ");
  const bool told_before = !WrittenOn(told, kStageKey).empty() && before.empty();
  if (!object.problems.empty())
    Tell(object, EventReason::kBadAnnotation, problems,
         told_before ? std::optional(problems) : std::nullopt);
  else if (told && !before.empty())
    for (const ObjectPart& part : told->parts)
      ports_.recorder.Rest(part.uid, EventReason::kBadAnnotation);
}

void ObjectNotes::TellStage(const GatedObject& object, const Record& record) {
  const auto reason = ReasonOf(record.wanted.stage);
  const GatedObject* told = ToldOn(object);
  if (!told) return;
  if (!reason) {
    for (const ObjectPart& part : told->parts) ports_.recorder.Rest(part.uid);
    return;
  }
  const bool told_before =
      record.noted.stage.empty() && WrittenOn(told, kStageKey) == record.wanted.stage;
  Tell(object, *reason, record.wanted.reason,
       told_before ? std::optional(WrittenOn(told, kReasonKey)) : std::nullopt);
}

// Annotations ----------------------------------------------------------------------------------

void ObjectNotes::Tick() {
  const Duration now = ports_.since_boot();
  for (auto uid = due_.begin(); uid != due_.end();) {
    Record& record = records_.at(*uid);
    if (!record.is_news() && now < record.noted_at + ports_.every) {
      ++uid;
      continue;
    }
    record.noted_at = now;
    if (const GatedObject* object = ports_.find(*uid)) Write(*object, record);
    uid = due_.erase(uid);
  }
}

std::optional<Duration> ObjectNotes::NextDue() const {
  std::optional<Duration> due;
  for (const std::string& uid : due_) {
    const Record& record = records_.at(uid);
    const Duration at = record.is_news() ? Duration::zero() : record.noted_at + ports_.every;
    if (!due || at < *due) due = at;
  }
  return due;
}

void ObjectNotes::Write(const GatedObject& object, Record& record) {
  record.noted = record.wanted;
  const GatedObject* told = ToldOn(object);
  if (!told) return;
  const std::string starting(engine::Name(engine::Stage::kStarting));
  std::map<std::string, std::string> note{
      {kStageKey, ports_.is_awaited(object.uid) ? starting : record.noted.stage},
      {kReasonKey, record.noted.reason},
      {kExpectedStartKey, record.noted.expected_start},
      {kClusterKey, record.noted.cluster}};
  if (told->is_gang()) note[kFirstCreatedKey] = FormatTime(told->created);
  const std::map<std::string, std::string> firsts{{kAtSubmissionKey, record.noted.at_submission},
                                                  {kAtStartKey, record.noted.at_start}};
  for (const ObjectPart& part : told->parts) {
    for (const auto& [key, text] : firsts) {
      const std::string before = WrittenAt(part, key);
      if (!before.empty() || !text.empty()) note[key] = before.empty() ? text : before;
    }
    // Compares with the annotations that another process left.
    const bool is_there = std::ranges::all_of(
        note, [&](const auto& text) { return WrittenAt(part, text.first) == text.second; });
    if (is_there) continue;
    ++written_;
    Annotate(*told, part, note);
  }
}

void ObjectNotes::WriteFigures(const std::string& uid,
                               const std::map<std::string, std::string>& figures) {
  WriteFiguresAs("/figures", uid, figures);
}

void ObjectNotes::WriteOverhead(const std::string& uid,
                                const std::map<std::string, std::string>& figures) {
  WriteFiguresAs("/overhead", uid, figures);
}

void ObjectNotes::WriteFiguresAs(const char* what, const std::string& uid,
                                 const std::map<std::string, std::string>& figures) {
  const GatedObject* object = ports_.find(uid);
  const GatedObject* told = object ? ToldOn(*object) : nullptr;
  if (!told) return;
  std::map<std::string, std::string> annotations;
  for (const auto& [key, text] : figures) annotations[std::string(kPrefix) + key] = text;
  for (const ObjectPart& part : told->parts) Annotate(*told, part, annotations, what);
}

std::string ObjectNotes::Written(const std::string& uid, const std::string& key) const {
  const GatedObject* object = ports_.find(uid);
  return object ? WrittenOn(ToldOn(*object), std::string(kPrefix) + key) : "";
}

void ObjectNotes::Annotate(const GatedObject& object, const ObjectPart& part,
                           const std::map<std::string, std::string>& annotations,
                           const char* what) {
  ports_.client.Make({.path = object.kind->ObjectPath(object.name_space, part.name),
                      .body = MergePatch(*object.kind, std::nullopt, annotations),
                      .key = part.uid + what,
                      .urgent = false},
                     [](const Result<ApiAnswer>&) {});
}

}  // namespace ebb::kubernetes
