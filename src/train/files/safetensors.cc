#include "train/files/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/check.h"

namespace ebb::train {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::uint64_t kMaxNumber = 1ULL << 62;
constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/";
constexpr const char* kMetadataKey = "__metadata__";

std::optional<std::uint64_t> ItemBytes(const std::string& dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "U8" || dtype == "I8" || dtype == "BOOL") return 1;
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

// The number of bytes that a shape needs; nothing if it is more than `limit`.
std::optional<std::uint64_t> ShapeBytes(const std::vector<std::int64_t>& shape, std::uint64_t item,
                                        std::uint64_t limit) {
  std::uint64_t bytes = item;
  for (const std::int64_t dimension : shape) {
    if (dimension > 0 && bytes > limit / static_cast<std::uint64_t>(dimension)) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(dimension);
  }
  return bytes;
}

// Accepts whole numbers only: the library would cut fractions off, and wrap numbers that do not
// fit.
template <typename Whole>
Result<std::vector<Whole>> WholeNumbers(const json& list, const std::string& key,
                                        const std::string& name) {
  std::vector<Whole> numbers;
  for (const json& item : list.is_array() ? list : json::array({nullptr})) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > kMaxNumber)
      return Damaged(name, "tensor " + key + " has a shape or an offset that is no count");
    numbers.push_back(item.get<Whole>());
  }
  return numbers;
}

Result<TensorBytes> DecodeTensor(const std::string& key, const json& entry, std::string_view data,
                                 const std::string& name) {
  TensorBytes tensor;
  tensor.name = key;
  entry.at("dtype").get_to(tensor.dtype);
  EBB_ASSIGN_OR_RETURN(tensor.shape, WholeNumbers<std::int64_t>(entry.at("shape"), key, name));
  EBB_ASSIGN_OR_RETURN(const auto offsets,
                       WholeNumbers<std::uint64_t>(entry.at("data_offsets"), key, name));
  const auto item = ItemBytes(tensor.dtype);
  if (!item)
    return Fail({ExitCode::kConfiguration,
                 "the tensor " + key + " has the type " + tensor.dtype + ", which is not supported",
                 name, "use the model's bf16, fp16 or fp32 weights"});
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size())
    return Damaged(name, "tensor " + key + " lies outside the file (truncated?)");
  if (ShapeBytes(tensor.shape, *item, data.size()) != offsets[1] - offsets[0])
    return Damaged(name, "tensor " + key + " has another size than its shape says");
  tensor.data = data.substr(offsets[0], offsets[1] - offsets[0]);
  return tensor;
}

// True if every byte belongs to exactly one tensor.
bool FillsTheData(const std::vector<TensorBytes>& tensors, std::string_view data) {
  std::vector<std::string_view> parts;
  for (const TensorBytes& tensor : tensors) parts.push_back(tensor.data);
  std::sort(parts.begin(), parts.end(), [](std::string_view a, std::string_view b) {
    return a.data() != b.data() ? a.data() < b.data() : a.size() < b.size();
  });
  const char* end = data.data();
  for (const std::string_view part : parts) {
    if (part.data() != end) return false;
    end += part.size();
  }
  return end == data.data() + data.size();
}

Result<SafetensorsView> DecodeHeader(const json& header, std::string_view data,
                                     const std::string& name) {
  SafetensorsView view;
  for (const auto& [key, entry] : header.items()) {
    if (key == kMetadataKey) {
      if (!entry.is_null()) entry.get_to(view.metadata);
      continue;
    }
    EBB_ASSIGN_OR_RETURN(TensorBytes tensor, DecodeTensor(key, entry, data, name));
    view.tensors.push_back(std::move(tensor));
  }
  if (!FillsTheData(view.tensors, data)) return Damaged(name, "bytes are left over or used twice");
  return view;
}

}  // namespace

std::string SafetensorsHeader(std::vector<TensorBytes>& tensors, const Metadata& metadata) {
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
  return LittleEndian64(text.size()) + text;
}

std::string EncodeSafetensors(std::vector<TensorBytes> tensors, const Metadata& metadata) {
  std::string file = SafetensorsHeader(tensors, metadata);
  std::size_t bytes = file.size();
  for (const TensorBytes& tensor : tensors) bytes += tensor.data.size();
  file.reserve(bytes);
  for (const TensorBytes& tensor : tensors) file += tensor.data;
  return file;
}

Result<SafetensorsView> DecodeSafetensors(std::string_view file, const std::string& name) {
  if (file.starts_with(kLfsPointer))
    return Fail({ExitCode::kConfiguration,
                 "is a pointer of Git LFS: the file itself was not downloaded", name,
                 "run git lfs pull in its folder"});
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
