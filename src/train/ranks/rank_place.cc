#include "train/ranks/rank_place.h"

#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace ebb::train {
namespace {

Result<long long> Whole(const std::function<const char*(const char*)>& get, const char* name,
                        long long least, long long most) {
  const char* text = get(name);
  const auto number = text ? ParseInteger(text) : std::nullopt;
  if (number && *number >= least && *number <= most) return static_cast<long long>(*number);
  return Fail(
      {ExitCode::kConfiguration,
       std::string(name) + (text ? "=" + std::string(text) + " is not accepted" : " is not set"),
       "",
       "with WORLD_SIZE above 1, RANK, MASTER_ADDR and MASTER_PORT are needed: torchrun "
       "sets them"});
}

}  // namespace

bool IsLoopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

Result<RankPlace> RankPlaceFrom(const std::function<const char*(const char*)>& get) {
  constexpr long long kMostRanks = 65'536;
  RankPlace place;
  const char* size = get("WORLD_SIZE");
  if (!size || !*size || std::string_view(size) == "1") return place;
  EBB_ASSIGN_OR_RETURN(const long long ranks, Whole(get, "WORLD_SIZE", 1, kMostRanks));
  EBB_ASSIGN_OR_RETURN(const long long rank, Whole(get, "RANK", 0, ranks - 1));
  EBB_ASSIGN_OR_RETURN(const long long port, Whole(get, "MASTER_PORT", 1, 65'535));
  place.size = static_cast<int>(ranks);
  place.rank = static_cast<int>(rank);
  place.port = static_cast<std::uint16_t>(port);
  const char* address = get("MASTER_ADDR");
  if (!address || !*address)
    return Fail({ExitCode::kConfiguration, "MASTER_ADDR is not set", "", "torchrun sets it"});
  place.address = address;
  place.on_this_machine = IsLoopback(place.address) ? place.size : 1;
  if (get("LOCAL_WORLD_SIZE")) {
    EBB_ASSIGN_OR_RETURN(const long long here, Whole(get, "LOCAL_WORLD_SIZE", 1, ranks));
    place.on_this_machine = static_cast<int>(here);
  }
  place.local_rank = place.rank % place.on_this_machine;
  if (get("LOCAL_RANK")) {
    EBB_ASSIGN_OR_RETURN(const long long local, Whole(get, "LOCAL_RANK", 0, ranks - 1));
    place.local_rank = static_cast<int>(local);
  }
  const char* served = get("TORCHELASTIC_USE_AGENT_STORE");
  place.launcher_serves = served && std::string_view(served) == "True";
  return place;
}

std::vector<std::int64_t> PartSizes(std::size_t samples, const std::vector<double>& shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> sizes;
  double before = 0;
  std::int64_t begin = 0;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    before += shares[rank];
    const auto end =
        rank + 1 == shares.size()
            ? static_cast<std::int64_t>(samples)
            : static_cast<std::int64_t>(std::llround(static_cast<double>(samples) * before / all));
    sizes.push_back(end - begin);
    begin = end;
  }
  return sizes;
}

std::span<const std::uint32_t> PartOf(std::span<const std::uint32_t> samples,
                                      const std::vector<double>& shares, std::size_t rank) {
  const std::vector<std::int64_t> sizes = PartSizes(samples.size(), shares);
  const auto mine = sizes.begin() + static_cast<std::ptrdiff_t>(rank);
  return samples.subspan(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), mine, std::int64_t{0})),
      static_cast<std::size_t>(*mine));
}

}  // namespace ebb::train
