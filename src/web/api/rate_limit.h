#pragma once
// Limits the requests of one peer with a token bucket for each address. The table is bounded: peers
// beyond its size share one bucket, so that many addresses cannot use up the memory or get more
// than one peer does. An IPv6 peer is identified by its 64-bit network.
//
// Thread contract: any thread.

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace ebb::web {

struct RateLimitOptions {
  double per_second = 1;
  double burst = 1;  ///< requests at once after a quiet time; at least 1
  std::size_t most_peers = 4096;
};

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RateLimit(RateLimitOptions options) : options_(options) {}

  /// Takes a token; false if the peer has no tokens left.
  bool Take(const std::string& peer, Clock::time_point now = Clock::now());
  std::size_t peers() const;

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point at{};
  };
  void Fill(Bucket& bucket, Clock::time_point now) const;
  Bucket& BucketOf(const std::string& peer, Clock::time_point now);

  RateLimitOptions options_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace ebb::web
