// Inference component `decode`: decodes sentences from latent vectors.
#include <ATen/ATen.h>

#include "framework/core/base/counts.h"
#include "framework/core/decoding/best_first_search.h"
#include "framework/core/decoding/drawing.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/decoding/vector_rows.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/decoding_options.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

enum class Search { kBeam, kBestFirst };

const std::vector<EnumName<Search>>& enum_names(Search) {
  static const std::vector<EnumName<Search>> names = {
      {"beam", Search::kBeam, "the hypotheses of a step have the same length"},
      {"best_first", Search::kBestFirst,
       "hypotheses of all lengths wait in one queue, by the mean probability of their tokens: the "
       "search of Vec2Sent's released code, for comparison"}};
  return names;
}

struct BeamFields {
  Search search = Search::kBeam;
  int64_t width = 4;
  double length_norm = 0;

  template <class V>
  void visit(V& v) {
    v.field("search", search, "order in which hypotheses are extended");
    v.field("width", width, "beam width: number of hypotheses per sentence", in_range(1, kMaxBeam));
    v.field("length_norm", length_norm, "exponent of the length normalization; 0: none",
            in_range(0, kMaxLengthNorm));
    v.check(search == Search::kBeam || length_norm == 0,
            "`length_norm` is an option of the search `beam`");
  }
};

struct DecodeFields : DecodingFields {
  std::string column;
  std::optional<BeamFields> beam;

  template <class V>
  void visit(V& v) {
    v.field("column", column, "column of vectors to decode; unset: the only one");
    v.field("beam", beam, "options of beam search, which replaces `policy`");
    DecodingFields::visit(v);
    v.check(!beam || policy.empty(), "`beam` and `policy` are mutually exclusive");
  }
};

/// Decodes one sentence from each vector, greedily by default.
class Decode : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "embeddings";
  explicit Decode(const DecodeFields& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that decodes the vectors", {NextTokenModel::kName}),
            {.name = "embeddings",
             .help = "data set with a column of vectors, such as the output of `encode`",
             .type = ArtifactType::kDataset}};
  }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    const LoadedModel& model = inputs.model("model");
    const at::Tensor vectors = vector_rows(inputs.dataset("embeddings"), options_.column, "decode");
    check_width(model, vectors.size(1));
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const bool best_first = options_.beam && options_.beam->search == Search::kBestFirst;
    const DecodeOptions decoding = how();
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.decode")};
    const at::Device device = device_of(*model.model);
    std::vector<TokenIds> sentences;
    int64_t cut_off = 0;
    for (int64_t begin = 0; begin < vectors.size(0); begin += decoding.batch) {
      const int64_t end = std::min(begin + decoding.batch, vectors.size(0));
      auto& decoder = inputs.serve<NextTokenModel>("model");
      const at::Tensor part_vectors = vectors.slice(0, begin, end).to(device);
      Decoded part = best_first ? best_first_search(decoder, part_vectors,
                                                    {.width = options_.beam->width,
                                                     .max_length = decoding.max_length,
                                                     .batch = decoding.batch})
                                : decode(decoder, part_vectors,
                                         at::arange(options_.first + begin, options_.first + end),
                                         key, decoding);
      for (auto& sentence : part.sentences) sentences.push_back(std::move(sentence));
      cut_off += part.cut_off;
      progress(std::to_string(end) + "/" + format_count(vectors.size(0), "sentence"));
    }
    const auto count = sentences.size();
    return {.text = Text(std::move(sentences), model.tokenizer),
            .metadata = {{"count", count}, {"cut_off", cut_off}}};
  }

 private:
  DecodeOptions how() const {
    DecodeOptions decoding = options_.decoding(PolicyOptions{});
    if (options_.beam) {
      decoding.policy =
          BeamOptions{.width = options_.beam->width, .length_norm = options_.beam->length_norm};
    }
    return decoding;
  }

  static void check_width(const LoadedModel& model, int64_t width) {
    const auto* decoder = dynamic_cast<VectorDecoder*>(model.model.get());
    const auto* encoder = dynamic_cast<Encoder*>(model.model.get());
    if (decoder == nullptr && encoder == nullptr) return;
    const int64_t expected = decoder != nullptr ? decoder->vector_size() : encoder->latent_size();
    if (width == expected) return;
    throw ConfigError("decode: the vectors of `embeddings` have width " + std::to_string(width) +
                      ", but '" + model.component + "' decodes vectors of width " +
                      std::to_string(expected) + ": give it vectors of the encoder that it was " +
                      "trained with");
  }

  DecodeFields options_;
};

}  // namespace

void register_decode(Registries& registries) {
  add_inference<Decode, DecodeFields>(registries, "decode", "Sentences decoded from latent vectors",
                                      {});
}

}  // namespace lvtext
