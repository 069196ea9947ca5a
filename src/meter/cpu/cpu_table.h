#pragma once
// Thermal design power and thread count of common CPUs, for machines whose energy counters cannot
// be read. The figures come from the vendors' data sheets (ark.intel.com, amd.com): base or default
// TDP, "processor base power" for Intel parts since 2021. Parts made for one cloud provider have no
// public data sheet; their row names the catalogue part it was taken from.

#include <span>
#include <string_view>

namespace ebb::meter {

struct CpuPart {
  std::string_view name;  ///< model name as in /proc/cpuinfo, without marks and clock rates
  double tdp_w = 0;       ///< watts of one package
  int threads = 0;        ///< threads of one package
  /// Similar part that the figures belong to; empty: the part itself.
  std::string_view taken_from{};
};

std::span<const CpuPart> CpuTable();

/// The part that a model name names, e.g. "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz" or "AMD
/// EPYC 7763 64-Core Processor"; null if the table has none. Names match whole words only, and the
/// longest name wins, so that "E5-2680" never stands for "E5-2680 v4".
const CpuPart* FindCpuPart(std::string_view model_name);

}  // namespace ebb::meter
