// Inference that transfers texts to the other style.
#include "capabilities.h"
#include "columns.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/inference/inference.h"

namespace toys {

using namespace lvtext;

/// Transfers each text of the data to the style other than that of its column "style"; the column
/// "source" has the original text.
class TransferredText : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "data";
  explicit TransferredText(const NoOptions&) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "style transfer model",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model")},
            {.name = "data",
             .help = "texts with the column style",
             .type = ArtifactType::kDataset,
             .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Dataset data = inputs.dataset("data");
    const std::vector<TokenIds> sources = sentences_of(data, "text");
    const at::Tensor styles = numbers_of(data, "style").to(at::kLong);
    std::vector<std::vector<TokenIds>> in_style;
    for (const int style : {0, 1}) {
      in_style.push_back(transferred(inputs.serve<StyleTransfer>("model"), sources, style));
    }
    std::vector<TokenIds> outputs;
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto style = static_cast<size_t>(styles[static_cast<int64_t>(i)].item<int64_t>());
      outputs.push_back(in_style.at(style).at(i));
    }
    const auto& tokenizer = inputs.model("model").tokenizer;
    return {.text = Text(std::move(outputs), tokenizer),
            .columns = {{.decl = {.name = "source"}, .text = Text(sources, tokenizer)}}};
  }

 private:
  /// All texts, treated as being of one style.
  static std::vector<TokenIds> transferred(StyleTransfer& model,
                                           const std::vector<TokenIds>& sources, int style) {
    const Tokens tokens = model.transfer(pad_sentences(sources), style);
    std::vector<TokenIds> texts;
    for (int64_t row = 0; row < tokens.rows(); ++row) {
      const int64_t length = tokens.lengths[row].item<int64_t>();
      const at::Tensor ids =
          tokens.ids[row].slice(0, 0, length).to(at::kCPU, at::kInt).contiguous();
      texts.emplace_back(ids.const_data_ptr<int32_t>(), ids.const_data_ptr<int32_t>() + length);
    }
    return texts;
  }
};

void add_transferred_text(Registries& registries) {
  add_inference<TransferredText, NoOptions>(registries, "toy_transfer",
                                            "Texts transferred to the other style", {});
}

}  // namespace toys
