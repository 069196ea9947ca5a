// Fuzz target: every head that is accepted states the end of its request exactly once.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "web/http/request_head.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string head(reinterpret_cast<const char*>(data), size);
  const ebb::web::RequestHead checked = ebb::web::CheckHead(head);
  if (checked.refusal != 0) {
    EBB_CHECK(!checked.why.empty());
    return 0;
  }
  EBB_CHECK(!checked.method.empty() && checked.method.data() == head.data());
  EBB_CHECK(head.at(checked.method.size()) == ' ');
  head.resize(head.find("\r\n\r\n"));
  EBB_CHECK(head.find('\0') == std::string::npos);
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (head[at] == '\n') EBB_CHECK(at > 0 && head[at - 1] == '\r');
    if (head[at] == '\r') EBB_CHECK(at + 1 < head.size() && head[at + 1] == '\n');
  }
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto first = head.find("\r\ncontent-length:");
  EBB_CHECK(first == std::string::npos ||
            head.find("\r\ncontent-length:", first + 1) == std::string::npos);
  EBB_CHECK(first != std::string::npos || checked.body_bytes == 0);
  EBB_CHECK(head.find("\r\ntransfer-encoding:") == std::string::npos);
  EBB_CHECK(head.find("\r\n ") == std::string::npos && head.find("\r\n\t") == std::string::npos);
  return 0;
}
