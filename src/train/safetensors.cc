#include "train/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/check.h"

namespace ebb::train {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr const char* kMetadataKey = "__metadata__";

std::optional<std::uint64_t> ItemBytes(const std::string& dtype) {
  if (dtype == "F64" || dtype == "I64") return 8;
  if (dtype == "F32") return 4;
  if (dtype == "F16" || dtype == "BF16") return 2;
  if (dtype == "U8") return 1;
  return std::nullopt;
}

tl::unexpected<Error> Damaged(const std::string& name, std::string what) {
  return Fail(
      {ExitCode::kConfiguration, "the safetensors file is damaged: " + std::move(what), name, ""});
}

std::string LittleEndian64(std::uint64_t value) {
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

std::uint64_t ReadLittleEndian64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The bytes that a shape needs; nothing for a negative dimension or more than `limit`.
std::optional<std::uint64_t> ShapeBytes(const std::vector<std::int64_t>& shape, std::uint64_t item,
                                        std::uint64_t limit) {
  std::uint64_t bytes = item;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension > 0 && bytes > limit / static_cast<std::uint64_t>(dimension)) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(dimension);
  }
  return bytes;
}

Result<TensorBytes> DecodeTensor(const std::string& key, const json& entry, std::string_view data,
                                 const std::string& name) {
  TensorBytes tensor;
  tensor.name = key;
  entry.at("dtype").get_to(tensor.dtype);
  entry.at("shape").get_to(tensor.shape);
  const auto offsets = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
  const auto item = ItemBytes(tensor.dtype);
  if (!item) return Damaged(name, "tensor " + key + " has the unknown type " + tensor.dtype);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size())
    return Damaged(name, "tensor " + key + " lies outside the file (truncated?)");
  if (ShapeBytes(tensor.shape, *item, data.size()) != offsets[1] - offsets[0])
    return Damaged(name, "tensor " + key + " has another size than its shape says");
  tensor.data = data.substr(offsets[0], offsets[1] - offsets[0]);
  return tensor;
}

Result<SafetensorsView> DecodeHeader(const json& header, std::string_view data,
                                     const std::string& name) {
  SafetensorsView view;
  std::uint64_t used = 0;
  for (const auto& [key, entry] : header.items()) {
    if (key == kMetadataKey) {
      entry.get_to(view.metadata);
      continue;
    }
    EBB_ASSIGN_OR_RETURN(TensorBytes tensor, DecodeTensor(key, entry, data, name));
    used += tensor.data.size();
    view.tensors.push_back(std::move(tensor));
  }
  if (used != data.size()) return Damaged(name, "bytes are left over or used twice");
  return view;
}

}  // namespace

std::string EncodeSafetensors(std::vector<TensorBytes> tensors, const Metadata& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorBytes& a, const TensorBytes& b) {
    const auto size_a = ItemBytes(a.dtype);
    const auto size_b = ItemBytes(b.dtype);
    return size_a != size_b ? size_a > size_b : a.name < b.name;
  });
  nlohmann::ordered_json header;
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::uint64_t offset = 0;
  for (const TensorBytes& tensor : tensors) {
    EBB_CHECK(ItemBytes(tensor.dtype).has_value());
    const std::uint64_t end = offset + tensor.data.size();
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  std::string file = LittleEndian64(text.size());
  file.reserve(file.size() + text.size() + offset);
  file += text;
  for (const TensorBytes& tensor : tensors) file += tensor.data;
  return file;
}

Result<SafetensorsView> DecodeSafetensors(std::string_view file, const std::string& name) {
  if (file.size() < kLengthBytes) return Damaged(name, "it is too short");
  const std::uint64_t length = ReadLittleEndian64(file);
  if (length > kMaxHeaderBytes || length > file.size() - kLengthBytes)
    return Damaged(name, "its header does not fit into it (truncated?)");
  const std::string_view text = file.substr(kLengthBytes, length);
  const json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return Damaged(name, "its header is not JSON");
  try {
    return DecodeHeader(header, file.substr(kLengthBytes + length), name);
  } catch (const json::exception& error) {
    return Damaged(name, error.what());
  }
}

}  // namespace ebb::train
