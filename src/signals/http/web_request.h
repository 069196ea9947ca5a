#pragma once
// What every provider does with a web address: show it without secrets, escape what goes into it,
// and turn a refusal into an Error that says what to do. Pure but for the request it is given.

#include <string>
#include <string_view>

#include "platform/web_address.h"
#include "signals/provider.h"

namespace ebb::signals {

using platform::CheckAddress;
using platform::IsThisMachine;
using platform::ShownUrl;
using platform::UrlEscape;

/// 16 hexadecimal digits that tell addresses apart without showing them (FNV-1a; not for secrets
/// that could be guessed).
std::string ShortDigest(std::string_view text);

/// "Authorization: Basic ..." of RFC 7617.
std::string BasicAuthorization(std::string_view user, std::string_view password);

/// A status that is not 200, with what to do about it; `hint` is for 401 and 403.
Error RefusedBy(std::string_view url, int status, const std::string& hint);

/// The body of an answer with status 200; anything else is an Error.
Result<std::string> GetBody(const HttpGetFunction& http_get, const platform::HttpRequest& request,
                            const std::string& hint);

}  // namespace ebb::signals
