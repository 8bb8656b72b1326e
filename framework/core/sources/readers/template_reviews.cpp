#include <array>
#include <string>

#include "framework/core/base/strings.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/sources/record_reader.h"

namespace lvtext {
namespace {

constexpr std::array kThings = {"food",  "service", "staff", "waiter", "coffee", "soup",
                                "pizza", "room",    "place", "owner",  "music",  "salad"};
constexpr std::array kOthers = {"the prices", "the parking", "the view", "the menu", "the bar"};
constexpr std::array kDegrees = {"very", "really", "so", "quite"};
constexpr std::array kNegative = {"awful", "rude",  "slow",  "cold",
                                  "bad",   "bland", "dirty", "stale"};
constexpr std::array kPositive = {"great", "friendly", "quick", "fresh",
                                  "good",  "tasty",    "clean", "warm"};
/// Placeholders: T thing, O other thing, D degree, A adjective. Words are separated by blanks.
constexpr std::array kTemplates = {"the T was D A .", "D A T .", "we thought the T was A .",
                                   "A T , and O too .", "O and the T were A ."};

/// Draws a restaurant review of one of two styles, and a paraphrase of it: the same thing and
/// opinion in another template. The styles alternate.
struct TemplateReviewsReader : RecordReader {
  template <class V>
  void visit(V&) {}

  std::vector<std::string> fields() const override { return {"text", "paraphrase", "style"}; }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    uint64_t draws = 0;
    const auto below = [&](size_t count) { return mix_bits(seed, index, draws++) % count; };
    const bool is_positive = index % 2 == 1;
    const std::string thing = kThings[below(kThings.size())];
    const std::string other = kOthers[below(kOthers.size())];
    const std::string degree = kDegrees[below(kDegrees.size())];
    const std::string adjective = (is_positive ? kPositive : kNegative)[below(kPositive.size())];
    const auto review = [&](size_t form) {
      std::vector<std::string> words = split(kTemplates[form], ' ');
      for (std::string& word : words) {
        if (word == "T") word = thing;
        if (word == "O") word = other;
        if (word == "D") word = degree;
        if (word == "A") word = adjective;
      }
      return join(words, " ");
    };
    const size_t form = below(kTemplates.size());
    const size_t another = (form + 1 + below(kTemplates.size() - 1)) % kTemplates.size();
    return {review(form), review(another), is_positive ? "positive" : "negative"};
  }
};

static_assert(kNegative.size() == kPositive.size());

}  // namespace

void add_template_reviews(Choices<RecordReader>& readers) {
  add_component<TemplateReviewsReader>(
      readers, "template_reviews", "draws reviews of two styles from templates, with paraphrases");
}

}  // namespace lvtext
