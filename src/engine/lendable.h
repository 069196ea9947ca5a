#pragma once
// A value that can be looked at elsewhere while its owner goes on changing it: what was lent is
// never written again, the owner's next change goes to a copy of its own. So a copy of a long queue
// costs a pointer for each job, and memory only for what changes while the copy is there.
//
// Thread contract: the owner's methods on one thread; what was lent may be read, and let go, on
// any.

#include <memory>
#include <utility>

namespace ebb::engine {

template <typename T>
class Lendable {
 public:
  explicit Lendable(T value) : value_(std::make_shared<T>(std::move(value))) {}
  Lendable(Lendable&&) noexcept = default;
  Lendable& operator=(Lendable&&) noexcept = default;

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  /// To be changed; the reference is good until the next Lend.
  T& Change() {
    if (std::exchange(lent_, false)) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  std::shared_ptr<const T> Lend() const {
    lent_ = true;
    return value_;
  }

 private:
  std::shared_ptr<T> value_;
  mutable bool lent_ = false;
};

}  // namespace ebb::engine
