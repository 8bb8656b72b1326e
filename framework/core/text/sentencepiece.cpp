#include "framework/core/text/sentencepiece.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <unordered_map>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/text/special_ids.h"

namespace lvtext {
namespace {

/// Passes lines to the trainer without a temporary file.
class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::vector<const std::string*>& lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return *lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<const std::string*>& lines_;
  size_t at_ = 0;
};

/// The symbols in SentencePiece's format: comma-separated, quoted if they contain a comma or quote.
std::string symbol_list(const std::vector<std::string>& symbols) {
  std::vector<std::string> quoted;
  for (const std::string& symbol : symbols) {
    std::string text = "\"";
    for (const char c : symbol) text.append(c == '"' ? 2 : 1, c);
    quoted.push_back(symbol.find_first_of(",\"") == std::string::npos ? symbol : text + "\"");
  }
  return join(quoted, ",");
}

std::unordered_map<std::string, std::string> trainer_arguments(const TokenizerOptions& options) {
  return {
      {"model_type", to_string(options.type)},
      {"vocab_size", std::to_string(options.vocab)},
      {"character_coverage", format_number(options.character_coverage)},
      {"normalization_rule_name", options.normalization},
      {"unk_piece", options.unk_piece},
      {"user_defined_symbols", symbol_list(options.user_defined_symbols)},
      {"max_sentence_length", std::to_string(options.max_line_bytes)},
      {"pad_id", std::to_string(kPad)},
      {"bos_id", std::to_string(kBos)},
      {"eos_id", std::to_string(kEos)},
      {"unk_id", std::to_string(kUnk)},
      {"hard_vocab_limit", "false"},
      {"num_threads", "1"},
      {"minloglevel", "4"},
  };
}

/// An error message of SentencePiece without its source location and with lvtext's option names.
std::string reason_of(std::string said) {
  if (const size_t position = said.rfind("] "); position != std::string::npos)
    said.erase(0, position + 2);
  // "Vocabulary size is smaller than required_chars. 10 vs 26. ..."
  const size_t versus = said.find(" vs ");
  if (said.starts_with("Vocabulary size is smaller than required_chars.") &&
      versus != std::string::npos) {
    const size_t from = versus + 4;
    return "the characters alone take " +
           said.substr(from, said.find_first_not_of("0123456789", from) - from) +
           "; increase data.tokenizer.vocab or decrease data.tokenizer.character_coverage";
  }
  if (said.find("is already defined") != std::string::npos) {
    return "a token is defined twice (" + said +
           "); data.tokenizer.user_defined_symbols and data.tokenizer.unk_piece must be distinct "
           "and must not include <pad>, <s> or </s>";
  }
  return said.empty() || said.find(".cc(") != std::string::npos
             ? "use a longer text or another data.tokenizer.vocab"
             : said;
}

}  // namespace

struct SentencePiece::Model {
  sentencepiece::SentencePieceProcessor processor;
};

SentencePiece::SentencePiece(std::string bytes, const std::string& name)
    : bytes_(std::move(bytes)), sha256_(lvtext::sha256(bytes_)), model_(std::make_unique<Model>()) {
  const auto& processor = model_->processor;
  const auto status = model_->processor.LoadFromSerializedProto(bytes_);
  if (!status.ok() || processor.GetPieceSize() <= kUnk) {
    throw DataError("'" + name +
                    "' is not a usable SentencePiece model: the file is damaged or of another "
                    "format; train the tokenizer again or use another model file");
  }
  if (processor.pad_id() != kPad || processor.bos_id() != kBos || processor.eos_id() != kEos ||
      processor.unk_id() != kUnk) {
    throw DataError(
        "'" + name + "': the model's special ids are pad " + std::to_string(processor.pad_id()) +
        ", bos " + std::to_string(processor.bos_id()) + ", eos " +
        std::to_string(processor.eos_id()) + ", unk " + std::to_string(processor.unk_id()) +
        "; they must be pad 0, bos 1, eos 2, unk 3 (spm_train --pad_id=0 --bos_id=1 "
        "--eos_id=2 --unk_id=3)");
  }
  vocabulary_ = {
      .size = processor.GetPieceSize(), .bos = kBos, .eos = kEos, .pad = kPad, .unk = kUnk};
}

SentencePiece::~SentencePiece() = default;
SentencePiece::SentencePiece(SentencePiece&&) noexcept = default;
SentencePiece& SentencePiece::operator=(SentencePiece&&) noexcept = default;

SentencePiece SentencePiece::train(const std::vector<std::string>& lines,
                                   const TokenizerOptions& options, TokenizerTraining* seen) {
  TokenizerTraining counts;
  std::vector<const std::string*> used;
  used.reserve(lines.size());
  for (const std::string& line : lines) {
    if (is_blank(line)) {
      ++counts.empty;
    } else if (static_cast<int64_t>(line.size()) > options.max_line_bytes) {
      ++counts.too_long;
    } else {
      used.push_back(&line);
    }
  }
  counts.lines = static_cast<int64_t>(used.size());
  if (seen) *seen = counts;
  if (used.empty()) {
    throw DataError("tokenizer: no line to train on: of " +
                    format_count(std::ssize(lines), "line") + ", " + format_count(counts.empty) +
                    " are empty and " + format_count(counts.too_long) + " have more than " +
                    format_count(options.max_line_bytes) + " bytes");
  }
  Lines iterator(used);
  std::string bytes;
  const auto status =
      sentencepiece::SentencePieceTrainer::Train(trainer_arguments(options), &iterator, &bytes);
  if (!status.ok()) {
    throw ConfigError("data.tokenizer: SentencePiece cannot train " + format_count(options.vocab) +
                      " tokens on " + format_count(counts.lines, "line") + ": " +
                      reason_of(status.message()));
  }
  return SentencePiece(std::move(bytes), "the tokenizer just trained");
}

SentencePiece SentencePiece::from_bytes(std::string bytes, const std::string& name) {
  return SentencePiece(std::move(bytes), name);
}

SentencePiece SentencePiece::load(const std::filesystem::path& path) {
  return SentencePiece(read_file(path), path.string());
}

TokenIds SentencePiece::encode(std::string_view text) const {
  std::vector<int> ids;
  const auto status = model_->processor.Encode(text, &ids);
  LVT_ASSERT(status.ok(), status.ToString());
  return {ids.begin(), ids.end()};
}

std::string SentencePiece::decode(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) {
    LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                           " is out of range; tokens: " + std::to_string(size()));
  }
  std::string text;
  const auto status = model_->processor.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
  LVT_ASSERT(status.ok(), status.ToString());
  return text;
}

std::optional<bool> SentencePiece::begins_word(int32_t id) const {
  return piece(id).starts_with("\u2581");
}

const std::string& SentencePiece::piece(int32_t id) const {
  LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) + " is out of range");
  return model_->processor.IdToPiece(id);
}

int32_t SentencePiece::id(std::string_view piece) const {
  return model_->processor.PieceToId(piece);
}

}  // namespace lvtext
