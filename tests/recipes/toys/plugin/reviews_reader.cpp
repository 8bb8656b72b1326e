// Reader that generates reviews of two styles from four small grammars.
#include <array>

#include "framework/core/model/plugin.h"
#include "framework/core/sources/grammar.h"
#include "framework/core/sources/record_reader.h"

namespace toys {

using namespace lvtext;

namespace {

std::string grammar_of(bool positive, bool several) {
  return std::string(
             "review = 3: the thing is opinion | 2: the thing is degree opinion |"
             " 1: we thought the thing is opinion | 1: opinion thing and opinion thing\n") +
         "is = " + (several ? "were" : "was") + "\n" + "thing ~ " +
         (several ? "waiters tables desserts drinks" : "waiter table dessert coffee") +
         "\ndegree ~ very rather really\n" + "opinion ~ " +
         (positive ? "great friendly fresh warm" : "awful rude stale cold") + "\n";
}

}  // namespace

/// Cycles through the four kinds of records.
struct ReviewsReader : RecordReader {
  template <class V>
  void visit(V&) {}

  std::vector<std::string> fields() const override { return {"text", "style", "number"}; }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    static const std::array<Grammar, 4> grammars = {
        Grammar(grammar_of(false, false)), Grammar(grammar_of(true, false)),
        Grammar(grammar_of(false, true)), Grammar(grammar_of(true, true))};
    const bool positive = index % 2 == 1;
    const bool several = index / 2 % 2 == 1;
    return {grammars.at(index % 4).sample(seed, index).text, positive ? "positive" : "negative",
            several ? "several" : "one"};
  }
};

void add_reviews_reader(Registries& registries) {
  add_component<ReviewsReader, RecordReader>(registries, "toy_reviews",
                                             "generates reviews of two styles");
}

}  // namespace toys
