#pragma once
// Limits the streams (responses that go on), so that other requests find threads and no peer has
// all streams. A new stream gets a place: if none is free, the oldest stream of the peer
// with the most streams ends, and its page opens it again. A stream with the service's token never
// ends for a peer without it.
//
// Thread contract: any thread.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

namespace ebb::web {

class StreamLimiter {
 public:
  struct Place {
    std::string peer;  ///< empty if the peer has the token or came by the owner's socket
    std::atomic<bool> is_over{false};
  };
  explicit StreamLimiter(std::size_t most) : most_(most) {}

  /// Returns nullptr if there is no room.
  std::shared_ptr<Place> Enter(const std::string& peer, bool with_token) {
    const std::lock_guard guard(mutex_);
    auto mine = std::make_shared<Place>();
    if (!with_token) mine->peer = peer;
    // Streams that have ended are about to leave. A peer that comes again and again has to wait for
    // that.
    if (places_.size() >= most_ + most_ / 2) return nullptr;
    std::map<std::string, std::size_t> of_peer;
    std::size_t all = 0;
    for (const auto& place : places_) {
      if (place->is_over) continue;
      ++all;
      ++of_peer[place->peer];
    }
    if (all >= most_ && !End(Crowded(of_peer, mine->peer.empty()))) return nullptr;
    // Some places are left for peers that have not come yet.
    if (!mine->peer.empty() && of_peer[mine->peer] >= (most_ + 1) / 2) End(mine->peer);
    places_.push_back(mine);
    return mine;
  }
  void Leave(const std::shared_ptr<Place>& place) {
    const std::lock_guard guard(mutex_);
    places_.remove(place);
  }

 private:
  // The peer without the token that has the most streams. Streams with the token end only for
  // others with the token.
  static std::string Crowded(const std::map<std::string, std::size_t>& of_peer, bool with_token) {
    std::string worst;
    std::size_t most = 0;
    for (const auto& [peer, count] : of_peer)
      if (!peer.empty() && count > most) std::tie(worst, most) = std::tie(peer, count);
    if (most > 0 || with_token) return worst;
    return "nobody";
  }
  bool End(const std::string& peer) {
    const auto oldest = std::find_if(places_.begin(), places_.end(), [&](const auto& place) {
      return !place->is_over && place->peer == peer;
    });
    if (oldest == places_.end()) return false;
    (*oldest)->is_over = true;
    return true;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Place>> places_;  // oldest first
};

}  // namespace ebb::web
