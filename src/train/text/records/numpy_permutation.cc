#include "train/text/records/numpy_permutation.h"

#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace ebb::train {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr Wide Join(std::uint64_t high, std::uint64_t low) {
  return static_cast<Wide>(high) << 64 | low;
}

// NumPy's SeedSequence with a pool of four words: makes good seeds of small numbers.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> entropy{static_cast<std::uint32_t>(seed),
                                               static_cast<std::uint32_t>(seed >> 32), 0, 0};
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = Hash(entropy[i]);
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = Mix(pool_[to], Hash(pool_[from]));
      }
    }
  }

  std::array<std::uint64_t, 4> Words() const {
    std::array<std::uint64_t, 4> words{};
    std::uint32_t constant = 0x8b51f9dd;
    for (std::size_t i = 0; i < 2 * words.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      value ^= value >> 16;
      words[i / 2] |= static_cast<std::uint64_t>(value) << (32 * (i % 2));
    }
    return words;
  }

 private:
  std::uint32_t Hash(std::uint32_t value) {
    value ^= constant_;
    constant_ *= 0x931e8875;
    value *= constant_;
    return value ^ value >> 16;
  }
  static std::uint32_t Mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t value = 0xca01f9dd * x - 0x4973f715 * y;
    return value ^ value >> 16;
  }

  std::uint32_t constant_ = 0x43b0d7e5;
  std::array<std::uint32_t, 4> pool_{};
};

class Pcg64 {
 public:
  explicit Pcg64(std::uint64_t seed) {
    const std::array<std::uint64_t, 4> words = SeedSequence(seed).Words();
    increment_ = Join(words[2], words[3]) << 1 | 1;
    Step();
    state_ += Join(words[0], words[1]);
    Step();
  }

  /// A uniform number in 0..last: as many low bits as `last` has, drawn again until the number is
  /// not above `last`.
  std::uint32_t UpTo(std::uint32_t last) {
    const auto mask = static_cast<std::uint32_t>((1ULL << std::bit_width(last)) - 1);
    for (;;) {
      const std::uint32_t value = Next32() & mask;
      if (value <= last) return value;
    }
  }

 private:
  void Step() {
    state_ = state_ * Join(2549297995355413924ULL, 4865540595714422341ULL) + increment_;
  }
  std::uint64_t Next64() {
    Step();
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    return std::rotr(high ^ static_cast<std::uint64_t>(state_), static_cast<int>(high >> 58));
  }
  // The low half of a draw, then its high half.
  std::uint32_t Next32() {
    high_half_is_left_ = !high_half_is_left_;
    if (!high_half_is_left_) return high_half_;
    const std::uint64_t value = Next64();
    high_half_ = static_cast<std::uint32_t>(value >> 32);
    return static_cast<std::uint32_t>(value);
  }

  Wide state_ = 0, increment_ = 0;
  std::uint32_t high_half_ = 0;
  bool high_half_is_left_ = false;
};

}  // namespace

std::vector<std::uint32_t> NumpyPermutation(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Pcg64 random(seed);
  for (std::size_t i = count; i-- > 1;)
    std::swap(order[i], order[random.UpTo(static_cast<std::uint32_t>(i))]);
  return order;
}

}  // namespace ebb::train
