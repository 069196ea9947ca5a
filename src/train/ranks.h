#pragma once
// The processes that train one model together, each on its part of every update's samples (data
// parallel). What they exchange goes through Gloo, which LibTorch has on every machine; tensors of
// other devices are copied, unless the devices sum them themselves (device_sum.h). All ranks call
// the same methods in the same order. One thread.

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "train/device_sum.h"
#include "train/libtorch.h"
#include "train/rank_place.h"

namespace ebb::train {

class Ranks {
 public:
  /// Waits until all are there. `share`: how much of an update this one computes, beside the
  /// others'. `devices`: what sums tensors, for all ranks or for none. Alone where the place says
  /// so: then every method is free.
  static Result<Ranks> Join(const RankPlace& place, double share,
                            std::unique_ptr<DeviceSum> devices = nullptr);

  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) noexcept;
  ~Ranks();

  bool alone() const { return shares_.size() == 1; }
  /// The one that writes files, tells of progress and evaluates.
  bool leads() const { return rank_ == 0; }
  std::size_t rank() const { return rank_; }
  std::size_t size() const { return shares_.size(); }

  std::span<const std::uint32_t> MyPart(std::span<const std::uint32_t> samples) const {
    return PartOf(samples, shares_, rank_);
  }
  /// In place, over all ranks. An Error (kTryLater) where one of them is lost.
  Status Sum(std::vector<double>& values);
  /// The same of tensors of one type, and of the same shapes everywhere.
  Status Sum(const std::vector<torch::Tensor>& tensors);
  /// Whether all ranks say the same; an Error names what differs.
  Status RequireSame(const std::string& text, const char* what);

 private:
  struct Group;
  Ranks();
  Status ConnectDevices(std::unique_ptr<DeviceSum> devices);
  Status AwaitDevices(const Status& begun);
  Status SumOnCpu(torch::Tensor row);

  std::size_t rank_ = 0;
  std::vector<double> shares_{1};
  std::unique_ptr<Group> group_;  ///< null: alone
};

}  // namespace ebb::train
