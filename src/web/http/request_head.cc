#include "web/http/request_head.h"

#include <algorithm>
#include <cctype>

namespace ebb::web {
namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr std::size_t kMostDigits = 15;  // digits of a length: more than any accepted body needs

bool IsToken(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::string_view WithoutBlanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool HasControl(std::string_view line) {
  return std::any_of(line.begin(), line.end(),
                     [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

// True for a line such as "POST /api/v1/jobs HTTP/1.1", with single blanks.
bool IsRequestLine(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  return IsToken(line.substr(0, first)) && !target.empty() &&
         std::all_of(target.begin(), target.end(), [](char c) { return c > ' ' && c < '\x7f'; }) &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

// Reads the lines of a head that decide where the request ends.
class Reader {
 public:
  void Take(std::string_view line) {
    if (line.starts_with(' ') || line.starts_with('\t'))
      return Refuse(400, "has a header that goes on in a second line");
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return Refuse(400, "has a line that is not a header");
    const std::string_view name = line.substr(0, colon);
    if (!IsToken(name)) return Refuse(400, "has a header whose name is not valid");
    const std::string_view value = WithoutBlanks(line.substr(colon + 1));
    if (SameName(name, "Host") && ++hosts_ > 1) Refuse(400, "has more than one Host");
    if (SameName(name, "Content-Length")) TakeLength(value);
    if (SameName(name, "Transfer-Encoding")) encoded_ = true;
    if (SameName(name, "Content-Encoding") && !SameName(value, "identity"))
      Refuse(415, "has a compressed body");
  }
  void Refuse(int status, std::string why) {
    if (head_.refusal != 0) return;
    head_.refusal = status;
    head_.why = std::move(why);
  }
  void Begin(std::string_view request_line) {
    if (!IsRequestLine(request_line)) Refuse(400, "begins with no request line of HTTP/1.1");
    needs_host_ = request_line.ends_with("1.1");
    head_.method = request_line.substr(0, request_line.find(' '));
  }
  RequestHead End() {
    if (needs_host_ && hosts_ == 0) Refuse(400, "has no Host");
    if (encoded_ && lengths_ > 0) Refuse(400, "has a Content-Length and a Transfer-Encoding");
    if (encoded_) Refuse(411, "has a Transfer-Encoding: send a Content-Length instead");
    return head_;
  }

 private:
  void TakeLength(std::string_view value) {
    if (++lengths_ > 1) return Refuse(400, "has more than one Content-Length");
    if (value.empty() || value.size() > kMostDigits ||
        value.find_first_not_of("0123456789") != std::string_view::npos)
      return Refuse(400, "has a Content-Length that is not a number");
    for (const char digit : value)
      head_.body_bytes = head_.body_bytes * 10 + static_cast<std::uint64_t>(digit - '0');
  }

  RequestHead head_;
  int hosts_ = 0, lengths_ = 0;
  bool encoded_ = false, needs_host_ = false;
};

}  // namespace

RequestHead CheckHead(std::string_view head) {
  Reader reader;
  for (bool first = true;; first = false) {
    const auto end = head.find(kEnd);
    const std::string_view line = head.substr(0, end);
    if (end == std::string_view::npos || HasControl(line)) {
      reader.Refuse(400, "has a control character, or a line that does not end with CR LF");
      break;
    }
    if (line.empty() && !first) break;
    first ? reader.Begin(line) : reader.Take(line);
    head.remove_prefix(end + kEnd.size());
  }
  return reader.End();
}

}  // namespace ebb::web
