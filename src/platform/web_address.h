#pragma once
// Web addresses that may hold or carry a secret: how to show them without the secret, and the check
// before the secret is sent.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::platform {

/// The address without what may be secret: user, query and fragment.
std::string ShownUrl(std::string_view url);

/// True for http:// to 127.0.0.1, localhost or ::1, where a token may travel unencrypted.
bool IsThisMachine(std::string_view url);

/// Fails for a text that is not a web address, and for a secret that would travel unencrypted.
Status CheckAddress(std::string_view url, bool carries_secret);

std::string UrlEscape(std::string_view text);

}  // namespace ebb::platform
