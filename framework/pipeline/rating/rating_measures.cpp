#include "framework/pipeline/rating/rating_measures.h"

#include <algorithm>
#include <cmath>

#include "framework/core/base/strings.h"
#include "framework/core/statistics/bootstrap.h"
#include "framework/core/statistics/proportion.h"
#include "framework/pipeline/rating/agreement.h"

namespace lvtext {
namespace {

constexpr int kResamples = 10000;

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

using Function = std::function<double(std::span<const int>)>;

/// The mean over sentences of a function of the answers to an item.
auto mean_of(const Function& function) {
  return [function](std::span<const std::vector<int>> sentences) {
    std::vector<double> values;
    for (const auto& answers : sentences) values.push_back(function(answers));
    RatingEstimate estimate{mean(values)};
    if (values.size() > 1) {
      estimate.interval = bootstrap_mean_interval(values, {.resamples = kResamples});
    }
    return estimate;
  };
}

double count_of(int answer, std::span<const std::vector<int>> sentences) {
  double count = 0;
  for (const auto& answers : sentences) {
    count += static_cast<double>(std::count(answers.begin(), answers.end(), answer));
  }
  return count;
}

std::vector<RatingMeasure> opposed_measures(const Aspect& aspect, const std::string& title) {
  std::vector<RatingMeasure> all;
  for (int answer = aspect.lowest; answer <= aspect.highest; ++answer) {
    const std::string choice = aspect.answer_text(answer);
    all.push_back({.id = aspect.id + "_" + choice + "_count",
                   .title = title + ": " + choice,
                   .note = "number of answers",
                   .decimals = 0,
                   .compute = [answer](std::span<const std::vector<int>> sentences) {
                     return RatingEstimate{count_of(answer, sentences)};
                   }});
  }
  const int first = aspect.lowest, second = first + 1;
  const std::string a = aspect.answer_text(first), b = aspect.answer_text(second);
  all.push_back(
      {.id = aspect.id + "_ratio",
       .title = a + "/" + b,
       .note = "answers " + a + " per answer " + b,
       .decimals = 2,
       .direction = Direction::kHigher,
       .compute = [first, second](std::span<const std::vector<int>> sentences) {
         const double yes = count_of(first, sentences), no = count_of(second, sentences);
         if (no > 0) return RatingEstimate{yes / no};
         return RatingEstimate{std::nan(""), {}, "undefined: " + format_number(yes) + "/0"};
       }});
  all.push_back({.id = aspect.id + "_share",
                 .title = a + "/(" + a + "+" + b + ")",
                 .note = "share of " + a + " in the answers " + a + " and " + b,
                 .decimals = 3,
                 .direction = Direction::kHigher,
                 .compute = [first, second](std::span<const std::vector<int>> sentences) {
                   const double yes = count_of(first, sentences);
                   const double both = yes + count_of(second, sentences);
                   if (both > 0) return RatingEstimate{yes / both, wilson_interval(yes, both)};
                   return RatingEstimate{std::nan(""), {}, "undefined: 0/0"};
                 }});
  return all;
}

}  // namespace

std::vector<RatingMeasure> rating_measures(const Aspect& aspect) {
  const std::string title = title_of(aspect.id);
  if (aspect.choices.empty()) {
    return {{.id = aspect.id,
             .title = title,
             .note = aspect.scale(),
             .decimals = 2,
             .direction = Direction::kHigher,
             .compute = mean_of([aspect](std::span<const int> answers) {
               return *compared_value(aspect, answers);
             })}};
  }
  if (aspect.opposed) return opposed_measures(aspect, title);
  std::vector<RatingMeasure> all;
  for (int answer = aspect.lowest; answer <= aspect.highest; ++answer) {
    const std::string choice = aspect.answer_text(answer);
    all.push_back({.id = aspect.id + "_" + choice,
                   .title = title + ": " + choice,
                   .note = "percentage of the answers",
                   .compute = mean_of([answer](std::span<const int> answers) {
                     return percent_of(answer, answers);
                   })});
  }
  if (aspect.of_texts) {
    all.push_back({.id = aspect.id + "_lead",
                   .title = title + ": a - b",
                   .note = "percentage points",
                   .compute = mean_of([aspect](std::span<const int> answers) {
                     return *compared_value(aspect, answers);
                   })});
  }
  return all;
}

std::optional<double> compared_value(const Aspect& aspect, std::span<const int> answers) {
  if (aspect.choices.empty()) return median({answers.begin(), answers.end()});
  if (!aspect.of_texts) return std::nullopt;
  return percent_of(aspect.lowest, answers) - percent_of(aspect.lowest + 1, answers);
}

}  // namespace lvtext
