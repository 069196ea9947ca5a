#pragma once
// Keys with Ebb's prefix that mean something on an object. A key that is mistyped, or is in a place
// where Ebb does not read it, is reported instead of being ignored silently.
//
// Pure.

#include <string>
#include <string_view>

namespace ebb::kubernetes {

inline constexpr std::string_view kPrefix = "ebb/";

/// The mistake in an annotation with this key; empty: it is correct, or the key is not Ebb's.
std::string WhyNoAnnotation(std::string_view key);
/// The mistake in a label with this key.
std::string WhyNoLabel(std::string_view key);
/// The mistake in an annotation or a label of a namespace with this key.
std::string WhyNotOnNamespace(std::string_view key);

}  // namespace ebb::kubernetes
