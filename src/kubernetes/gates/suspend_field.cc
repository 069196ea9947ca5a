#include "kubernetes/gates/suspend_field.h"

#include <map>
#include <utility>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kOk = 200, kConflict = 409;

std::string KeyOf(const std::string& uid) { return uid + "/suspend"; }

std::map<std::string, std::string> AttemptNote(int attempt) {
  if (attempt <= 0) return {};
  return {{std::string(kAttemptKey), std::to_string(attempt)}};
}

std::int64_t AttemptOf(const JsonNode& object) {
  return ParseInteger(TextAt(object, "/metadata/annotations/ebb~1attempt")).value_or(0);
}

}  // namespace

void SuspendField::Hold(const GatedObject& object, int attempt, ApiClient::Done done) {
  client_.Make({.path = object.Path(),
                .body = MergePatch(*object.kind, true, AttemptNote(attempt)),
                .key = KeyOf(object.uid),
                .patience = std::chrono::hours{24 * 365}},
               std::move(done));
}

void SuspendField::WriteAttempt(const GatedObject& object, int attempt) {
  client_.Make({.path = object.Path(),
                .body = MergePatch(*object.kind, std::nullopt, AttemptNote(attempt)),
                .key = KeyOf(object.uid)},
               [](const Result<ApiAnswer>&) {});
}

bool SuspendField::Avoid(const GatedObject& object, const std::vector<std::string>& models,
                         ApiClient::Done done) {
  ApiClient::Change change;
  change.body = AvoidModels(object.templates, models, object.uid, object.version);
  if (change.body.empty()) return false;
  change.path = object.Path();
  change.content_type = "application/json-patch+json";
  change.key = object.uid + "/affinity";
  client_.Make(std::move(change), std::move(done));
  return true;
}

void SuspendField::Release(const GatedObject& object, int attempt, int devices,
                           ApiClient::Done done) {
  // The patch of an object without annotations would remove those that came meanwhile.
  const bool is_exact = devices != object.width.now && !object.width.has_annotations;
  Try(std::make_shared<Asked>(Asked{object.kind, object.name_space, object.name, object.uid,
                                    attempt, object.width, devices, since_boot_(),
                                    std::move(done)}),
      is_exact ? object.version : "");
}

// A release at another width is one request: the object is never seen with one and without the
// other.
void SuspendField::FillIn(const Asked& asked, const std::string& version,
                          ApiClient::Change& change) {
  if (asked.devices == asked.width.now) {
    change.body = MergePatch(*asked.kind, false, AttemptNote(asked.attempt), version);
    return;
  }
  change.content_type = "application/json-patch+json";
  change.body =
      WidthPatch(*asked.kind, asked.width, asked.devices, AttemptNote(asked.attempt), version);
}

bool SuspendField::TakeBack(const std::string& uid) { return client_.TakeBack(KeyOf(uid)); }

// `version`: the version that was looked at; empty: any version.
void SuspendField::Try(const std::shared_ptr<Asked>& asked, const std::string& version) {
  ApiClient::Change change;
  change.path = asked->kind->ObjectPath(asked->name_space, asked->name);
  FillIn(*asked, version, change);
  change.key = KeyOf(asked->uid);
  change.at_most_once = true;
  change.failures = asked->tries++;
  change.patience = late_release_;
  client_.Make(std::move(change),
               [this, asked](const Result<ApiAnswer>& answer) { Tried(asked, answer); });
}

void SuspendField::Tried(const std::shared_ptr<Asked>& asked, const Result<ApiAnswer>& answer) {
  const bool is_unsure = !answer || answer->status == kConflict;
  if (!is_unsure) return asked->done(answer);
  if (!client_.IsWaiting(KeyOf(asked->uid))) Look(asked, answer);  // else it is held meanwhile
}

void SuspendField::Look(const std::shared_ptr<Asked>& asked, const Result<ApiAnswer>& before) {
  ApiClient::Change question;
  question.method = "GET";
  question.path = asked->kind->SelectPath(asked->name_space, asked->name);
  question.key = KeyOf(asked->uid);
  client_.Make(std::move(question), [this, asked, before](const Result<ApiAnswer>& answer) {
    Looked(asked, before, answer);
  });
}

void SuspendField::Looked(const std::shared_ptr<Asked>& asked, const Result<ApiAnswer>& before,
                          const Result<ApiAnswer>& answer) {
  if (!answer || answer->status != kOk) return asked->done(answer);
  const auto list = ParseJson(answer->body, "objects");
  const JsonNode* object = nullptr;
  if (const JsonNode* items = list ? list->Find("items") : nullptr)
    for (const JsonNode& item : items->items)
      if (TextAt(item, "/metadata/uid") == asked->uid) object = &item;
  // The object is gone, which is reported elsewhere, or it was released.
  if (!object || AttemptOf(*object) >= asked->attempt) return asked->done(answer);
  if (since_boot_() - asked->since >= late_release_) return asked->done(before);
  asked->width.has_annotations = object->At("/metadata/annotations") != nullptr;
  Try(asked, TextAt(*object, "/metadata/resourceVersion"));
}

}  // namespace ebb::kubernetes
