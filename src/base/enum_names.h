#pragma once
// Finds the enumerator that has a given name. The names are in one array, in the order of the
// enumerators' values.

#include <array>
#include <optional>
#include <string_view>

namespace ebb {

template <typename Enum, std::size_t N>
std::optional<Enum> EnumFromName(const std::array<std::string_view, N>& names,
                                 std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace ebb
