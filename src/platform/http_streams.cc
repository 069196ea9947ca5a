#include "platform/http_streams.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "platform/libcurl.h"

namespace ebb::platform {
namespace {

// One request. It cannot be moved, because libcurl holds pointers into it.
struct Stream {
  Stream(const Curl& library, HttpStreams::Id number, StreamRequest asked, StreamEvents told)
      : id(number),
        request(std::move(asked)),
        events(std::move(told)),
        curl(library),
        handle(library.easy_init(), library.easy_cleanup),
        headers(nullptr, library.slist_free_all),
        place(nullptr, library.slist_free_all) {}

  HttpStreams::Id id;
  StreamRequest request;
  StreamEvents events;
  const Curl& curl;
  std::unique_ptr<CURL, decltype(Curl::easy_cleanup)> handle;
  std::unique_ptr<curl_slist, decltype(Curl::slist_free_all)> headers, place;
  StreamEnd end{};
  bool cancelled = false;
  bool stopped = false;   // stopped by its own on_data
  bool* heard = nullptr;  // set when a callback of this stream was called
  char reason[CURL_ERROR_SIZE] = "";
};

int StatusOf(const Stream& stream) {
  long status = 0;
  stream.curl.easy_getinfo(stream.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

std::size_t TakeHeader(char* data, std::size_t size, std::size_t count, void* user) {
  const std::string_view line(data, size * count);
  auto& stream = *static_cast<Stream*>(user);
  auto& headers = stream.end.headers;
  if (Trim(line).empty() && stream.events.on_head && !stream.cancelled) {
    *stream.heard = true;
    stream.events.on_head(StatusOf(stream));
  }
  if (line.starts_with("HTTP/")) headers.clear();
  if (const auto colon = line.find(':'); colon != std::string_view::npos)
    headers[Lowercase(line.substr(0, colon))] = Trim(line.substr(colon + 1));
  return line.size();
}

std::size_t TakeData(char* data, std::size_t size, std::size_t count, void* user) {
  auto& stream = *static_cast<Stream*>(user);
  if (stream.cancelled) return 0;
  *stream.heard = true;
  stream.stopped = !stream.events.on_data(StatusOf(stream), {data, size * count});
  return stream.stopped || stream.cancelled ? 0 : size * count;
}

}  // namespace

class HttpStreams::Implementation {
 public:
  Implementation(const Curl& curl, CURLM* multi) : curl_(curl), multi_(multi) {}
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    for (auto& [id, stream] : streams_) curl_.multi_remove_handle(multi_, stream->handle.get());
    streams_.clear();
    curl_.multi_cleanup(multi_);
  }

  Id Start(StreamRequest request, StreamEvents events) {
    const Id id = ++last_id_;
    auto stream = std::make_unique<Stream>(curl_, id, std::move(request), std::move(events));
    stream->heard = &heard_;
    SetAddress(*stream);
    SetSecrets(*stream);
    SetReceivers(*stream);
    to_begin_.push_back(id);
    streams_[id] = std::move(stream);
    return id;
  }

  // Only marks the stream, because libcurl may be in the middle of a callback, where it accepts no
  // changes. The next Poll removes the stream.
  void Cancel(Id id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    found->second->cancelled = true;
    any_cancelled_ = true;
  }

  void Poll(Duration patience, int also) {
    TakeCancelled();
    Begin();
    int running = 0;
    // Data that had already arrived may be what the caller waits for, so Poll returns at once after
    // it.
    heard_ = false;
    curl_.multi_perform(multi_, &running);
    if (TakeEnded() || heard_) return;
    curl_waitfd waits{also, CURL_WAIT_POLLIN, 0};
    curl_.multi_poll(multi_, &waits, also >= 0 ? 1 : 0,
                     static_cast<int>(std::clamp<std::int64_t>(patience.count(), 0, 3'600'000)),
                     nullptr);
    curl_.multi_perform(multi_, &running);
    TakeEnded();
  }

  void Wake() { curl_.multi_wakeup(multi_); }
  std::size_t under_way() const { return streams_.size(); }

 private:
  template <typename Value>
  void Set(const Stream& stream, CURLoption option, Value value) {
    curl_.easy_setopt(stream.handle.get(), option, value);
  }

  void SetAddress(Stream& stream) {
    const StreamRequest& request = stream.request;
    Set(stream, CURLOPT_URL, request.url.c_str());
    if (!request.connect_to.empty()) {
      // The address replaces any host and port of the URL.
      stream.place.reset(curl_.slist_append(nullptr, ("::" + request.connect_to).c_str()));
      Set(stream, CURLOPT_CONNECT_TO, stream.place.get());
    }
    Set(stream, CURLOPT_PROTOCOLS_STR, "http,https");
    Set(stream, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    Set(stream, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    Set(stream, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
    Set(stream, CURLOPT_NOSIGNAL, 1L);
    Set(stream, CURLOPT_TCP_KEEPALIVE, 1L);
    Set(stream, CURLOPT_FRESH_CONNECT, request.own_connection ? 1L : 0L);
    Set(stream, CURLOPT_USERAGENT, "ebb");
    if (request.method != "GET") Set(stream, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.body.empty()) return;
    Set(stream, CURLOPT_POSTFIELDS, request.body.c_str());
    Set(stream, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
  }

  void SetSecrets(Stream& stream) {
    curl_slist* list = nullptr;
    for (const std::string& header : stream.request.headers)
      list = curl_.slist_append(list, header.c_str());
    stream.headers.reset(list);
    Set(stream, CURLOPT_HTTPHEADER, list);
    const auto set_pem = [&](CURLoption option, std::string& pem) {
      if (pem.empty()) return;
      curl_blob blob{pem.data(), pem.size(), CURL_BLOB_NOCOPY};
      Set(stream, option, &blob);
    };
    set_pem(CURLOPT_CAINFO_BLOB, stream.request.ca_pem);
    set_pem(CURLOPT_SSLCERT_BLOB, stream.request.certificate_pem);
    set_pem(CURLOPT_SSLKEY_BLOB, stream.request.key_pem);
  }

  void SetReceivers(Stream& stream) {
    Set(stream, CURLOPT_ERRORBUFFER, static_cast<char*>(stream.reason));
    Set(stream, CURLOPT_WRITEFUNCTION, &TakeData);
    Set(stream, CURLOPT_WRITEDATA, static_cast<void*>(&stream));
    Set(stream, CURLOPT_HEADERFUNCTION, &TakeHeader);
    Set(stream, CURLOPT_HEADERDATA, static_cast<void*>(&stream));
  }

  std::unique_ptr<Stream> Remove(Stream* stream) {
    curl_.multi_remove_handle(multi_, stream->handle.get());
    by_handle_.erase(stream->handle.get());
    const auto found = streams_.find(stream->id);
    std::unique_ptr<Stream> removed = std::move(found->second);
    streams_.erase(found);
    return removed;
  }

  void Begin() {
    for (const Id id : std::exchange(to_begin_, {})) {
      const auto found = streams_.find(id);
      if (found == streams_.end()) continue;
      CURL* handle = found->second->handle.get();
      by_handle_[handle] = found->second.get();
      curl_.multi_add_handle(multi_, handle);
    }
  }

  void TakeCancelled() {
    if (!std::exchange(any_cancelled_, false)) return;
    std::vector<Stream*> cancelled;
    for (const auto& [id, stream] : streams_)
      if (stream->cancelled) cancelled.push_back(stream.get());
    for (Stream* stream : cancelled) Remove(stream);
  }

  bool TakeEnded() {
    std::vector<std::pair<Stream*, CURLcode>> ended;
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left))
      if (message->msg == CURLMSG_DONE)
        ended.emplace_back(by_handle_.at(message->easy_handle), message->data.result);
    for (const auto& [found, code] : ended) {
      found->end.status = StatusOf(*found);
      const std::unique_ptr<Stream> stream = Remove(found);
      if (stream->cancelled) continue;
      if (code != CURLE_OK && !stream->stopped) stream->end.transport = FailureOf(*stream, code);
      stream->events.on_end(stream->end);
    }
    return !ended.empty();
  }

  Status FailureOf(const Stream& stream, CURLcode code) const {
    const std::string why = stream.reason[0] != '\0' ? stream.reason : curl_.easy_strerror(code);
    return Fail({AskingAgainCannotHelp(code) ? ExitCode::kConfiguration : ExitCode::kUnavailable,
                 "request failed: " + why, WithoutQuery(stream.request.url),
                 "check the address and the network"});
  }

  const Curl& curl_;
  CURLM* multi_;
  Id last_id_ = 0;
  std::map<Id, std::unique_ptr<Stream>> streams_;
  std::map<CURL*, Stream*> by_handle_;
  std::vector<Id> to_begin_;
  bool any_cancelled_ = false;
  bool heard_ = false;  // set when a callback was called in this Poll
};

HttpStreams::HttpStreams(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
HttpStreams::HttpStreams(HttpStreams&&) noexcept = default;
HttpStreams& HttpStreams::operator=(HttpStreams&&) noexcept = default;
HttpStreams::~HttpStreams() = default;

Result<HttpStreams> HttpStreams::Open() {
  EBB_ASSIGN_OR_RETURN(const Curl* curl, LibCurl());
  CURLM* multi = curl->multi_init();
  if (!multi) return Fail({ExitCode::kUnavailable, "libcurl cannot start", "", ""});
  return HttpStreams(std::make_unique<Implementation>(*curl, multi));
}

HttpStreams::Id HttpStreams::Start(StreamRequest request, StreamEvents events) {
  return implementation_->Start(std::move(request), std::move(events));
}
void HttpStreams::Cancel(Id id) { implementation_->Cancel(id); }
void HttpStreams::Poll(Duration patience, int also) { implementation_->Poll(patience, also); }
void HttpStreams::Wake() { implementation_->Wake(); }
std::size_t HttpStreams::under_way() const { return implementation_->under_way(); }

}  // namespace ebb::platform
