#include "train/ranks.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "train/library_errors.h"

namespace ebb::train {
namespace {

// How long one waits for the others to begin, and for a rank that computes or evaluates: as
// torchrun does. One that has ended is noticed at once.
constexpr std::chrono::minutes kPatience{30};
constexpr std::chrono::seconds kLauncherAnswersWithin{30};

Error Lost(const std::string& why) {
  return {ExitCode::kTryLater, "a rank is lost: " + why, "",
          "run all of them again with --resume; their number may be another"};
}

// The usual one asks the name service for the own host name, which small machines often lack.
std::shared_ptr<::gloo::transport::Device> DeviceFor(const std::string& address) {
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"); interface && *interface)
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  if (IsLoopback(address)) return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

c10d::TCPStoreOptions StoreOptions(const RankPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.rank == 0 && !place.launcher_serves;
  options.numWorkers = place.size;
  options.waitWorkers = !place.launcher_serves;
  options.timeout = kPatience;
  return options;
}

// The store of a launcher of another version may take what is said to it and never answer: from
// 2.4 on, PyTorch's speaks another protocol.
Status CheckThatLauncherAnswers(const RankPlace& place) {
  if (!place.launcher_serves) return {};
  c10d::TCPStoreOptions options = StoreOptions(place);
  options.timeout = kLauncherAnswersWithin;
  const std::string key = "ebb-train/hello/" + std::to_string(place.rank);
  try {
    c10d::TCPStore store(place.address, options);
    store.set(key, std::vector<std::uint8_t>{1});
    store.get(key);
  } catch (const std::exception& error) {
    return Fail({ExitCode::kUnavailable,
                 "the launcher does not answer (" + WhyOf(error) +
                     "); it may be of another PyTorch than this program's LibTorch, " TORCH_VERSION,
                 place.address + ":" + std::to_string(place.port),
                 "build ebb-train with the launcher's: ./dev build --torch PYTHON"});
  }
  return {};
}

c10::intrusive_ptr<c10d::Store> StoreAt(const RankPlace& place) {
  const char* restart = std::getenv("TORCHELASTIC_RESTART_COUNT");
  return c10::make_intrusive<c10d::PrefixStore>(
      std::string("ebb-train/") + (restart ? restart : "0"),
      c10::make_intrusive<c10d::TCPStore>(place.address, StoreOptions(place)));
}

// FNV-1a, cut to what a double holds exactly when it is summed.
double Digest(const std::string& text) {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  for (const char letter : text)
    digest = (digest ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return static_cast<double>(digest >> 32);
}

}  // namespace

struct Ranks::Group {
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;

  void Sum(torch::Tensor tensor) {
    std::vector<torch::Tensor> tensors{std::move(tensor)};
    gloo->allreduce(tensors)->wait();
  }
};

Ranks::Ranks() = default;
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;
Ranks::~Ranks() = default;

Result<Ranks> Ranks::Join(const RankPlace& place, double share) {
  Ranks ranks;
  if (place.size == 1) return ranks;
  ranks.rank_ = static_cast<std::size_t>(place.rank);
  EBB_RETURN_IF_ERROR(CheckThatLauncherAnswers(place));
  try {
    auto options = c10d::ProcessGroupGloo::Options::create(kPatience);
    options->devices.push_back(DeviceFor(place.address));
    ranks.group_ = std::make_unique<Group>();
    ranks.group_->gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(StoreAt(place), place.rank,
                                                                     place.size, options);
  } catch (const std::exception& error) {
    return Fail({ExitCode::kUnavailable, "the ranks do not find each other: " + WhyOf(error),
                 place.address + ":" + std::to_string(place.port),
                 "is rank 0 there, and is the port free?"});
  }
  ranks.shares_.assign(static_cast<std::size_t>(place.size), 0);
  ranks.shares_[ranks.rank_] = share;
  EBB_RETURN_IF_ERROR(ranks.Sum(ranks.shares_));
  return ranks;
}

Status Ranks::Sum(std::vector<double>& values) {
  if (!group_ || values.empty()) return {};
  try {
    group_->Sum(torch::from_blob(values.data(), {static_cast<std::int64_t>(values.size())},
                                 torch::kFloat64));
  } catch (const std::exception& error) {
    return Fail(Lost(WhyOf(error)));
  }
  return {};
}

// As one long row: one exchange for all.
Status Ranks::Sum(const std::vector<torch::Tensor>& tensors) {
  if (!group_ || tensors.empty()) return {};
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> rows;
  for (const torch::Tensor& tensor : tensors) rows.push_back(tensor.reshape({-1}));
  const torch::Tensor row = torch::cat(rows).to(torch::kCPU);
  try {
    group_->Sum(row);
  } catch (const std::exception& error) {
    return Fail(Lost(WhyOf(error)));
  }
  std::int64_t from = 0;
  for (const torch::Tensor& tensor : tensors) {
    tensor.copy_(row.narrow(0, from, tensor.numel()).view_as(tensor));
    from += tensor.numel();
  }
  return {};
}

Status Ranks::RequireSame(const std::string& text, const char* what) {
  const double mine = Digest(text);
  std::vector<double> all(size(), 0);
  all[rank_] = mine;
  EBB_RETURN_IF_ERROR(Sum(all));
  for (std::size_t other = 0; other < all.size(); ++other)
    if (all[other] != mine)
      return Fail({ExitCode::kConfiguration,
                   "rank " + std::to_string(other) + " has " + what + " other than rank " +
                       std::to_string(rank_),
                   "", "start all ranks with the same options and on the same files"});
  return {};
}

}  // namespace ebb::train
