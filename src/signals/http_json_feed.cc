#include "signals/http_json_feed.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "signals/replay_feed.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

// The address without what may be secret: user, query and fragment.
std::string ShownUrl(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const auto host = url.find("://") + 3;
  const auto path = std::min(url.find('/', host), url.size());
  const auto user_end = url.substr(0, path).rfind('@');
  if (user_end == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(user_end + 1));
}

bool IsThisMachine(std::string_view url) {
  for (const std::string_view host : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string begin = "http://" + std::string(host);
    if (!url.starts_with(begin)) continue;
    const std::string_view rest = url.substr(begin.size());
    if (rest.empty() || rest.front() == '/' || rest.front() == ':') return true;
  }
  return false;
}

// The header line that carries the token, from the environment.
Result<std::string> TokenHeader(const SignalOptions& options) {
  const char* token = std::getenv(options.auth_env.c_str());
  if (!token || !*token)
    return Fail({ExitCode::kConfiguration,
                 "the environment variable " + options.auth_env + " is not set",
                 ShownUrl(options.url), "set it to the token of the address"});
  if (!options.url.starts_with("https://") && !IsThisMachine(options.url))
    return Fail({ExitCode::kConfiguration, "a token is not sent unencrypted", ShownUrl(options.url),
                 "use an https:// address"});
  return options.auth_header + ": " + token;
}

}  // namespace

HttpJsonFeed::HttpJsonFeed(platform::HttpRequest request, SignalOptions options,
                           HttpGetFunction http_get)
    : request_(std::move(request)),
      options_(std::move(options)),
      http_get_(std::move(http_get)),
      shown_url_(ShownUrl(request_.url)),
      identity_{options_.zone, options_.kind.value_or(core::SignalKind::kAverage),
                options_.boundary.value_or(core::Boundary::kUnknown), "live " + shown_url_} {}

Result<std::unique_ptr<HttpJsonFeed>> HttpJsonFeed::Create(const SignalOptions& options,
                                                           HttpGetFunction http_get) {
  if (!options.url.starts_with("http://") && !options.url.starts_with("https://"))
    return Fail({ExitCode::kConfiguration, "\"" + options.url + "\" is not a web address", "",
                 "it begins with https:// or http://"});
  platform::HttpRequest request;
  request.url = options.url;
  if (!options.auth_env.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::string header, TokenHeader(options));
    request.headers.push_back(header);
  }
  return std::unique_ptr<HttpJsonFeed>(
      new HttpJsonFeed(std::move(request), options, std::move(http_get)));
}

Result<core::SignalView> HttpJsonFeed::Observe(Time now, Duration) {
  RefreshIfDue(now);
  const core::IntensitySeries all = Series();
  const core::Sample* current = all.At(now);
  if (!current && failure_) return Fail(*failure_);
  core::SignalView view;
  view.now = now;
  view.known = all.Slice({now - kKnownHistory, current ? current->interval.end : now});
  view.forecast = {now, "none", {}, {}, {}};
  return view;
}

Result<core::IntensitySeries> HttpJsonFeed::Settled(Interval interval) {
  RefreshIfDue(interval.end);
  return Series().Slice(interval);
}

Time HttpJsonFeed::NextChange(Time now) const {
  return next_refresh_ && *next_refresh_ > now ? *next_refresh_ : now + options_.refresh;
}

void HttpJsonFeed::RefreshIfDue(Time now) {
  if (next_refresh_ && now < *next_refresh_) return;
  next_refresh_ = now + options_.refresh;
  auto reading = Ask();
  if (!reading) {
    failure_ = std::move(reading).error();
    return;
  }
  failure_.reset();
  Keep(*reading, now);
}

Result<LiveReading> HttpJsonFeed::Ask() const {
  EBB_ASSIGN_OR_RETURN(const platform::HttpResponse response, http_get_(request_));
  if (response.status != 200) return Fail(Refused(response.status));
  return ParseLivePayload(response.body, shown_url_);
}

Error HttpJsonFeed::Refused(int status) const {
  std::string next = "check the address with curl";
  if (status == 401 || status == 403)
    next = options_.auth_env.empty()
               ? "name the environment variable that holds your token: scheduler.auth_env"
               : "check the token in the environment variable " + options_.auth_env;
  if (status == 429) next = "ask less often: raise scheduler.check_interval";
  if (status >= 500) next = "the service has a problem of its own; it is asked again later";
  return {ExitCode::kUnavailable, "the address answered with HTTP status " + std::to_string(status),
          shown_url_, std::move(next)};
}

void HttpJsonFeed::Keep(const LiveReading& reading, Time now) {
  if (identity_.zone.empty()) identity_.zone = reading.zone;
  if (identity_.boundary == core::Boundary::kUnknown) identity_.boundary = reading.boundary;
  if (!reading.intensity) return;
  const bool bare = !reading.begin;
  // A stamp ahead of our clock is taken as now.
  const Time begin = std::min(reading.begin.value_or(now), now);
  const Time end = bare ? now + options_.refresh : reading.end.value_or(begin + kHour);
  const Time holds_until = bare ? std::max(end, now + kHour) : end + (end - begin);
  if (end <= begin) return;  // an interval that lies wholly ahead of our clock
  Kept kept{{begin, end}, holds_until, *reading.intensity, reading.status};
  if (!kept_.empty()) {
    Kept& last = kept_.back();
    if (begin < last.meant.begin) return;  // older than what is known
    const bool unchanged = bare && last.intensity == kept.intensity && now <= last.holds_until;
    if (unchanged) kept.meant.begin = last.meant.begin;
    if (unchanged || begin == last.meant.begin) {
      last = kept;
      return;
    }
  }
  kept_.push_back(kept);
}

core::IntensitySeries HttpJsonFeed::Series() const {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Kept& kept = kept_[i];
    const Time next = i + 1 < kept_.size() ? kept_[i + 1].meant.begin : Time::max();
    const Time meant_end = std::min(kept.meant.end, next);
    const Time held_end = std::min(kept.holds_until, next);
    samples.push_back({{kept.meant.begin, meant_end}, kept.intensity, kept.status});
    if (held_end > meant_end)
      samples.push_back({{meant_end, held_end}, kept.intensity, core::SampleStatus::kEstimated});
  }
  auto series = core::IntensitySeries::Create(identity_, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace ebb::signals
