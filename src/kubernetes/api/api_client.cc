#include "kubernetes/api/api_client.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ebb::kubernetes {
namespace {

constexpr int kUnauthorized = 401, kTimeout = 408, kConflict = 409, kTooMany = 429,
              kServerErrors = 500;
constexpr std::size_t kMostOfAnAnswer = 64 << 20, kMostOfALine = 8 << 20;

// A later answer may differ, also while a token is being replaced. But a creation that failed
// because the object exists will fail again.
bool IsWorthRepeating(const std::string& method, int status) {
  return status == kUnauthorized || status == kTimeout || status == kTooMany ||
         status >= kServerErrors || (status == kConflict && method != "POST");
}

std::optional<Duration> RetryAfter(const std::map<std::string, std::string>& headers) {
  const auto found = headers.find("retry-after");
  if (found == headers.end()) return std::nullopt;
  const auto seconds = ParseInteger(found->second);
  if (!seconds || *seconds < 0 || *seconds > 3600) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

// Joins the pieces of an answer.
struct Body {
  std::string text;
  bool Take(std::string_view piece) {
    text += piece;
    return text.size() <= kMostOfAnAnswer;
  }
};

}  // namespace

ApiClient::ApiClient(platform::HttpStreams& streams, ApiServer server,
                     std::function<Duration()> now, ApiClientOptions options)
    : streams_(streams),
      server_(std::move(server)),
      now_(std::move(now)),
      options_(options),
      bucket_(options.changes),
      random_(options.seed) {}

Result<platform::StreamRequest> ApiClient::RequestFor(const std::string& method,
                                                      const std::string& path, Duration timeout) {
  platform::StreamRequest request;
  request.method = method;
  request.url = server_.url + path;
  request.headers = {"Accept: application/json"};
  if (server_.token) {
    EBB_ASSIGN_OR_RETURN(const std::string token, server_.token());
    request.headers.push_back("Authorization: Bearer " + token);
  }
  request.ca_pem = server_.ca_pem;
  request.certificate_pem = server_.certificate_pem;
  request.key_pem = server_.key_pem;
  request.timeout = timeout;
  return request;
}

void ApiClient::Get(const std::string& path, Done done) {
  ++counts_.reads;
  auto request = RequestFor("GET", path, options_.timeout);
  if (!request) return done(Fail(std::move(request.error())));
  auto body = std::make_shared<Body>();
  streams_.Start(*std::move(request),
                 {{},
                  [body](int, std::string_view piece) { return body->Take(piece); },
                  [body, done = std::move(done)](const platform::StreamEnd& end) {
                    if (!end.transport) return done(Fail(end.transport.error()));
                    done(ApiAnswer{end.status, std::move(body->text)});
                  }});
}

void ApiClient::Make(Change change, Done done) {
  if (change.once) return Send({std::move(change), std::move(done), now_(), now_()});
  if (const auto found = by_key_.find(change.key); found != by_key_.end()) TakeOut(found->second);
  std::list<Waiting>& list = ListOf(change);
  const int failures = change.failures;
  const Duration due = now_() + (failures > 0 ? WaitAfter(failures) : Duration::zero());
  list.push_back({std::move(change), std::move(done), due, now_(), failures});
  if (!list.back().change.key.empty()) by_key_[list.back().change.key] = std::prev(list.end());
}

ApiClient::Waiting ApiClient::TakeOut(std::list<Waiting>::iterator waiting) {
  Waiting taken = std::move(*waiting);
  by_key_.erase(taken.change.key);
  ListOf(taken.change).erase(waiting);
  return taken;
}

bool ApiClient::TakeBack(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  const Waiting& waiting = *found->second;
  if (!waiting.change.at_most_once || waiting.failures > 0) return false;
  TakeOut(found->second);
  return true;
}

// Changes of one object are made one after another.
bool ApiClient::MaySend(const Waiting& waiting) const {
  return waiting.due <= now_() && !under_way_.contains(waiting.change.key);
}

bool ApiClient::TakeToken() {
  if (!has_token_) {
    next_token_ = now_() + bucket_.Take(Time{} + now_());
    has_token_ = true;
  }
  return next_token_ <= now_();
}

void ApiClient::Tick() {
  for (std::list<Waiting>* list : {&urgent_, &others_})
    for (auto next = list->begin(); next != list->end();) {
      const auto waiting = next++;
      if (!MaySend(*waiting)) continue;
      if (!TakeToken()) return;
      has_token_ = false;
      Send(TakeOut(waiting));
    }
}

std::optional<Duration> ApiClient::NextDue() const {
  std::optional<Duration> due;
  for (const std::list<Waiting>* list : {&urgent_, &others_})
    for (const Waiting& waiting : *list) {
      if (under_way_.contains(waiting.change.key)) continue;
      const Duration at = std::max(waiting.due, next_token_);
      if (!due || at < *due) due = at;
      if (at <= next_token_) return due;  // no change is due before
    }
  return due;
}

// The server would drop a field that it does not know (an older CRD has no spec.suspend) with a
// mere warning, and Ebb would believe that the object is held.
std::string ApiClient::PathOf(const Change& change) {
  if (change.method != "PATCH") return change.path;
  const char mark = change.path.find('?') == std::string::npos ? '?' : '&';
  return change.path + mark + "fieldValidation=Strict";
}

void ApiClient::Send(Waiting waiting) {
  ++counts_.changes;
  auto request = RequestFor(waiting.change.method, PathOf(waiting.change), options_.timeout);
  if (!request) {
    platform::StreamEnd end;
    end.transport = Fail(std::move(request.error()));
    return Answered(std::move(waiting), end, "");
  }
  request->headers.push_back("Content-Type: " + waiting.change.content_type);
  request->body = waiting.change.body;
  if (!waiting.change.key.empty()) ++under_way_[waiting.change.key];
  auto body = std::make_shared<Body>();
  auto kept = std::make_shared<Waiting>(std::move(waiting));
  streams_.Start(*std::move(request),
                 {{},
                  [body](int, std::string_view piece) { return body->Take(piece); },
                  [this, body, kept](const platform::StreamEnd& end) {
                    under_way_.erase(kept->change.key);
                    Answered(std::move(*kept), end, std::move(body->text));
                  }});
}

void ApiClient::Answered(Waiting waiting, const platform::StreamEnd& end, std::string body) {
  const bool cannot_help = !end.transport && end.transport.error().code == ExitCode::kConfiguration;
  if (waiting.change.once && end.transport)
    return waiting.done(ApiAnswer{end.status, std::move(body)});
  if (cannot_help || waiting.change.once) return waiting.done(Fail(end.transport.error()));
  const bool is_unsure = !end.transport || end.status == kTimeout || end.status >= kServerErrors;
  if (waiting.change.at_most_once && is_unsure) return waiting.done(NotAnswered());
  if (waiting.change.at_most_once && end.status == kConflict)
    return waiting.done(ApiAnswer{end.status, std::move(body)});
  if (!end.transport || IsWorthRepeating(waiting.change.method, end.status))
    return Repeat(std::move(waiting), end.headers);
  waiting.done(ApiAnswer{end.status, std::move(body)});
}

Result<ApiAnswer> ApiClient::NotAnswered() const {
  return Fail({ExitCode::kUnavailable, "the API server does not answer", server_.url,
               "it is tried again later"});
}

void ApiClient::Repeat(Waiting waiting, const std::map<std::string, std::string>& headers) {
  // A later change of the same object contains everything that this one does.
  if (by_key_.contains(waiting.change.key)) return;
  if (now_() - waiting.since >= waiting.change.patience) return waiting.done(NotAnswered());
  ++counts_.repeated;
  const Duration wait =
      std::max(WaitAfter(++waiting.failures), RetryAfter(headers).value_or(Duration::zero()));
  waiting.due = now_() + wait;
  std::list<Waiting>& list = ListOf(waiting.change);
  list.push_front(std::move(waiting));
  if (!list.front().change.key.empty()) by_key_[list.front().change.key] = list.begin();
}

// Half of the wait is random, so that requests that failed together are not repeated together.
Duration ApiClient::WaitAfter(int failures) {
  const Duration whole = std::min(
      options_.first_wait * (std::int64_t{1} << std::min(failures - 1, 20)), options_.longest_wait);
  return whole / 2 + Duration{static_cast<std::int64_t>(
                         random_.Below(static_cast<std::uint64_t>(whole.count() / 2 + 1)))};
}

ApiClient::WatchId ApiClient::Watch(const std::string& path, Duration timeout, WatchEvents events) {
  ++counts_.watches;
  auto request = RequestFor("GET", path, timeout);
  if (!request) {
    events.on_end(Fail(std::move(request.error())));
    return 0;
  }
  request->own_connection = true;
  struct Lines {
    Body answer;  // the answer, unless its status is 200
    std::string rest;
  };
  auto lines = std::make_shared<Lines>();
  auto on_data = [lines, on_line = std::move(events.on_line)](int status, std::string_view piece) {
    constexpr int kOk = 200;
    if (status != kOk) return lines->answer.Take(piece);
    lines->rest += piece;
    std::size_t begin = 0;
    for (std::size_t end; (end = lines->rest.find('\n', begin)) != std::string::npos;) {
      if (!on_line(std::string_view(lines->rest).substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    lines->rest.erase(0, begin);
    return lines->rest.size() <= kMostOfALine;
  };
  return streams_.Start(
      *std::move(request),
      {std::move(events.on_open), std::move(on_data),
       [lines, on_end = std::move(events.on_end)](const platform::StreamEnd& end) {
         if (!end.transport) return on_end(Fail(end.transport.error()));
         on_end(ApiAnswer{end.status, std::move(lines->answer.text)});
       }});
}

}  // namespace ebb::kubernetes
