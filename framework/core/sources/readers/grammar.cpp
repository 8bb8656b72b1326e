#include "framework/core/sources/grammar.h"

#include "framework/core/sources/record_reader.h"

namespace lvtext {
namespace {

/// Draws sentences from the embedded news grammar.
struct GrammarReader : RecordReader {
  template <class V>
  void visit(V&) {}

  std::vector<std::string> fields() const override { return {"sentence"}; }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    return {Grammar::news().sample(seed, index).text};
  }
  std::optional<double> entropy() const override { return Grammar::news().entropy(); }
};

}  // namespace

void add_grammar(Choices<RecordReader>& readers) {
  add_component<GrammarReader>(readers, "grammar", "draws sentences from the news grammar");
}

}  // namespace lvtext
