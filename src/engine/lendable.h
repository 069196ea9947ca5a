#pragma once
// A value that other threads can read while its owner goes on changing it. A lent value is never
// written again: the owner's next change goes to a copy. So a copy of a long queue costs a pointer
// for each job, and memory only for the jobs that change while the copy exists.
//
// Thread contract: the owner's methods run on one thread; any thread may read and drop a lent
// value.

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

  /// Gives the value for a change; the reference is valid until the next Lend.
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
