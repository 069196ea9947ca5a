#include "signals/feeds/chain_feed.h"

#include <algorithm>

#include "base/check.h"
#include "signals/feeds/live_feed.h"

namespace ebb::signals {
namespace {

using core::Sample;

// Order of preference; a generated value comes after a forecast and before a missing value.
enum class Rank { kFresh, kLastKnown, kForecast, kGenerated, kMissing };

Rank RankOf(Freshness freshness) {
  switch (freshness) {
    case Freshness::kFresh:
      return Rank::kFresh;
    case Freshness::kLastKnown:
      return Rank::kLastKnown;
    case Freshness::kForecast:
      return Rank::kForecast;
    case Freshness::kMissing:
      break;
  }
  return Rank::kMissing;
}

// Whether a link can answer: it is generated, has a fresh value, or is only late with the next one.
bool Stands(const LiveFeed* live, Time now) {
  if (!live) return true;
  const Freshness freshness = live->State(now)->freshness;
  return freshness == Freshness::kFresh ||
         (freshness == Freshness::kLastKnown && !live->snapshot()->failure);
}

Error Mixed(const ChainLink& a, const ChainLink& b, const std::string& what,
            const std::string& next) {
  return {ExitCode::kConfiguration, a.name + " and " + b.name + " cannot be in one chain: " + what,
          "", next};
}

}  // namespace

Status CheckChain(const std::vector<ChainLink>& links) {
  const ChainLink* bounded = nullptr;
  for (const ChainLink& link : links) {
    const ChainLink& first = links.front();
    if (link.identity.kind != first.identity.kind)
      return Fail(Mixed(first, link,
                        std::string(core::Name(first.identity.kind)) + " and " +
                            std::string(core::Name(link.identity.kind)) +
                            " intensity answer different questions",
                        "choose sources of one kind; --signal-kind where a source has both"));
    if (link.identity.boundary == core::Boundary::kUnknown) continue;
    if (!bounded) bounded = &link;
    if (link.identity.boundary != bounded->identity.boundary)
      return Fail(Mixed(
          *bounded, link,
          "one counts the whole life cycle of power plants, the other only the fuel that they burn",
          "ask Electricity Maps for the other with --signal-boundary"));
  }
  return {};
}

ChainFeed::ChainFeed(std::vector<ChainLink> links)
    : links_(std::move(links)), opened_(links_.size()) {
  identity_ = links_.front().identity;
  identity_.source.clear();
  for (const ChainLink& link : links_) {
    if (identity_.boundary == core::Boundary::kUnknown) identity_.boundary = link.identity.boundary;
    identity_.source += (identity_.source.empty() ? "" : ", else ") + link.name;
    identity_.links.push_back(link.name);
  }
}

std::unique_ptr<ChainFeed> ChainFeed::Start(std::vector<ChainLink> links, Duration first_answer) {
  EBB_CHECK(!links.empty() && CheckChain(links));
  std::unique_ptr<ChainFeed> chain(new ChainFeed(std::move(links)));
  for (std::size_t link = 0; link < chain->links_.size(); ++link) {
    const Opened& opened = chain->Open(link, first_answer);
    const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    if (opened.feed && Stands(opened.live, now)) break;
  }
  return chain;
}

const ChainFeed::Opened& ChainFeed::Open(std::size_t link, Duration first_answer) {
  const std::lock_guard lock(mutex_);
  Opened& opened = opened_[link];
  if (opened.feed || opened.failure) return opened;
  auto feed = links_[link].open(first_answer);
  if (feed) {
    static_cast<OpenLink&>(opened) = *std::move(feed);
    opened.feed->OnNews(tell_);
  } else {
    opened.failure = std::move(feed).error();
  }
  return opened;
}

std::vector<const ChainFeed::Opened*> ChainFeed::OpenedLinks() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Opened*> links;
  for (const Opened& opened : opened_) links.push_back(opened.feed ? &opened : nullptr);
  return links;
}

core::IntensitySeries ChainFeed::Tagged(const core::IntensitySeries& series,
                                        std::size_t link) const {
  std::vector<Sample> samples = series.samples();
  for (Sample& sample : samples) sample.link = static_cast<std::uint8_t>(link);
  auto tagged = core::IntensitySeries::Create(identity_, std::move(samples));
  EBB_CHECK(tagged.has_value());
  return *std::move(tagged);
}

Result<core::SignalView> ChainFeed::Observe(Time now, Duration horizon) {
  Rank best = Rank::kMissing;
  std::optional<std::size_t> answering;
  std::string failures;
  for (std::size_t link = 0; link < links_.size(); ++link) {
    const Opened& opened = Open(link, Duration::zero());
    const auto fail = [&](const Error& error) {
      failures += (failures.empty() ? "" : "; ") + links_[link].name + ": " + error.Message();
    };
    if (!opened.feed) {
      fail(*opened.failure);
      continue;
    }
    const Rank rank = opened.live ? RankOf(opened.live->State(now)->freshness) : Rank::kGenerated;
    if (rank < best) {
      best = rank;
      answering = link;
    }
    if (rank == Rank::kMissing)
      if (const auto view = opened.feed->Observe(now, horizon); !view) fail(view.error());
    if (Stands(opened.live, now)) break;
  }
  if (!answering)
    return Fail({ExitCode::kUnavailable, "no source of the chain knows the intensity: " + failures,
                 identity_.source, ""});
  const std::size_t link = *answering;
  EBB_ASSIGN_OR_RETURN(core::SignalView view,
                       Open(link, Duration::zero()).feed->Observe(now, horizon));
  view.known = Tagged(view.known, link);
  core::Forecast& forecast = view.forecast;
  for (core::IntensitySeries* series : {&forecast.series, &forecast.p10, &forecast.p90})
    *series = Tagged(*series, link);
  return view;
}

// Joins the links' series: at each moment the first of `values` counts that has one, and for it the
// first link. Generated sources come last.
Result<core::IntensitySeries> ChainFeed::Joined(std::span<const LiveValues> values,
                                                Interval of_generated) const {
  std::vector<Sample> samples;
  const auto links = OpenedLinks();
  const auto fill = [&](const core::IntensitySeries& series, std::size_t link) {
    samples = core::Filled(samples, Tagged(series, link).samples());
  };
  for (const LiveValues& of : values)
    for (std::size_t link = 0; link < links.size(); ++link)
      if (links[link] && links[link]->live) fill(of(*links[link]->live), link);
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (!links[link] || links[link]->live) continue;
    EBB_ASSIGN_OR_RETURN(const core::IntensitySeries series,
                         links[link]->feed->Believed(of_generated));
    fill(series, link);
  }
  return core::IntensitySeries::Create(identity_, std::move(samples));
}

Result<core::IntensitySeries> ChainFeed::Believed(Interval interval) {
  const LiveValues by_rank[] = {
      [=](const LiveFeed& live) { return live.snapshot()->known.Slice(interval); },
      [=](const LiveFeed& live) {
        return BelievedOver(*live.snapshot(), interval,
                            {live.outage().last_known_limit, Duration::zero()});
      },
      [=](const LiveFeed& live) {
        return BelievedOver(*live.snapshot(), interval, live.outage());
      }};
  return Joined(by_rank, interval);
}

Result<core::IntensitySeries> ChainFeed::Settled(Interval interval) {
  const LiveValues published[] = {
      [=](const LiveFeed& live) { return SettledOver(*live.snapshot(), interval); }};
  const auto links = OpenedLinks();
  const bool is_live = std::any_of(links.begin(), links.end(),
                                   [](const Opened* opened) { return opened && opened->live; });
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const Interval over{interval.begin, std::max(interval.begin, std::min(interval.end, now))};
  return Joined(published, is_live ? over : interval);
}

Time ChainFeed::NextChange(Time now) const {
  Time next = Time::max();
  for (const Opened* opened : OpenedLinks())
    if (opened) next = std::min(next, opened->feed->NextChange(now));
  return next;
}

std::uint64_t ChainFeed::news() const {
  std::uint64_t news = 0;
  for (const Opened* opened : OpenedLinks())
    if (opened) news += opened->feed->news();
  return news;
}

void ChainFeed::OnNews(const std::function<void()>& tell) {
  const std::lock_guard lock(mutex_);
  tell_ = tell;
  for (const Opened& opened : opened_)
    if (opened.feed) opened.feed->OnNews(tell);
}

std::optional<runtime::SignalState> ChainFeed::State(Time now) const {
  runtime::SignalState best;
  std::string text;
  const auto links = OpenedLinks();
  for (std::size_t link = 0; link < links.size(); ++link) {
    text += (text.empty() ? "" : "; ") + links_[link].name + ": ";
    const LiveFeed* live = links[link] ? links[link]->live : nullptr;
    if (!live) {
      text += links[link] ? "generated, used where no live one knows" : "not asked";
      continue;
    }
    const runtime::SignalState state = *live->State(now);
    text += Name(state.freshness);
    if (const auto snapshot = live->snapshot(); snapshot->failure)
      text += " (" + snapshot->failure->Message() + ")";
    if (RankOf(state.freshness) < RankOf(best.freshness)) best = state;
  }
  best.text = std::move(text);
  return best;
}

std::vector<std::string> ChainFeed::TakeNotes() {
  std::vector<std::string> notes;
  const auto links = OpenedLinks();
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (!links[link]) continue;
    for (const std::string& note : links[link]->feed->TakeNotes())
      notes.push_back(links_[link].name + ": " + note);
  }
  return notes;
}

}  // namespace ebb::signals
