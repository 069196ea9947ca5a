#include "web/api/rate_limit.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ebb::web {
namespace {

// The bucket that all peers beyond the table's size share.
const std::string kOthers = "others";

// The key of a peer. An IPv6 peer is known by its network, because it has 2^64 addresses.
std::string KeyOf(const std::string& peer) {
  constexpr std::size_t kNetworkBytes = 8;
  in6_addr address{};
  if (::inet_pton(AF_INET6, peer.c_str(), &address) != 1) return peer;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return peer;
  std::array<char, kNetworkBytes> network{};
  std::memcpy(network.data(), &address, network.size());
  return std::string(network.data(), network.size());
}

}  // namespace

void RateLimit::Fill(Bucket& bucket, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  bucket.tokens =
      std::min(options_.burst, bucket.tokens + std::max(0.0, seconds) * options_.per_second);
  bucket.at = std::max(bucket.at, now);
}

RateLimit::Bucket& RateLimit::BucketOf(const std::string& peer, Clock::time_point now) {
  const std::string key = KeyOf(peer);
  const auto found = buckets_.find(key);
  if (found != buckets_.end()) return found->second;
  if (buckets_.size() >= options_.most_peers) {
    // A full bucket can be dropped: a new one is the same.
    std::erase_if(buckets_, [&](const auto& entry) {
      Bucket bucket = entry.second;
      Fill(bucket, now);
      return bucket.tokens >= options_.burst;
    });
  }
  const bool room = buckets_.size() < options_.most_peers;
  return buckets_.try_emplace(room ? key : kOthers, Bucket{options_.burst, now}).first->second;
}

bool RateLimit::Take(const std::string& peer, Clock::time_point now) {
  const std::lock_guard guard(mutex_);
  Bucket& bucket = BucketOf(peer, now);
  Fill(bucket, now);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

std::size_t RateLimit::peers() const {
  const std::lock_guard guard(mutex_);
  return buckets_.size();
}

}  // namespace ebb::web
