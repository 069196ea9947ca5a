#pragma once
// The processes that train one model together, each on its part of every update's samples (data
// parallel). They exchange data through Gloo, which LibTorch has on every machine. Tensors of other
// devices are copied, unless the devices sum them themselves (device_sum.h). All ranks call the
// same methods in the same order. One thread.

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "train/libtorch.h"
#include "train/ranks/device_sum.h"
#include "train/ranks/rank_place.h"

namespace ebb::train {

class Ranks {
 public:
  /// Waits until all ranks are there. `share`: this rank's part of an update, relative to the
  /// others' shares, until Divide changes them. `devices`: the object that sums tensors, for all
  /// ranks or for none. Alone if the place says so: then every method is free.
  static Result<Ranks> Join(const RankPlace& place, double share,
                            std::unique_ptr<DeviceSum> devices = nullptr);

  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) noexcept;
  ~Ranks();

  bool alone() const { return shares_.size() == 1; }
  /// True for the rank that writes files, reports progress and evaluates.
  bool leads() const { return rank_ == 0; }
  std::size_t rank() const { return rank_; }
  std::size_t size() const { return shares_.size(); }
  /// Number of ranks on this machine.
  int here() const { return here_; }

  /// Sets the parts of an update: the samples of each rank, which may be none. All ranks pass the
  /// same.
  void Divide(const std::vector<std::int64_t>& samples);
  /// How many of so many samples each rank computes.
  std::vector<std::int64_t> Parts(std::int64_t samples) const {
    return PartSizes(static_cast<std::size_t>(samples), shares_);
  }

  std::span<const std::uint32_t> MyPart(std::span<const std::uint32_t> samples) const {
    return PartOf(samples, shares_, rank_);
  }
  /// Sums in place over all ranks. An Error (kTryLater) if a rank is lost.
  Status Sum(std::vector<double>& values);
  /// The same for tensors of one type, which have the same shapes in every rank.
  Status Sum(const std::vector<torch::Tensor>& tensors);
  /// An Error if the ranks do not all pass the same text; the Error names what differs.
  Status RequireSame(const std::string& text, const char* what);

 private:
  struct Group;
  Ranks();
  Status ConnectDevices(std::unique_ptr<DeviceSum> devices);
  Status AwaitDevices(const Status& begun);
  Status SumOnCpu(torch::Tensor row);

  std::size_t rank_ = 0;
  int here_ = 1;
  std::vector<double> shares_{1};
  std::unique_ptr<Group> group_;  ///< null: alone
};

}  // namespace ebb::train
