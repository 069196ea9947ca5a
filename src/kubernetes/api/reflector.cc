#include "kubernetes/api/reflector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr int kForbiddenWaitsLonger = 10;
constexpr int kOk = 200, kBadRequest = 400, kForbidden = 403, kNotFound = 404, kGone = 410;
// The server ends a watch in time; a watch that hangs is ended here after this additional time.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::minutes kLookForAbsent{5};
constexpr const char* kInitialEventsEnd = "/metadata/annotations/k8s.io~1initial-events-end";

// A path may select objects by a query of its own.
std::string WithQuery(const std::string& path, const std::string& query) {
  return path + (path.find('?') == std::string::npos ? "?" : "&") + query;
}

}  // namespace

Reflector::Reflector(ApiClient& client, std::string path, std::function<Duration()> now,
                     ReflectorEvents events, ReflectorOptions options)
    : client_(client),
      path_(std::move(path)),
      now_(std::move(now)),
      events_(std::move(events)),
      options_(options),
      random_(SeedFor(options.seed, std::hash<std::string>{}(path_))) {}

Reflector::~Reflector() {
  *alive_ = false;
  if (watch_) client_.StopWatch(watch_);
}

void Reflector::Tick() {
  if (phase_ != Phase::kIdle || now_() < due_) return;
  if (!version_.empty()) return Watch(false);
  seen_.clear();
  if (streams_lists_) return Watch(true);
  List("");
}

std::optional<Duration> Reflector::NextDue() const {
  return phase_ == Phase::kIdle ? std::optional(due_) : std::nullopt;
}

// Lists --------------------------------------------------------------------------------------

void Reflector::List(const std::string& token) {
  phase_ = Phase::kListing;
  if (token.empty()) ++counts_.lists;
  client_.Get(WithQuery(path_, "limit=" + std::to_string(options_.page)) +
                  (token.empty() ? "" : "&continue=" + token),
              [this, alive = alive_](const Result<ApiAnswer>& answer) {
                if (*alive) TakePage(answer);
              });
}

void Reflector::TakePage(const Result<ApiAnswer>& answer) {
  phase_ = Phase::kIdle;
  if (!answer) return Failed(answer.error().Message());
  if (answer->status == kGone) return ListAgain();  // the pages took too long
  if (answer->status != kOk) return Failed(MessageOf(answer->status, answer->body), answer->status);
  const auto page = ParseJson(answer->body, path_);
  const JsonNode* items = page ? page->Find("items") : nullptr;
  const std::string version = page ? TextAt(*page, "/metadata/resourceVersion") : "";
  // An empty list may come as null.
  if (version.empty() || !items) return Failed("the answer is not a list");
  for (const JsonNode& object : items->items) TakeObject(object);
  const std::string token = TextAt(*page, "/metadata/continue");
  if (!token.empty()) return List(token);
  version_ = version;
  EndOfList();
  Worked();
}

// Reports objects that the server had before and has no more.
void Reflector::EndOfList() {
  std::vector<std::string> gone;
  for (const auto& [uid, version] : known_)
    if (!seen_.contains(uid)) gone.push_back(uid);
  for (const std::string& uid : gone) {
    known_.erase(uid);
    events_.on_gone(uid);
  }
  seen_.clear();
  synced_ = true;
}

void Reflector::TakeObject(const JsonNode& object) {
  const std::string uid = TextAt(object, "/metadata/uid");
  if (uid.empty()) return;
  if (IsListing()) seen_.insert(uid);
  std::string version = TextAt(object, "/metadata/resourceVersion");
  std::string& known = known_[uid];
  if (known == version && !version.empty()) return;
  known = std::move(version);
  events_.on_object(object);
}

void Reflector::ListAgain() {
  version_.clear();
  due_ = now_() + Duration{static_cast<std::int64_t>(
                      random_.Below(static_cast<std::uint64_t>(options_.first_wait.count()) + 1))};
}

// Watches ------------------------------------------------------------------------------------

void Reflector::Watch(bool from_the_beginning) {
  phase_ = Phase::kWatching;
  in_stream_ = from_the_beginning;
  restart_ = false;
  watch_began_ = now_();
  ++counts_.watches;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.watch_for).count();
  const std::string path =
      WithQuery(path_, "watch=true&allowWatchBookmarks=true&timeoutSeconds=") +
      std::to_string(seconds) +
      (from_the_beginning ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                          : "&resourceVersion=" + version_);
  watch_ = client_.Watch(
      path, options_.watch_for + kPatience,
      {[this, alive = alive_](int status) {
         if (*alive && status == kOk && !in_stream_) Worked();
       },
       [this, alive = alive_](std::string_view line) { return *alive && TakeLine(line); },
       [this, alive = alive_](const Result<ApiAnswer>& answer) {
         if (*alive) TakeWatchEnd(answer);
       }});
}

// A line that is not an event is ignored: a server may answer anything while it starts.
bool Reflector::TakeLine(std::string_view line) {
  const auto parsed = ParseJson(line, path_);
  if (!parsed || !parsed->Find("object")) return true;
  const JsonNode& event = *parsed;
  const std::string type = event.TextOf("type");
  if (type == "ERROR") {
    const int code = static_cast<int>(NumberAt(event, "/object/code").value_or(0));
    // The server's store cannot stream lists, or the version is too old.
    if (in_stream_) streams_lists_ = false;
    restart_ = in_stream_ || code == kGone;
    error_ = "error " + std::to_string(code) + " in a watch: " + TextAt(event, "/object/message");
    return false;
  }
  TakeEvent(event);
  return true;
}

void Reflector::TakeEvent(const JsonNode& event) {
  const std::string type = event.TextOf("type");
  const JsonNode& object = *event.Find("object");
  if (const std::string version = TextAt(object, "/metadata/resourceVersion");
      !version.empty() && !in_stream_)
    version_ = version;
  if (type == "BOOKMARK") return TakeBookmark(object);
  if (type != "DELETED") {
    TakeObject(object);
    Worked();
    return;
  }
  const std::string uid = TextAt(object, "/metadata/uid");
  if (known_.erase(uid) > 0) events_.on_gone(uid);
}

void Reflector::TakeBookmark(const JsonNode& object) {
  if (!in_stream_ || TextAt(object, kInitialEventsEnd) != "true") return;
  in_stream_ = false;
  version_ = TextAt(object, "/metadata/resourceVersion");
  EndOfList();
  Worked();
}

void Reflector::TakeWatchEnd(const Result<ApiAnswer>& answer) {
  phase_ = Phase::kIdle;
  watch_ = 0;
  const bool was_in_stream = std::exchange(in_stream_, false);
  const std::string error = std::exchange(error_, {});
  if (std::exchange(restart_, false)) return ListAgain();
  if (!error.empty()) {
    version_.clear();
    return Failed(error);
  }
  if (answer && answer->status == kGone) return ListAgain();
  if (answer && answer->status == kOk) {
    // A watch that the server ends at once is not repeated at once.
    due_ = std::max(now_(), watch_began_ + options_.first_wait);
    return;
  }
  // A server that does not know the parameters answers with one of these.
  if (was_in_stream && answer && answer->status >= kBadRequest && answer->status != kForbidden &&
      answer->status != kNotFound && answer->status < 429) {
    streams_lists_ = false;
    due_ = now_();
    return;
  }
  if (!answer) return Failed(answer.error().Message());
  Failed(MessageOf(answer->status, answer->body), answer->status);
}

// Both ---------------------------------------------------------------------------------------

void Reflector::Failed(const std::string& why, int status) {
  phase_ = Phase::kIdle;
  ++counts_.failures;
  absent_ = status == kNotFound;
  if (absent_) {
    due_ = now_() + kLookForAbsent;
    seen_.clear();
    version_.clear();
    return EndOfList();
  }
  if (!away_since_) away_since_ = now_();
  // A server that is away comes back by itself. A missing right must be given by somebody.
  const Duration longest =
      options_.longest_wait * (status == kForbidden ? kForbiddenWaitsLonger : 1);
  const Duration whole =
      std::min(options_.first_wait * (std::int64_t{1} << std::min(failures_++, 20)), longest);
  due_ = now_() + whole / 2 +
         Duration{static_cast<std::int64_t>(
             random_.Below(static_cast<std::uint64_t>(whole.count() / 2 + 1)))};
  if (std::exchange(said_, why) != why) events_.say(path_ + ": " + why);
}

void Reflector::Worked() {
  absent_ = false;
  failures_ = 0;
  away_since_.reset();
  said_.clear();
}

}  // namespace ebb::kubernetes
