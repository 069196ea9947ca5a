#pragma once
// A zone's sources in order, as one feed: the first that stands answers. A later link is asked only
// once those before it have failed or have nothing fresh. While several are in trouble, a published
// value comes before a last known one, that before a forecast, and the generated link (typical
// days) last. One view is of one link throughout, so a decision never compares the value of one
// source with the forecast of another; every sample names its link. Average and marginal values,
// and life-cycle and direct ones, are never in one chain.
//
// Thread contract: every method from any thread; after Start none waits for a network.

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/signal_feed.h"
#include "signals/feeds/live_view.h"

namespace ebb::signals {

class LiveFeed;

struct OpenLink {
  std::unique_ptr<runtime::SignalFeed> feed;
  const LiveFeed* live = nullptr;  ///< the same feed if it is live, else nullptr
};

struct ChainLink {
  std::string name;               ///< "electricity-maps"
  core::SignalIdentity identity;  ///< the identity that the source states before it is asked
  /// Makes the link's feed; a live one waits at most this long for its first answer.
  std::function<Result<OpenLink>(Duration first_answer)> open;
};

/// An Error if the links differ in kind or known boundary, because their values must not be mixed.
Status CheckChain(const std::vector<ChainLink>& links);

class ChainFeed final : public runtime::SignalFeed {
 public:
  /// Opens links, each waited for up to `first_answer`, until one stands. CheckChain must hold.
  static std::unique_ptr<ChainFeed> Start(std::vector<ChainLink> links, Duration first_answer);

  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  /// At each moment the value published by the first link that has one; then the stand-ins.
  Result<core::IntensitySeries> Believed(Interval interval) override;
  /// The same without stand-ins. A generated source counts only for time that has passed.
  Result<core::IntensitySeries> Settled(Interval interval) override;
  bool Revises() const override { return true; }
  Time NextChange(Time now) const override;
  std::uint64_t news() const override;
  void OnNews(const std::function<void()>& tell) override;
  /// The state of the link that answers at `now`. Its text covers all links: "electricity-maps:
  /// missing (...); profile: generated, used where no live one knows".
  std::optional<runtime::SignalState> State(Time now) const override;
  /// Notes with the link's name: "electricity-maps: ...".
  std::vector<std::string> TakeNotes() override;

 private:
  struct Opened : OpenLink {  ///< without a feed: not asked yet, or not possible to open
    std::optional<Error> failure;
  };
  explicit ChainFeed(std::vector<ChainLink> links);
  const Opened& Open(std::size_t link, Duration first_answer);
  std::vector<const Opened*> OpenedLinks() const;
  using LiveValues = std::function<core::IntensitySeries(const LiveFeed&)>;
  Result<core::IntensitySeries> Joined(std::span<const LiveValues> values,
                                       Interval of_generated) const;
  core::IntensitySeries Tagged(const core::IntensitySeries& series, std::size_t link) const;

  const std::vector<ChainLink> links_;
  core::SignalIdentity identity_;
  mutable std::mutex mutex_;
  std::vector<Opened> opened_;  ///< one for each of links_; an entry that is set stays
  std::function<void()> tell_;
};

}  // namespace ebb::signals
