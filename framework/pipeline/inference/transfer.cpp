// Inference component `transfer`: rewrites sentences in another style.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/decoding/over_sentences.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/decoding_options.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/labeled_text.h"

namespace lvtext {
namespace {

struct TransferFields : DecodingFields {
  std::string label_column = "style";
  std::optional<int64_t> from, to;

  template <class V>
  void visit(V& v) {
    v.field("label_column", label_column, "label column with the style of each sentence",
            not_empty());
    v.field(
        "from", from,
        "style of all sentences, an index from 0, for data without the column `label_column`; unset: "
        "that column",
        at_least(0));
    v.field("to", to,
            "style to transfer to, an index from 0; unset: the other style, for models with two "
            "styles",
            at_least(0));
    DecodingFields::visit(v);
  }
};

/// Encodes each sentence for its target style and decodes it, greedily by default. The result has
/// the sentences in the column "source", as text and as token ids of the model, and the labels of
/// the data, among them the style of the source.
class Transfer : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "data";
  explicit Transfer(const TransferFields& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("style transfer model", {StyleTransfer::kName, NextTokenModel::kName}),
            {.name = "data",
             .help = "sentences to transfer, with their styles unless `from` is set; labels are "
                     "passed on",
             .type = options_.from ? ArtifactType::kText : ArtifactType::kDataset,
             .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    auto& encoder = inputs.serve<StyleTransfer>("model");
    check_styles(encoder.styles());
    Sources sources = options_.from ? sources_of(inputs.text("data"), encoder.styles())
                                    : sources_of(inputs, encoder.styles());
    Text& source = sources.columns.front().text;
    const std::vector<TokenIds> sentences = ids_for(model, source);
    // All texts of a result have the same tokenizer.
    source = Text({source.lines().begin(), source.lines().end()}, sentences, model.tokenizer);
    const at::Tensor to =
        options_.to ? at::full_like(sources.styles, *options_.to) : 1 - sources.styles;
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.transfer")};
    Decoded decoded =
        transfer(encoder, inputs.serve<NextTokenModel>("model"), sentences, sources.styles, to,
                 options_.decoding(PolicyOptions{}), key, options_.first);
    const auto empty = std::count_if(decoded.sentences.begin(), decoded.sentences.end(),
                                     [](const TokenIds& each) { return each.empty(); });
    return {
        .text = Text(std::move(decoded.sentences), model.tokenizer),
        .columns = std::move(sources.columns),
        .metadata = {{"count", sentences.size()}, {"cut_off", decoded.cut_off}, {"empty", empty}}};
  }

 private:
  struct Sources {
    at::Tensor styles;                    ///< [N] int64
    std::vector<InferredColumn> columns;  ///< "source" and the labels
  };

  /// Sentences of one style.
  Sources sources_of(const Text& text, int64_t styles) const {
    const at::Tensor all = at::full({static_cast<int64_t>(text.size())}, *options_.from, at::kLong);
    const ColumnDecl label = {.name = options_.label_column,
                              .kind = ColumnKind::kLabel,
                              .classes = static_cast<int32_t>(styles)};
    return {all, {{.decl = {.name = "source"}, .text = text}, {.decl = label, .values = all}}};
  }

  /// Sentences with the column `label_column`.
  Sources sources_of(const Inputs& inputs, int64_t styles) const {
    const Dataset data = inputs.dataset("data");
    const int32_t classes = data.column(options_.label_column).decl().classes;
    if (classes > styles) {
      throw ConfigError("transfer: the column '" + options_.label_column + "' has " +
                        std::to_string(classes) + " classes, but the model has " +
                        std::to_string(styles) + " styles");
    }
    return {labels_of(data, options_.label_column), source_columns(inputs, "data")};
  }

  /// Throws ConfigError if `from` or `to` is not a style of the model, or `to` is missing.
  void check_styles(int64_t styles) const {
    for (const auto& [key, style] : {std::pair{"from", options_.from}, {"to", options_.to}}) {
      if (style.value_or(0) < styles) continue;
      throw ConfigError("transfer: `" + std::string(key) + ": " + std::to_string(*style) +
                        "` is not a style of the model, whose styles are 0 to " +
                        std::to_string(styles - 1));
    }
    if (options_.to || styles == 2) return;
    throw ConfigError("transfer: the model has " + std::to_string(styles) +
                      " styles; set `to` to the one to transfer to");
  }

  TransferFields options_;
};

}  // namespace

void register_transfer(Registries& registries) {
  add_inference<Transfer, TransferFields>(registries, "transfer", "Sentences in another style", {});
}

}  // namespace lvtext
