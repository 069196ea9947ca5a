#include "kubernetes/api/event_recorder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubernetes/api/json_reading.h"
#include "platform/digest.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr int kOk = 200, kCreated = 201, kNotFound = 404, kConflict = 409;
constexpr std::size_t kMostOfAName = 200, kDigits = 16, kMostOfAMessage = 1024;
constexpr const char* kComponent = "ebb-controller";
// An Event that cannot be sent for this long is sent with the next change.
constexpr std::chrono::minutes kPatience{1};

// Reasons that hold until another one is told of the object.
bool GoesOn(EventReason reason) {
  return reason == EventReason::kWaiting || reason == EventReason::kPaused ||
         reason == EventReason::kRefused || reason == EventReason::kDryRun ||
         reason == EventReason::kBadPolicy || reason == EventReason::kBadAnnotation;
}

// Reasons that are told independently of the others.
bool IsBeside(EventReason reason) {
  return reason == EventReason::kNodeStarts || reason == EventReason::kNoNode ||
         reason == EventReason::kBudgetUsedUp || reason == EventReason::kBadAnnotation;
}

bool IsWarning(EventReason reason) {
  return reason == EventReason::kRefused || reason == EventReason::kBadPolicy ||
         reason == EventReason::kNoNode || reason == EventReason::kBudgetUsedUp ||
         reason == EventReason::kBadAnnotation;
}

// A time in the format of Kubernetes' Time.
std::string TimeText(Time time) {
  return FormatTime(std::chrono::floor<std::chrono::seconds>(time));
}

std::string Folder(const EventSubject& subject) {
  return "/api/v1/namespaces/" + subject.name_space + "/events";
}

Json NewEvent(const EventSubject& subject, EventReason reason) {
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"name", EventName(subject, reason)}, {"namespace", subject.name_space}}},
          {"involvedObject",
           {{"apiVersion", subject.api_version},
            {"kind", subject.kind},
            {"namespace", subject.name_space},
            {"name", subject.name},
            {"uid", subject.uid}}},
          {"reason", Name(reason)},
          {"type", IsWarning(reason) ? "Warning" : "Normal"},
          {"source", {{"component", kComponent}}},
          {"reportingComponent", kComponent}};
}

}  // namespace

std::string_view Name(EventReason reason) {
  constexpr std::array<std::string_view, 13> kNames{
      "Waiting", "Released",     "Paused",          "Refused",   "HeldBackByAnother",
      "LetGo",   "DryRun",       "PoliciesInForce", "BadPolicy", "NodeStarts",
      "NoNode",  "BudgetUsedUp", "BadAnnotation"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string EventName(const EventSubject& subject, EventReason reason) {
  const std::string digits =
      platform::Sha256Hex(subject.uid + "/" + std::string(Name(reason))).substr(0, kDigits);
  return subject.name.substr(0, kMostOfAName) + "." + digits;
}

EventRecorder::EventRecorder(ApiClient& client, std::function<Time()> now,
                             std::function<Duration()> since_boot,
                             std::function<void(const std::string&)> say, EventOptions options)
    : client_(client),
      now_(std::move(now)),
      since_boot_(std::move(since_boot)),
      say_(std::move(say)),
      options_(options),
      bucket_(options.rate),
      random_(options.seed) {}

EventRecorder::~EventRecorder() { *alive_ = false; }

// Events -----------------------------------------------------------------------------------------

EventRecorder::Record& EventRecorder::RecordOf(Told& told, EventReason reason) {
  return told.records[static_cast<std::size_t>(reason)];
}

EventRecorder::Record* EventRecorder::Find(const std::string& uid, EventReason reason) {
  const auto found = told_.find(uid);
  return found == told_.end() ? nullptr : &RecordOf(found->second, reason);
}

void EventRecorder::Schedule(const std::string& uid, EventReason reason, Record& record,
                             std::optional<Duration> due) {
  if (record.due) due_.erase({*record.due, uid, reason});
  record.due = due;
  if (due) due_.insert({*due, uid, reason});
}

void EventRecorder::Tell(const EventSubject& subject, EventReason reason,
                         const std::string& message,
                         const std::optional<std::string>& told_before) {
  Told& told = told_[subject.uid];
  told.subject = subject;
  Record& record = RecordOf(told, reason);
  const bool is_beside = IsBeside(reason);
  const bool is_news =
      !record.used || (is_beside ? record.message != message : told.holds != reason);
  record.message = message;
  if (!is_beside && told.holds && told.holds != reason) Rest(subject.uid, *told.holds);
  if (!is_beside) told.holds = reason;
  record.holds = GoesOn(reason);
  if (!is_news) return ScheduleOtherWords(subject.uid, reason, record);
  const Duration now = since_boot_();
  if (told_before && !record.used) {
    record.used = record.exists = true;
    record.told = *told_before;
    if (message == record.told) return;
    // The last time is unknown and may be long ago. Those of many objects are sent one after
    // another.
    const Duration at_least = options_.again_after / 6;
    const auto more = static_cast<std::uint64_t>(at_least.count());
    const Duration scattered{static_cast<std::int64_t>(random_.Below(more + 1))};
    return Schedule(subject.uid, reason, record, now + at_least + scattered);
  }
  const Duration earliest = record.used ? record.sent_at + options_.at_least : now;
  record.used = true;
  Schedule(subject.uid, reason, record, std::max(now, earliest));
}

void EventRecorder::ScheduleOtherWords(const std::string& uid, EventReason reason, Record& record) {
  if (!record.holds || record.due || record.under_way || record.message == record.told) return;
  Schedule(uid, reason, record, std::max(since_boot_(), record.sent_at + options_.again_after));
}

void EventRecorder::Rest(const std::string& uid, EventReason reason) {
  Record* record = Find(uid, reason);
  if (!record || !std::exchange(record->holds, false)) return;
  record->message.clear();
  Schedule(uid, reason, *record, std::nullopt);
}

void EventRecorder::Rest(const std::string& uid) {
  const auto found = told_.find(uid);
  if (found == told_.end() || !found->second.holds) return;
  Rest(uid, *std::exchange(found->second.holds, std::nullopt));
}

void EventRecorder::Drop(const std::string& uid) {
  const auto found = told_.find(uid);
  if (found == told_.end()) return;
  for (std::size_t i = 0; i < kReasons; ++i)
    Schedule(uid, static_cast<EventReason>(i), found->second.records[i], std::nullopt);
  told_.erase(found);
}

// Requests ---------------------------------------------------------------------------------------

void EventRecorder::Tick() {
  while (!due_.empty() && due_.begin()->at <= since_boot_()) {
    if (!has_token_) next_token_ = since_boot_() + bucket_.Take(Time{} + since_boot_());
    has_token_ = true;
    if (next_token_ > since_boot_()) return;
    has_token_ = false;
    const Due next = *due_.begin();
    Told& told = told_.at(next.uid);
    Schedule(next.uid, next.reason, RecordOf(told, next.reason), std::nullopt);
    Send(told, next.reason);
  }
}

std::optional<Duration> EventRecorder::NextDue() const {
  if (due_.empty()) return std::nullopt;
  return has_token_ ? std::max(due_.begin()->at, next_token_) : due_.begin()->at;
}

void EventRecorder::Send(Told& told, EventReason reason) {
  Record& record = RecordOf(told, reason);
  const EventSubject& subject = told.subject;
  if (record.under_way) {
    Schedule(subject.uid, reason, record, since_boot_() + options_.at_least);
    return;
  }
  record.under_way = true;
  record.sent_at = since_boot_();
  record.told = record.message;
  const Time now = now_();
  const bool is_new = !record.exists;
  Json event = is_new ? NewEvent(subject, reason) : Json::object();
  event["message"] = record.message.substr(0, kMostOfAMessage);
  event["lastTimestamp"] = TimeText(now);
  // The answer contains the count of another process.
  if (is_new || record.count > 0) event["count"] = ++record.count;
  if (is_new && !record.first) record.first = now;
  if (is_new) event["firstTimestamp"] = TimeText(*record.first);
  ApiClient::Change change;
  change.method = is_new ? "POST" : "PATCH";
  change.path = Folder(subject) + (is_new ? "" : "/" + EventName(subject, reason));
  if (is_new) change.content_type = "application/json";
  change.body = event.dump(-1, ' ', false, Json::error_handler_t::replace);
  change.key = subject.uid + "/event/" + std::string(Name(reason));
  change.urgent = false;
  change.patience = kPatience;
  client_.Make(std::move(change), [this, alive = alive_, uid = subject.uid, reason,
                                   is_new](const Result<ApiAnswer>& answer) {
    if (*alive) TakeAnswer(uid, reason, is_new, answer);
  });
}

void EventRecorder::TakeAnswer(const std::string& uid, EventReason reason, bool was_new,
                               const Result<ApiAnswer>& answer) {
  Record* record = Find(uid, reason);
  if (!record) return;
  record->under_way = false;
  const bool is_there = was_new && answer && answer->status == kConflict;
  const bool is_gone = !was_new && answer && answer->status == kNotFound;
  if (is_there || is_gone) {
    record->exists = is_there;
    if (is_there) record->count = 0;  // an earlier process has counted more
    return Schedule(uid, reason, *record, since_boot_());
  }
  if (answer && (answer->status == kOk || answer->status == kCreated)) {
    record->exists = true;
    if (record->count == 0)
      if (const auto event = ParseJson(answer->body, "event"))
        record->count = NumberAt(*event, "/count").value_or(0) + 1;
  } else {
    Say("Events cannot be written: " +
        (answer ? MessageOf(answer->status, answer->body) : answer.error().Message()));
  }
  ScheduleOtherWords(uid, reason, *record);
}

void EventRecorder::Say(const std::string& what) {
  if (std::exchange(said_, what) != what) say_(what);
}

}  // namespace ebb::kubernetes
