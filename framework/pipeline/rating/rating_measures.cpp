#include "framework/pipeline/rating/rating_measures.h"

#include <algorithm>

#include "framework/pipeline/rating/agreement.h"

namespace lvtext {
namespace {

/// "Fluency" of "fluency".
std::string title_of(const std::string& aspect) {
  std::string title = aspect;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

double percent_of(int answer, std::span<const int> answers) {
  return 100.0 * static_cast<double>(std::count(answers.begin(), answers.end(), answer)) /
         static_cast<double>(answers.size());
}

}  // namespace

std::vector<RatingMeasure> rating_measures(const Aspect& aspect) {
  const std::string title = title_of(aspect.id);
  if (aspect.choices.empty()) {
    return {{aspect.id, title, aspect.scale(), [](std::span<const int> answers) {
               return median({answers.begin(), answers.end()});
             }}};
  }
  std::vector<RatingMeasure> all;
  for (int answer = aspect.lowest; answer <= aspect.highest; ++answer) {
    const std::string choice = aspect.answer_text(answer);
    all.push_back({aspect.id + "_" + choice, title + ": " + choice, "percentage of the answers",
                   [answer](std::span<const int> answers) { return percent_of(answer, answers); }});
  }
  if (aspect.of_texts) {
    const int first = aspect.lowest;
    all.push_back({aspect.id + "_lead", title + ": a - b", "percentage points",
                   [first](std::span<const int> answers) {
                     return percent_of(first, answers) - percent_of(first + 1, answers);
                   }});
  }
  return all;
}

}  // namespace lvtext
