#pragma once
// Common steps of every provider's requests: show an address without secrets, escape its parts, and
// turn a refusal into an Error with advice. Pure but for the request it is given.

#include <string>
#include <string_view>

#include "platform/web_address.h"
#include "signals/provider.h"

namespace ebb::signals {

using platform::CheckAddress;
using platform::IsThisMachine;
using platform::ShownUrl;
using platform::UrlEscape;

/// 16 hexadecimal digits that tell addresses apart without showing them (FNV-1a; not for secrets,
/// which could be guessed).
std::string ShortDigest(std::string_view text);

/// The header "Authorization: Basic ..." of RFC 7617.
std::string BasicAuthorization(std::string_view user, std::string_view password);

/// The Error for a status that is not 200, with advice; `hint` is the advice for 401 and 403.
Error RefusedBy(std::string_view url, int status, const std::string& hint);

/// The body of an answer with status 200; anything else is an Error.
Result<std::string> GetBody(const HttpGetFunction& http_get, const platform::HttpRequest& request,
                            const std::string& hint);

}  // namespace ebb::signals
