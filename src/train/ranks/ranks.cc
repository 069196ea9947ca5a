#include "train/ranks/ranks.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "train/library_errors.h"

namespace ebb::train {
namespace {

// The longest time that a rank waits for the others to begin, or for a rank that computes or
// evaluates; the value is torchrun's. A rank that has ended is noticed at once.
constexpr std::chrono::minutes kPatience{30};
constexpr std::chrono::seconds kLauncherAnswersWithin{30};
// Intervals at which a rank looks whether its devices are done, and asks the other ranks about
// theirs.
constexpr std::chrono::microseconds kLookAgainAfter{100};
constexpr std::chrono::seconds kAskOthersAfter{1};

// States of devices that ranks tell each other.
constexpr double kBusy = 0, kDone = 1, kFailed = 2;

Error Lost(const std::string& why) {
  return {ExitCode::kTryLater, "a rank is lost: " + why, "",
          "run all of them again with --resume; their number may be another"};
}

// By default, Gloo looks up the machine's own host name in the name service, which often lacks it
// on small machines.
std::shared_ptr<::gloo::transport::Device> DeviceFor(const std::string& address) {
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"); interface && *interface)
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  if (IsLoopback(address)) return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

// Debian's LibTorch 2 is built without libuv, yet its default is to use it, and it then refuses.
void ServeWithoutLibuv(auto& options) {
  if constexpr (requires { options.useLibUV; }) options.useLibUV = false;
}

c10d::TCPStoreOptions StoreOptions(const RankPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.rank == 0 && !place.launcher_serves;
  options.numWorkers = place.size;
  options.waitWorkers = !place.launcher_serves;
  options.timeout = kPatience;
  ServeWithoutLibuv(options);
  return options;
}

// The store of a launcher of another version may accept a message and never answer: from 2.4 on,
// PyTorch's store speaks another protocol.
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

// Waits up to kAskOthersAfter for the devices to be done.
Result<bool> DoneSoon(DeviceSum& devices) {
  for (auto waited = kLookAgainAfter; waited < kAskOthersAfter; waited += kLookAgainAfter) {
    EBB_ASSIGN_OR_RETURN(const bool done, devices.Done());
    if (done) return true;
    std::this_thread::sleep_for(kLookAgainAfter);
  }
  return false;
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
  std::unique_ptr<DeviceSum> devices;  // null: Gloo sums tensors, too
};

Ranks::Ranks() = default;
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;
Ranks::~Ranks() = default;

Result<Ranks> Ranks::Join(const RankPlace& place, double share,
                          std::unique_ptr<DeviceSum> devices) {
  Ranks ranks;
  if (place.size == 1) return ranks;
  ranks.rank_ = static_cast<std::size_t>(place.rank);
  ranks.here_ = place.on_this_machine;
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
  EBB_RETURN_IF_ERROR(ranks.RequireSame(devices ? "by devices" : "by Gloo", "an --exchange"));
  if (devices) EBB_RETURN_IF_ERROR(ranks.ConnectDevices(std::move(devices)));
  return ranks;
}

// The first rank gives the address where the devices meet. A rank that cannot begin tells the
// others.
Status Ranks::ConnectDevices(std::unique_ptr<DeviceSum> devices) {
  group_->devices = std::move(devices);
  Result<std::vector<double>> place = std::vector<double>();
  if (leads()) place = group_->devices->MeetingPoint();
  std::vector<double> numbers{place ? static_cast<double>(place->size()) : 0};
  EBB_RETURN_IF_ERROR(Sum(numbers));
  if (place && numbers.front() == 0)
    place = Fail({ExitCode::kUnavailable, "rank 0 finds no place to meet", "", ""});
  Status begun = place ? Status{} : Fail(place.error());
  if (place) {
    place->resize(static_cast<std::size_t>(numbers.front()), 0);
    EBB_RETURN_IF_ERROR(Sum(*place));
    begun = group_->devices->Connect(*place, static_cast<int>(rank_), static_cast<int>(size()));
  }
  const Status connected = AwaitDevices(begun);
  if (connected) return {};
  return Fail({ExitCode::kUnavailable, connected.error().what, "",
               "has each rank a GPU of its own? NCCL_DEBUG=INFO tells more; --exchange gloo works "
               "without"});
}

// Devices would wait without end for a rank that has died, but Gloo notices its death. So the ranks
// ask each other over Gloo whether their devices are done, and if one has failed or is lost, all
// give up.
Status Ranks::AwaitDevices(const Status& begun) {
  for (auto waited = kAskOthersAfter; waited < kPatience; waited += kAskOthersAfter) {
    const Result<bool> mine = begun ? DoneSoon(*group_->devices) : Fail(begun.error());
    std::vector<double> all(size(), 0);
    all[rank_] = !mine ? kFailed : *mine ? kDone : kBusy;
    const Status heard = Sum(all);
    if (heard && std::count(all.begin(), all.end(), kDone) == std::ssize(all)) return {};
    const auto failed = std::find(all.begin(), all.end(), kFailed);
    if (heard && failed == all.end()) continue;
    group_->devices->Abort();
    if (!mine) return Fail(Lost(mine.error().what));
    return heard ? Fail(Lost("the device of rank " + std::to_string(failed - all.begin()) +
                             " failed"))
                 : heard;
  }
  group_->devices->Abort();
  return Fail(Lost("the devices do not end their sum"));
}

void Ranks::Divide(const std::vector<std::int64_t>& samples) {
  shares_.assign(samples.begin(), samples.end());
}

Status Ranks::SumOnCpu(torch::Tensor row) {
  std::vector<torch::Tensor> rows{std::move(row)};
  try {
    group_->gloo->allreduce(rows)->wait();
  } catch (const std::exception& error) {
    return Fail(Lost(WhyOf(error)));
  }
  return {};
}

Status Ranks::Sum(std::vector<double>& values) {
  if (!group_ || values.empty()) return {};
  return SumOnCpu(
      torch::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, torch::kFloat64));
}

// Joins the tensors into one long row, so that one exchange is enough.
Status Ranks::Sum(const std::vector<torch::Tensor>& tensors) {
  if (!group_ || tensors.empty()) return {};
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> rows;
  for (const torch::Tensor& tensor : tensors) rows.push_back(tensor.reshape({-1}));
  torch::Tensor row = torch::cat(rows);
  if (group_->devices) {
    EBB_RETURN_IF_ERROR(AwaitDevices(group_->devices->Add(row)));
  } else {
    row = row.to(torch::kCPU);
    EBB_RETURN_IF_ERROR(SumOnCpu(row));
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
