// The text half of ebb-train as a program, for tests/peers/tokenizers_test.py, which holds it
// beside the packages of others.
//
//   text_peer encode TOKENIZER < texts > numbers
//     a JSON text on each line; for each its tokens, and the text again
//   text_peer speed TOKENIZER < texts
//     megabytes per second of processor time
//   text_peer chat TOKENIZER < chats > texts
//     by the tokenizer's own template
//   text_peer marks TOKENIZER < templates and records > texts, and which bytes of them are learned
//   text_peer batches TOKENIZER FILE PRESET > batches

#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "train/data/sampler.h"
#include "train/text/records/text_data.h"
#include "train/text/template/chat_template.h"
#include "train/text/tokenizer/tokenizer.h"

namespace ebb::train {
namespace {

int Complain(const Error& error) {
  std::cerr << error.Message() << "\n";
  return static_cast<int>(error.code);
}

int EncodeLines(const Tokenizer& tokenizer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto text = nlohmann::json::parse(line).get<std::string>();
    const auto ids = tokenizer.Encode(text);
    if (!ids) return Complain(ids.error());
    const auto decoded = tokenizer.Decode(*ids, SpecialTokens::kIncluded);
    const auto bare = tokenizer.Decode(*ids, SpecialTokens::kLeftOut);
    if (!decoded || !bare) return Complain(decoded ? bare.error() : decoded.error());
    std::cout << nlohmann::json{{"ids", *ids}, {"text", *decoded}, {"bare", *bare}} << "\n";
  }
  return 0;
}

int MeasureSpeed(const Tokenizer& tokenizer) {
  std::vector<std::string> texts;
  std::size_t bytes = 0, tokens = 0;
  for (std::string line; std::getline(std::cin, line);) {
    texts.push_back(nlohmann::json::parse(line).get<std::string>());
    bytes += texts.back().size();
  }
  const std::clock_t begin = std::clock();
  for (const std::string& text : texts) {
    const auto ids = tokenizer.Encode(text);
    if (!ids) return Complain(ids.error());
    tokens += ids->size();
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::cout << nlohmann::json{{"bytes", bytes}, {"tokens", tokens}, {"processor_seconds", seconds}}
            << "\n";
  return 0;
}

int RenderChats(const Tokenizer& tokenizer) {
  const auto chat = ChatTemplate::Of(tokenizer);
  if (!chat) return Complain(chat.error());
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = nlohmann::ordered_json::parse(line);
    const ChatEnd end = request["open"].get<bool>() ? ChatEnd::kOpenForAnswer : ChatEnd::kAsItIs;
    const auto text = chat->Render(request["messages"].dump(), end, request["variables"].dump());
    std::cout << (text ? nlohmann::json{{"text", *text}}
                       : nlohmann::json{{"error", text.error().Message()}})
              << "\n";
  }
  return 0;
}

nlohmann::json MarkedBy(const Tokenizer& tokenizer, const nlohmann::ordered_json& request) {
  const auto failed = [](const Error& error) { return nlohmann::json{{"error", error.Message()}}; };
  const auto chat = ChatTemplate::Parse(request["template"].get<std::string>(), tokenizer);
  if (!chat) return failed(chat.error());
  const auto record = jinja::ParseJsonValue(request["record"].dump());
  if (!record) return failed(record.error());
  const auto read = ReadChat(*record, {.messages = "messages"}, {});
  if (!read) return failed(read.error());
  const auto marked = chat->Marked(*read);
  if (!marked) return failed(marked.error());
  nlohmann::json answers = nlohmann::json::array();
  for (const TextRange& answer : marked->answers) answers.push_back({answer.begin, answer.end});
  return {{"text", marked->text}, {"answers", answers}, {"not_found", marked->answers_not_found}};
}

int MarkChats(const Tokenizer& tokenizer) {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << MarkedBy(tokenizer, nlohmann::ordered_json::parse(line)) << "\n";
  return 0;
}

template <typename Value>
nlohmann::json Rows(const std::vector<Value>& values, const TextBatch& batch) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * batch.columns);
    rows.push_back(std::vector<Value>(begin, begin + static_cast<std::ptrdiff_t>(batch.columns)));
  }
  return rows;
}

void PrintBatches(const TextDataset& data) {
  std::vector<std::uint32_t> order(data.rows());
  std::iota(order.begin(), order.end(), 0U);
  nlohmann::json batches = nlohmann::json::array();
  for (const auto rows : MicroBatches(order, 8)) {
    const TextBatch batch = data.Batch(rows);
    batches.push_back({{"ids", Rows(batch.ids, batch)},
                       {"attention_mask", Rows(batch.attention_mask, batch)},
                       {"loss_mask", Rows(batch.loss_mask, batch)}});
  }
  std::cout << nlohmann::json{{"batches", batches}} << "\n";
}

int PrintData(const Tokenizer& tokenizer, const std::string& file, const std::string& preset) {
  auto options = TextDataPreset(preset);
  if (!options) return Complain(options.error());
  options->files = {file};
  options->append_end = AppendEnd::kNo;  // as in the published preparation that it is compared with
  const auto data = LoadTextData(*options, tokenizer);
  if (!data) return Complain(data.error());
  PrintBatches(data->training);
  PrintBatches(data->validation);
  return 0;
}

int Run(const std::vector<std::string>& arguments) {
  const auto tokenizer = Tokenizer::Load(arguments[1]);
  if (!tokenizer) return Complain(tokenizer.error());
  if (arguments[0] == "encode") return EncodeLines(*tokenizer);
  if (arguments[0] == "speed") return MeasureSpeed(*tokenizer);
  if (arguments[0] == "chat") return RenderChats(*tokenizer);
  if (arguments[0] == "marks") return MarkChats(*tokenizer);
  if (arguments[0] == "batches" && arguments.size() == 4)
    return PrintData(*tokenizer, arguments[2], arguments[3]);
  return 2;
}

}  // namespace
}  // namespace ebb::train

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return arguments.size() < 2 ? 2 : ebb::train::Run(arguments);
}
