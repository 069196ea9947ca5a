#pragma once
// Keys with Ebb's prefix that mean something on an object. A key that is mistyped, or stands where
// Ebb does not read it, is reported; otherwise it would be ignored silently.
//
// Pure.

#include <string>
#include <string_view>

namespace ebb::kubernetes {

inline constexpr std::string_view kPrefix = "ebb/";

/// What is wrong with an annotation of this key; empty: nothing, or it is not one of Ebb's.
std::string WhyNoAnnotation(std::string_view key);
/// The same of a label.
std::string WhyNoLabel(std::string_view key);
/// The same of an annotation or a label of a namespace.
std::string WhyNotOnNamespace(std::string_view key);

}  // namespace ebb::kubernetes
